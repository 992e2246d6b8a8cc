// The record of a commit group and its bytes (docs/formats/journal.md).
#include "ledger/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/encoding.h"
#include "base/rng.h"

namespace opic::ledger {
namespace {

PageId Page(uint16_t shard, uint64_t id) { return PageId(ShardId{shard}, id); }

JournalRecord SomeRecord() {
  JournalRecord record;
  record.rounding = Rounding::kDown;
  record.visits = {{Page(1, 5), VisitKind::kGone, false, cash::Amount(100)},
                   {Page(65535, kPageIdCount - 1), VisitKind::kFetched, true, cash::kSupply}};
  record.credits = {{PageId(), cash::Amount()}, {Page(3, 9), cash::Amount(7)}};
  record.instalments = {{ShardId{2}, 0, kPageIdCount, false, cash::Amount(3)},
                        {ShardId{2}, 16, 32, true, cash::Amount(1)}};
  record.reopened = {Page(4, 4)};
  record.after.virtual_page = cash::Amount(12345);
  record.after.clock = cash::Sum{1} << 90;
  record.after.fetch_clock = 17;
  record.after.newcomer_importance = 0.125;
  record.after.pages = 8;
  record.after.by_kind = {1, 2, 3, 4, 5, 6, 7};
  record.after.shards = {{ShardId{1}, 11}, {ShardId{3}, cash::Sum{1} << 64}};
  return record;
}

// The same record with its checksum made right again.
std::string Sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  base::AppendFixed64(bytes, base::Hash64(bytes));
  return bytes;
}

TEST(JournalRecord, IsReadBack) {
  const std::string bytes = Encode(SomeRecord());
  const auto read = DecodeJournalRecord(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Encode(*read), bytes);
  EXPECT_EQ(read->rounding, Rounding::kDown);
  EXPECT_EQ(read->visits[1].page, Page(65535, kPageIdCount - 1));
  EXPECT_TRUE(read->visits[1].settled);
  EXPECT_EQ(read->visits[0].kind, VisitKind::kGone);
  EXPECT_EQ(read->credits[1].page, Page(3, 9));
  EXPECT_EQ(read->instalments[1].last, 32u);
  EXPECT_TRUE(read->after.clock == cash::Sum{1} << 90);
  EXPECT_EQ(read->after.newcomer_importance, 0.125);
  EXPECT_EQ(read->after.by_kind, SomeRecord().after.by_kind);
  EXPECT_TRUE(read->after.shards == SomeRecord().after.shards);
}

TEST(JournalRecord, IsEmptyWithoutEffects) {
  JournalRecord record;
  EXPECT_TRUE(record.empty());
  record.credits = {{PageId(), cash::Amount()}};
  EXPECT_FALSE(record.empty()) << "a discovery is an effect";
}

TEST(JournalRecord, CutOffAnywhereOrWithMoreBehindItIsRefused) {
  const std::string bytes = Encode(SomeRecord());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::unique_ptr<char[]> exact(new char[size]);
    std::copy_n(bytes.begin(), size, exact.get());
    EXPECT_TRUE(absl::IsDataLoss(DecodeJournalRecord({exact.get(), size}).status())) << size;
  }
  EXPECT_FALSE(DecodeJournalRecord(bytes + '\0').ok());
}

TEST(JournalRecord, EveryFlippedBitIsNoticed) {
  const std::string sound = Encode(SomeRecord());
  for (size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    EXPECT_TRUE(absl::IsDataLoss(DecodeJournalRecord(bytes).status())) << "bit " << bit;
  }
}

TEST(JournalRecord, CreditsThatDoNotAscendAreRefused) {
  JournalRecord record = SomeRecord();
  std::swap(record.credits[0], record.credits[1]);
  EXPECT_FALSE(DecodeJournalRecord(Encode(record)).ok());
  record.credits = {{Page(1, 1), cash::Amount(1)}, {Page(1, 1), cash::Amount(1)}};
  EXPECT_FALSE(DecodeJournalRecord(Encode(record)).ok());
}

JournalRecord CreditsOf(importance::Method method, const std::vector<int64_t>& amounts) {
  JournalRecord record;
  record.method = method;
  for (const int64_t amount : amounts) {
    record.credits.push_back({Page(1, record.credits.size() + 1), cash::Amount(amount)});
  }
  return record;
}

// Amounts with a number, and those that came too late for one, of both signs; many a time.
TEST(JournalRecord, AmountsAreReadBackByTheirNumbers) {
  std::vector<int64_t> few, many;
  for (int64_t i = 0; i < 4000; ++i) few.push_back(1 + i % 130);
  for (int64_t i = 0; i < 3000; ++i) many.push_back((i % 1500 + 1) << 40);
  for (const auto& amounts : {few, many}) {
    for (const auto method : {importance::Method::kWindow, importance::Method::kPush}) {
      std::vector<int64_t> signs = amounts;
      if (method == importance::Method::kPush) {
        for (size_t i = 0; i < signs.size(); i += 3) signs[i] = -signs[i];
      }
      const auto read = DecodeJournalRecord(Encode(CreditsOf(method, signs)));
      ASSERT_TRUE(read.ok()) << read.status();
      for (size_t i = 0; i < signs.size(); ++i) {
        ASSERT_EQ(read->credits[i].amount.units(), signs[i]) << i;
      }
    }
  }
}

TEST(JournalRecord, AnAmountThatIsRepeatedTakesAByte) {
  const auto bytes = [](int64_t amount, size_t credits) {
    const std::vector<int64_t> amounts(credits, amount);
    return Encode(CreditsOf(importance::Method::kPush, amounts)).size();
  };
  const int64_t large = int64_t{1} << 50;
  EXPECT_EQ(bytes(large, 101) - bytes(large, 1), bytes(1, 101) - bytes(1, 1));
  EXPECT_EQ(bytes(large, 101) - bytes(large, 1), 2u * 100) << "one byte more for the page";
}

// The format says how many have numbers.
TEST(JournalRecord, TheFirst1024AmountsHaveNumbers) {
  std::vector<int64_t> amounts;
  for (int64_t n = 1; n <= 1100; ++n) amounts.push_back(n << 40);
  const size_t once = Encode(CreditsOf(importance::Method::kPush, amounts)).size();
  const auto added_by = [&](int64_t n) {
    std::vector<int64_t> more = amounts;
    more.push_back(n << 40);
    return Encode(CreditsOf(importance::Method::kPush, more)).size() - once;
  };
  EXPECT_EQ(added_by(1), 2u);
  EXPECT_EQ(added_by(1024), 3u);
  EXPECT_GT(added_by(1025), 8u);
}

TEST(JournalRecord, ANumberThatNoAmountHasIsRefused) {
  std::string bytes = Encode(CreditsOf(importance::Method::kPush, {5, 5}));
  const std::string page_and_number = {1, 1};
  const size_t at = bytes.find(page_and_number, 4);
  ASSERT_NE(at, std::string::npos);
  ASSERT_TRUE(DecodeJournalRecord(Sealed(bytes)).ok());
  bytes[at + 1] = 2;
  EXPECT_TRUE(absl::IsDataLoss(DecodeJournalRecord(Sealed(bytes)).status()));
}

TEST(JournalRecord, AnInstalmentOutsideTheIdsIsRefused) {
  JournalRecord record = SomeRecord();
  record.instalments[0].last = kPageIdCount + 1;
  EXPECT_FALSE(DecodeJournalRecord(Encode(record)).ok());
  record.instalments[0].first = record.instalments[0].last = 5;
  EXPECT_FALSE(DecodeJournalRecord(Encode(record)).ok());
}

// Behind a checksum that is right, as from a program gone wrong.
TEST(JournalRecord, AnySealedBytesAreReadOrRefused) {
  const std::string sound = Encode(SomeRecord());
  base::Rng rng(9);
  int read = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = sound;
    for (uint64_t flips = 1 + rng.Below(3); flips > 0; --flips) {
      bytes[rng.Below(bytes.size())] = static_cast<char>(rng());
    }
    read += DecodeJournalRecord(Sealed(std::move(bytes))).ok();
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 5000);
}

// A count from a stranger must not become an allocation.
TEST(JournalRecord, ACountBeyondTheBytesIsRefused) {
  std::string bytes(1, '\0');
  base::AppendVarint(bytes, uint64_t{1} << 62);
  bytes.append(100, '\0');
  EXPECT_FALSE(DecodeJournalRecord(Sealed(bytes)).ok());
}

}  // namespace
}  // namespace opic::ledger
