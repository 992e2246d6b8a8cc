// Checkpoints of shards: when they are written, what they hold, and what they let go of the journal
// (src/ledger/persistence.h).
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <vector>

#include "tests/ledger/recovered_crawl.h"

namespace opic {
namespace {

namespace fs = std::filesystem;

using CheckpointsTest = RecoveredCrawl;

TEST_F(CheckpointsTest, FromCheckpointsReplaysNothingTwice) {
  Crawl(10);
  Checkpoint(/*all=*/true);
  const auto cells = Cells();
  Reopen();
  EXPECT_EQ(Cells(), cells);
  EXPECT_EQ(ledger().recovery().checkpoints, 4u);
  EXPECT_EQ(ledger().recovery().records_replayed, 1u) << "the last record stays for its balances";
}

TEST_F(CheckpointsTest, ShardsMayHaveCheckpointsOfDifferentPositions) {
  SaveOneShardACall();
  for (int i = 0; i < 12; ++i) {
    Crawl(1);
    Checkpoint(/*all=*/false);  // one shard
    Reopen();
  }
  EXPECT_EQ(ledger().recovery().checkpoints, 4u);
}

TEST_F(CheckpointsTest, TrimmingKeepsWhatTheOldestCheckpointNeeds) {
  SaveOneShardACall();
  Crawl(10);
  const auto first_kept = [&] {
    const auto journal = store().Scan(store::Table::kJournal, "");
    return base::Decoder(journal->key()).Big64();
  };
  Checkpoint(/*all=*/false);
  EXPECT_EQ(first_kept(), 1u) << "three shards still need everything";
  Checkpoint(/*all=*/true);
  EXPECT_EQ(first_kept(), ledger().log_number());
  Reopen();
}

// What is recorded while a checkpoint is written is not in it, and stays in the journal.
TEST_F(CheckpointsTest, CheckpointsWrittenBesideHoldWhatWasThereWhenTheyWereBegun) {
  options().save = ledger::SaveCheckpoints::kBeside;
  SaveOneShardACall();
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 8; ++i) {
      Crawl(1);
      Checkpoint(/*all=*/false);
    }
    const auto cells = Cells();
    Reopen();
    EXPECT_EQ(Cells(), cells);
  }
  EXPECT_EQ(ledger().recovery().checkpoints, 4u);
  Crawl(1);
  Checkpoint(/*all=*/false);
  Crawl(1);
  Checkpoint(/*all=*/true);
  Reopen();
  EXPECT_EQ(ledger().recovery().records_replayed, 1u);
}

// The process ended between the copy and the file.
TEST_F(CheckpointsTest, ACheckpointThatWasBegunAndNeverWrittenIsNotMissed) {
  options().save = ledger::SaveCheckpoints::kLater;
  SaveOneShardACall();
  for (int round = 0; round < 20; ++round) {
    Crawl(1);
    Checkpoint(/*all=*/false);  // begun
    if (round % 3 > 0) Crawl(1);
    if (round % 3 == 2) Checkpoint(/*all=*/false);  // written, and another one begun
    const auto cells = Cells();
    Reopen();
    EXPECT_EQ(Cells(), cells);
  }
  EXPECT_GT(ledger().recovery().checkpoints, 0u);
}

// A shard of many pages is copied by several calls, and what is recorded between them is not in it.
TEST_F(CheckpointsTest, ALargeShardIsCopiedByManyCalls) {
  options().checkpoint_copied_at_once = 1;
  options().save = ledger::SaveCheckpoints::kLater;
  SaveOneShardACall();
  std::vector<uint64_t> links(100'000);
  std::iota(links.begin(), links.end(), 1000);
  Fetch(0, links);
  Commit();
  uint64_t next = 1000;
  const auto crawl = [&] {
    Fetch(next, {next + 1, next + 2});
    ++next;
    Commit();
  };
  int calls = 0;
  for (; !fs::exists(CheckpointOf(0)) && calls < 1000; ++calls) {
    crawl();
    Checkpoint(/*all=*/false);
  }
  EXPECT_GT(calls, 8);
  EXPECT_LT(calls, 1000);
  for (int calls_before_the_end : {0, 1, 7, 30}) {
    for (int i = 0; i < calls_before_the_end; ++i) {
      crawl();
      Checkpoint(/*all=*/false);
    }
    const auto cells = Cells();
    Reopen();
    EXPECT_EQ(Cells(), cells);
  }
  crawl();
  Checkpoint(/*all=*/false);  // begun
  crawl();
  Checkpoint(/*all=*/true);
  Reopen();
  EXPECT_EQ(ledger().recovery().checkpoints, 4u);
  EXPECT_EQ(ledger().recovery().records_replayed, 1u);
}

// Shard 3 does not change, and would keep the file that it shares with the others.
TEST_F(CheckpointsTest, AShardThatKeepsAFileIsWrittenOnceMore) {
  std::vector<uint64_t> links(290'000);
  std::iota(links.begin(), links.end(), 1000);
  Fetch(0, links);
  Commit();
  Checkpoint(/*all=*/true);
  const fs::path shared = CheckpointOf(3);
  ASSERT_EQ(CheckpointOf(0), shared);
  for (uint64_t round = 0; round < 6 && fs::exists(shared); ++round) {
    const uint64_t shard = round % 3;
    Fetch(1000 + 4 * round + shard, {2000 + shard});
    Commit();
    Checkpoint(/*all=*/true);
  }
  EXPECT_FALSE(fs::exists(shared));
  const auto cells = Cells();
  Reopen();
  EXPECT_EQ(Cells(), cells);
  EXPECT_EQ(ledger().recovery().checkpoints, 4u);
}

TEST_F(CheckpointsTest, ACheckpointBesideThatCannotBeWrittenIsToldByALaterCall) {
  options().save = ledger::SaveCheckpoints::kBeside;
  SaveOneShardACall();
  Crawl(1);
  fs::remove_all(options().checkpoint_folder);
  std::ofstream(options().checkpoint_folder) << "in its way";
  Checkpoint(/*all=*/false);
  EXPECT_FALSE(ledger().Checkpoint(/*all=*/true).ok());
  EXPECT_FALSE(ledger().Checkpoint(/*all=*/true).ok()) << "it is forgotten";
  EXPECT_FALSE(ledger().Commit().ok());
}

TEST_F(CheckpointsTest, ACheckpointOfWhatDidNotChangeWritesNothing) {
  Crawl(3);
  Checkpoint(/*all=*/true);
  const uint64_t writes = store().writes();
  const auto written = fs::last_write_time(CheckpointOf(0));
  Checkpoint(/*all=*/true);
  EXPECT_EQ(store().writes(), writes);
  EXPECT_EQ(fs::last_write_time(CheckpointOf(0)), written);
}

TEST_F(CheckpointsTest, ACheckpointInsideAGroupIsABug) {
  Fetch(0, {1});
  EXPECT_DEATH((void)ledger().Checkpoint(true), "inside a commit group");
}

}  // namespace
}  // namespace opic
