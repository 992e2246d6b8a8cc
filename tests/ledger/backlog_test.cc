#include "ledger/backlog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class BacklogTest : public testing::Test {
 protected:
  void Changed(uint64_t log_number, const std::vector<uint16_t>& shards, uint64_t bytes = 100) {
    Balances after;
    for (uint16_t shard : shards) after.shards.emplace_back(ShardId{shard}, 0);
    backlog_.Changed(log_number, bytes, after);
  }
  std::optional<uint16_t> Due() {
    const auto due = backlog_.Due(table_);
    return due ? std::optional<uint16_t>(due->value) : std::nullopt;
  }

  page_table::PageTable table_{4};
  Backlog backlog_{4, {.shard_bytes_min = 1000, .journal_bytes_max = 10'000}};
};

TEST_F(BacklogTest, BeginsEmpty) {
  EXPECT_EQ(Due(), std::nullopt);
  EXPECT_FALSE(backlog_.lacks(ShardId{0}));
  EXPECT_THAT(backlog_.Trim(0).positions, IsEmpty());
}

TEST_F(BacklogTest, AShardIsDueWhenItsPartOfTheJournalIsLong) {
  Changed(1, {1, 2}, 2000);
  EXPECT_EQ(Due(), std::nullopt) << "1000 bytes each";
  Changed(2, {2}, 1);
  EXPECT_EQ(Due(), 2);
}

TEST_F(BacklogTest, TheLongestIsFirst) {
  Changed(1, {0}, 2000);
  Changed(2, {3}, 3000);
  Changed(3, {1}, 2500);
  EXPECT_EQ(Due(), 3);
  backlog_.Saved(ShardId{3}, 3);
  EXPECT_EQ(Due(), 1);
}

// A tenth of the shard's own size: writing a large shard for little would be a waste.
TEST_F(BacklogTest, ALargeShardMayHaveALongerJournal) {
  for (uint64_t id = 0; id < 5000; ++id) table_.Add(PageId(ShardId{1}, id << 30));
  Changed(1, {1}, 2000);
  ASSERT_GT(table_.totals(ShardId{1}).bytes, 20'000u);
  EXPECT_EQ(Due(), std::nullopt);
}

// A shard that changes seldom kept the journal from being trimmed for ever.
TEST_F(BacklogTest, AboveTheLimitTheOldestIsDueHoweverShortItsPart) {
  Changed(1, {0}, 10);
  for (uint64_t log_number = 2; log_number < 30; ++log_number) {
    Changed(log_number, {1}, 900);
    backlog_.Saved(ShardId{1}, log_number);
  }
  EXPECT_EQ(Due(), 0);
  backlog_.Saved(ShardId{0}, 29);
  EXPECT_EQ(Due(), std::nullopt);
}

TEST_F(BacklogTest, TheJournalBeginsWithTheOldestRecordThatACheckpointLacks) {
  Changed(1, {0, 1});
  Changed(2, {1});
  backlog_.Saved(ShardId{0}, 2);
  EXPECT_EQ(backlog_.Trim(2).journal_begin, 1u);
  Changed(3, {0});
  backlog_.Saved(ShardId{1}, 3);
  EXPECT_EQ(backlog_.Trim(3).journal_begin, 3u);
  EXPECT_THAT(backlog_.Trim(3).positions, ElementsAre(Pair(ShardId{0}, 2), Pair(ShardId{1}, 3)));
}

TEST_F(BacklogTest, TheLastRecordIsKept) {
  Changed(1, {0});
  Changed(2, {0});
  backlog_.Saved(ShardId{0}, 2);
  EXPECT_EQ(backlog_.Trim(2).journal_begin, 2u);
}

TEST_F(BacklogTest, ARecordThatTheCheckpointHoldsLeavesNothingToSave) {
  backlog_.Saved(ShardId{0}, 5);
  Changed(4, {0});
  Changed(5, {0});
  EXPECT_FALSE(backlog_.lacks(ShardId{0}));
  Changed(6, {0});
  EXPECT_TRUE(backlog_.lacks(ShardId{0}));
  EXPECT_EQ(backlog_.position(ShardId{0}), 5u);
}

}  // namespace
}  // namespace opic::ledger
