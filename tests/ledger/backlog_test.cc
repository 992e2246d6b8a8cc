#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/checkpoint_backlog.h"

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
  void Save(uint16_t shard, uint64_t position) {
    backlog_.Saving(ShardId{shard});
    backlog_.Saved(ShardId{shard}, position);
  }
  bool Due() { return backlog_.Due(table_); }
  std::vector<uint16_t> Next() {
    std::vector<uint16_t> next;
    for (ShardId shard : backlog_.Next(table_)) next.push_back(shard.value);
    return next;
  }

  page_table::PageTable table_{4};
  CheckpointBacklog backlog_{4, {.shard_bytes_min = 1000, .journal_bytes_max = 10'000}};
};

TEST_F(BacklogTest, BeginsEmpty) {
  EXPECT_FALSE(Due());
  EXPECT_THAT(Next(), IsEmpty());
  EXPECT_THAT(backlog_.Trim(0).positions, IsEmpty());
}

TEST_F(BacklogTest, ACheckpointIsDueWhenTheJournalOfOneShardIsLong) {
  Changed(1, {1, 2}, 2000);
  EXPECT_FALSE(Due()) << "1000 bytes each";
  Changed(2, {2}, 1);
  EXPECT_TRUE(Due());
  Save(2, 2);
  EXPECT_FALSE(Due());
}

TEST_F(BacklogTest, ShardsWithALongJournalAreWrittenBeforeThoseThatLackForLongest) {
  Changed(1, {3}, 10);
  Changed(2, {1}, 10);
  Changed(3, {2}, 1001);
  EXPECT_THAT(Next(), ElementsAre(2, 3, 1));
}

// A tenth of the shard's own size: writing a large shard for little would be a waste.
TEST_F(BacklogTest, ALargeShardMayHaveALongerJournal) {
  for (uint64_t id = 0; id < 5000; ++id) table_.Add(PageId(ShardId{1}, id << 30));
  Changed(1, {1}, 2000);
  ASSERT_GT(table_.totals(ShardId{1}).bytes, 20'000u);
  EXPECT_FALSE(Due());
}

// A shard that changes seldom kept the journal from being trimmed for ever.
TEST_F(BacklogTest, AJournalTooLongMakesTheOldestDueHoweverShortItsPart) {
  Changed(1, {0}, 10);
  for (uint64_t log_number = 2; log_number < 30; ++log_number) {
    Changed(log_number, {1}, 900);
    Save(1, log_number);
  }
  EXPECT_TRUE(Due());
  EXPECT_THAT(Next(), ElementsAre(0));
  Save(0, 29);
  EXPECT_FALSE(Due());
}

TEST_F(BacklogTest, SmallShardsAreWrittenTogetherLargeOnesAlone) {
  CheckpointBacklog backlog(
      256, {.shard_bytes_min = 1000, .journal_bytes_max = 10'000, .shards_together = 64});
  page_table::PageTable table(256);
  Balances after;
  for (uint16_t shard = 0; shard < 200; ++shard) after.shards.emplace_back(ShardId{shard}, 0);
  backlog.Changed(1, 1000, after);
  EXPECT_EQ(backlog.Next(table).size(), 64u);
  for (uint64_t id = 0; id < 600'000; ++id) table.Add(PageId(ShardId{0}, id << 24));
  EXPECT_EQ(backlog.Next(table).size(), 1u);
}

TEST_F(BacklogTest, TheJournalBeginsWithTheOldestRecordThatACheckpointLacks) {
  Changed(1, {0, 1});
  Changed(2, {1});
  Save(0, 2);
  EXPECT_EQ(backlog_.Trim(2).journal_begin, 1u);
  Changed(3, {0});
  Save(1, 3);
  EXPECT_EQ(backlog_.Trim(3).journal_begin, 3u);
  EXPECT_THAT(backlog_.Trim(3).positions, ElementsAre(Pair(ShardId{0}, 2), Pair(ShardId{1}, 3)));
}

TEST_F(BacklogTest, TheLastRecordIsKept) {
  Changed(1, {0});
  Changed(2, {0});
  Save(0, 2);
  EXPECT_EQ(backlog_.Trim(2).journal_begin, 2u);
}

TEST_F(BacklogTest, WhatChangesWhileACheckpointIsWrittenIsNotInIt) {
  Changed(1, {0}, 2000);
  backlog_.Saving(ShardId{0});
  EXPECT_FALSE(Due());
  EXPECT_THAT(Next(), IsEmpty());
  Changed(2, {0}, 2000);
  EXPECT_EQ(backlog_.Trim(2).journal_begin, 1u) << "the checkpoint may yet be lost";
  backlog_.Saved(ShardId{0}, 1);
  EXPECT_TRUE(Due());
  EXPECT_THAT(Next(), ElementsAre(0));
  EXPECT_EQ(backlog_.position(ShardId{0}), 1u);
  Changed(3, {1});
  EXPECT_EQ(backlog_.Trim(3).journal_begin, 2u);
}

// A large shard that is long again whenever it was written, and one that changed once.
TEST_F(BacklogTest, AShardForWhichTheJournalIsTooLongGoesBeforeLongOnes) {
  Changed(1, {0}, 10);
  Changed(2, {1}, 9'000);
  EXPECT_THAT(Next(), ElementsAre(1, 0));
  Changed(3, {1}, 995);
  EXPECT_THAT(Next(), ElementsAre(0, 1));
}

TEST_F(BacklogTest, IsFarBehindWhenTheJournalIsTwiceTooLong) {
  Changed(1, {0}, 10);
  backlog_.Saving(ShardId{0});
  Changed(2, {1}, 19'000);
  EXPECT_FALSE(backlog_.FarBehind(table_));
  Changed(3, {1}, 2'000);
  EXPECT_TRUE(backlog_.FarBehind(table_)) << "for what is being saved";
  backlog_.Saved(ShardId{0}, 1);
  Changed(4, {1}, 2'000);
  EXPECT_TRUE(backlog_.FarBehind(table_));
  backlog_.Saving(ShardId{1});
  backlog_.Saved(ShardId{1}, 4);
  EXPECT_FALSE(backlog_.FarBehind(table_));
}

TEST_F(BacklogTest, ARecordThatTheCheckpointHoldsLeavesNothingToSave) {
  backlog_.Saved(ShardId{0}, 5);
  Changed(4, {0});
  Changed(5, {0});
  EXPECT_THAT(Next(), IsEmpty());
  Changed(6, {0});
  EXPECT_THAT(Next(), ElementsAre(0));
  EXPECT_EQ(backlog_.position(ShardId{0}), 5u);
}

}  // namespace
}  // namespace opic::ledger
