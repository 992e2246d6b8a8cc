// A small crawl that is recovered again and again, for tests of recoveries and checkpoints.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "ledger/checkpoint_file.h"
#include "tests/support/small_crawl.h"

namespace opic {

class RecoveredCrawl : public testing::Test, protected SmallCrawl {
 protected:
  RecoveredCrawl() : SmallCrawl(FreshCheckpointFolder()) {
    EXPECT_TRUE(Open().ok());
    Seed({0, 1, 2, 3});
    Commit();
  }
  // `groups` commits that touch pages of all shards.
  void Crawl(int groups) {
    for (int group = 0; group < groups; ++group) {
      const std::vector<PageId> known = books().pages();
      for (int i = 0; i < 3; ++i) {
        ledger::Visit visit = Fetched(0, {rng_.Below(50), 50 + rng_.Below(50), 100});
        visit.page = known[rng_.Below(known.size())];
        Record(visit);
      }
      Commit();
      if (!books().done().empty()) {
        ASSERT_TRUE(ledger().Settle({*books().done().begin()}).ok());
        Commit();
      }
    }
  }
  void SaveOneShardACall() {
    options().shard_journal_bytes_min = 1;
    options().checkpoint_shards_max = 1;
    Reopen();
  }
  void Checkpoint(bool all) { ASSERT_TRUE(ledger().Checkpoint(all).ok()); }
  // The file that has the shard's latest checkpoint; empty: none has.
  std::filesystem::path CheckpointOf(uint32_t shard) {
    std::filesystem::path latest;
    uint64_t position = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options().checkpoint_folder)) {
      if (entry.path().extension() != ledger::kCheckpointSuffix) continue;
      const auto places = ledger::ReadPlaces(entry.path()).value();
      for (const ledger::CheckpointPlace& place : places) {
        if (place.shard.value != shard || place.position < position) continue;
        latest = entry.path();
        position = place.position;
      }
    }
    return latest;
  }
  void Drop(store::Table table, std::string key) {
    store::Batch batch;
    batch.Delete(table, std::move(key));
    ASSERT_TRUE(store().Write(batch, store::Sync::kYes).ok());
  }
  void Overwrite(store::Table table, std::string key, std::string value) {
    store::Batch batch;
    batch.Put(table, std::move(key), std::move(value));
    ASSERT_TRUE(store().Write(batch, store::Sync::kYes).ok());
  }
  void ExpectRefused(absl::StatusCode code, const std::string& why) {
    const absl::Status opened = Open();
    EXPECT_EQ(opened.code(), code) << opened;
    EXPECT_THAT(std::string(opened.message()), testing::HasSubstr(why));
  }
  std::vector<std::pair<PageId, uint16_t>> Cells() {
    std::vector<std::pair<PageId, uint16_t>> cells;
    page_table::Cursor cursor;
    ledger().books().table().Walk(cursor, 1 << 30, [&](const page_table::Page& page) {
      cells.emplace_back(page.page, page.cash.bits());
    });
    std::sort(cells.begin(), cells.end());
    return cells;
  }

  base::Rng rng_{11};
};

}  // namespace opic
