// What a store in RocksDB holds after a power cut: all that was synced, and of the rest each batch
// whole or not at all.
//
// OPIC_POWER_CUTS=FIRST-LAST is the range of random cuts (1-80 by default); a failure prints its
// seed. The store goes on from one cut to the next: a later range is not the same cuts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "tests/store/opened_store.h"
#include "tests/support/forgetful_rocks.h"
#include "tests/support/memory_store.h"
#include "tests/support/seeds.h"

namespace opic::store {
namespace {

support::SeedRange Cuts() { return support::SeedsFrom("OPIC_POWER_CUTS", {1, 80}); }

// In memory where that is possible: no sync reaches the disk anyway.
std::string FolderInMemory() {
  const std::string parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
  return absl::StrCat(parent, "/opic_power_cut-", getpid());
}

using Row = std::tuple<int, std::string, std::string>;  // table, key, value

std::vector<Row> RowsOf(Store& store) {
  std::vector<Row> rows;
  for (int table = 0; table < kTableCount; ++table) {
    const auto at = store.Scan(static_cast<Table>(table), "");
    for (; at->Valid(); at->Next()) rows.emplace_back(table, at->key(), at->value());
    EXPECT_TRUE(at->status().ok()) << at->status();
  }
  return rows;
}

// A row that only one of them has; empty: they are the same.
std::string FirstDifference(const std::vector<Row>& found, const std::vector<Row>& expected) {
  const auto [one, other] =
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  const auto text_of = [](const Row& row) {
    const auto& [table, key, value] = row;
    return absl::StrCat(table, "/", key, "=", value.substr(0, 1), "*", value.size(), " ");
  };
  return absl::StrCat(one == found.end() ? "" : "found " + text_of(*one),
                      other == expected.end() ? "" : "expected " + text_of(*other));
}

// A store that is written at random, and what it may hold after a cut. Each batch leaves a row with
// its number, so that the store says which of them it holds.
class PowerCutTest : public testing::Test {
 protected:
  PowerCutTest() { Begin(); }
  ~PowerCutTest() override { RemoveFolders(); }
  void RemoveFolders() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Begin() {
    RemoveFolders();
    std::filesystem::create_directories(folder_);
    store_ = std::make_unique<ForgetfulRocks>(folder_ + "/store");
    past_ = NewMemoryStore();
    written_.clear();
  }

  static std::string NumberKey(uint64_t number) { return absl::StrCat("batch", number); }
  // False: the machine stopped.
  bool Write(Batch batch, Sync sync) {
    batch.Put(Table::kMeta, NumberKey(++last_number_), "");
    written_.push_back({last_number_, batch});
    if (!store_->Write(batch, sync).ok()) return false;
    last_written_ = last_number_;
    if (sync == Sync::kYes) promised_ = last_written_;
    return true;
  }
  Batch AnyBatch() {
    Batch batch;
    for (uint64_t n = 1 + rng_.Below(6); n > 0; --n) {
      const auto table = static_cast<Table>(rng_.Below(kTableCount));
      const std::string key = absl::StrCat("key", rng_.Below(30));
      const uint64_t draw = rng_.Below(20);
      if (draw == 0) {
        batch.DeleteRange(table, "key1", "key2");
      } else if (draw < 5) {
        batch.Delete(table, key);
      } else {
        const char letter = static_cast<char>('a' + rng_.Below(26));
        batch.Put(table, key, std::string(rng_.Below(5000), letter));
      }
    }
    return batch;
  }
  // Until the machine stops or enough was written.
  void WriteAtRandom(uint64_t batches) {
    while (batches-- > 0 && Write(AnyBatch(), rng_.Below(3) == 0 ? Sync::kYes : Sync::kNo)) {
    }
  }

  // The store holds what some of the batches wrote, each whole, and all up to number `certain`.
  // They are its past from now on.
  void ExpectWholeBatches(uint64_t certain) {
    for (const auto& [number, batch] : written_) {
      const auto found = store_->Get(Table::kMeta, NumberKey(number));
      ASSERT_TRUE(found.ok()) << found.status();
      if (!found->has_value()) {
        ASSERT_GT(number, certain) << "a promise was broken";
        ++lost_;
        continue;
      }
      ASSERT_TRUE(past_->Write(batch, Sync::kYes).ok());
    }
    ASSERT_EQ(FirstDifference(RowsOf(*store_), RowsOf(*past_)), "") << "a batch in parts";
    written_.clear();
  }
  void CutPower() {
    store_->Reboot(rng_);
    ExpectWholeBatches(promised_);
  }
  void KillProcess() {
    store_->KillAndRestart();
    ExpectWholeBatches(last_written_);
  }

  const std::string folder_ = FolderInMemory();
  base::Rng rng_{1};
  std::unique_ptr<ForgetfulRocks> store_;
  std::unique_ptr<Store> past_;                      // what the store held at its last start
  std::vector<std::pair<uint64_t, Batch>> written_;  // since then, with their numbers
  uint64_t last_number_ = 0;
  uint64_t promised_ = 0;      // the last batch that a sync has covered
  uint64_t last_written_ = 0;  // the last batch whose write has succeeded
  uint64_t lost_ = 0;          // batches, ever
};

TEST_F(PowerCutTest, WhatWasSyncedIsThereAgain) {
  ASSERT_TRUE(Write(AnyBatch(), Sync::kNo));
  ASSERT_TRUE(Write(AnyBatch(), Sync::kYes));
  CutPower();
  EXPECT_EQ(lost_, 0u);
}

// Else the tests here could find nothing.
TEST_F(PowerCutTest, WhatWasNotSyncedIsForgottenNowAndThen) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(Write(AnyBatch(), Sync::kNo));
    CutPower();
  }
  EXPECT_GT(lost_, 0u);
  EXPECT_GT(store_->files().forgotten_bytes(), 0u);
  EXPECT_GT(store_->files().forgotten_names(), 0u);
}

TEST_F(PowerCutTest, WhatADeadProcessWroteIsThereAgain) {
  ASSERT_TRUE(Write(AnyBatch(), Sync::kNo));
  KillProcess();
  EXPECT_EQ(lost_, 0u);
}

// The ledger builds upon the rows that it finds: they must not go while later ones stay.
TEST_F(PowerCutTest, WhatWasFoundAtAStartStays) {
  for (int i = 0; i < 10 && !HasFatalFailure(); ++i) {
    ASSERT_TRUE(Write(AnyBatch(), Sync::kNo));
    KillProcess();
    CutPower();
  }
}

TEST_F(PowerCutTest, CutsAtAnyMomentKeepEveryPromise) {
  const support::SeedRange cuts = Cuts();
  for (uint64_t cut = cuts.first; cut <= cuts.last && !HasFatalFailure(); ++cut) {
    SCOPED_TRACE(absl::StrCat("seed ", cut));
    rng_ = base::Rng(cut);
    if (cut % 25 == 0) Begin();
    store_->set_chances({.again = 0.2});
    store_->CrashAt(1 + rng_.Below(150), rng_.Below(2) == 0 ? UnreliableStore::When::kBefore
                                                            : UnreliableStore::When::kAfter);
    WriteAtRandom(rng_.Below(60));
    rng_.Below(4) == 0 ? KillProcess() : CutPower();
  }
  EXPECT_GT(lost_, cuts.size() / 10) << "the cuts forget too little to find anything";
}

}  // namespace
}  // namespace opic::store
