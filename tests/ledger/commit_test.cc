// A commit group is one atomic synced write (src/ledger/commit.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_crawl.h"

namespace opic {
namespace {

class CommitTest : public testing::Test, protected SmallCrawl {
 protected:
  CommitTest() : SmallCrawl("") {
    EXPECT_TRUE(Open().ok());
    Seed({0, 1, 2});
    Commit();
  }
};

TEST_F(CommitTest, IsOneSyncedWrite) {
  const uint64_t writes = store().writes(), synced = store().synced_writes();
  Fetch(0, {3, 4, 5});
  Fetch(1, {0});
  Commit();
  EXPECT_EQ(store().writes(), writes + 1);
  EXPECT_EQ(store().synced_writes(), synced + 1);
}

TEST_F(CommitTest, NumbersRecordsWithoutGaps) {
  for (uint64_t n : {0, 1, 2}) {
    Fetch(n, {n + 10});
    EXPECT_EQ(ledger().Commit().value(), n + 2);
  }
}

TEST_F(CommitTest, OfAnEmptyGroupWritesNothing) {
  CrashingStore store;
  const ledger::Charter charter = Charter();
  auto ledger = ledger::Ledger::Open({}, store, &charter).value();
  const uint64_t writes = store.writes();
  EXPECT_EQ(ledger->Commit().value(), 0u);
  EXPECT_EQ(store.writes(), writes);
}

TEST_F(CommitTest, AFullDiskIsAnErrorThatStays) {
  Fetch(0, {3});
  store().FillDisk(true);
  EXPECT_TRUE(absl::IsResourceExhausted(ledger().Commit().status()));
  store().FillDisk(false);
  EXPECT_TRUE(absl::IsResourceExhausted(ledger().Commit().status()));
  EXPECT_TRUE(absl::IsResourceExhausted(ledger().Checkpoint(true)));
  books().ForgetGroup();
  Reopen();
  EXPECT_FALSE(Knows(3));
}

TEST_F(CommitTest, AFailedReadRecordsNothing) {
  store().CrashAt(1, CrashingStore::When::kBefore);
  EXPECT_FALSE(ledger().Record({Fetched(0, {3})}).ok());
  store().CancelCrash();
  const uint64_t before = ledger().log_number();
  EXPECT_EQ(ledger().Commit().value(), before);
  EXPECT_TRUE(ledger().books().Balanced());
}

TEST_F(CommitTest, ACrashBeforeTheSyncLosesTheWholeGroupOrNothing) {
  base::Rng rng(5);
  int lost = 0, kept = 0;
  for (uint64_t n = 10; n < 40; ++n) {
    Fetch(n % 3, {n});
    store().CrashAt(1, CrashingStore::When::kBefore);
    EXPECT_FALSE(ledger().Commit().ok());
    store().Reboot(rng);
    ASSERT_TRUE(Open().ok());
    ++(Knows(n) ? kept : lost);
    if (Knows(n)) books().Enter(ledger().log_number(), store());
    books().ForgetGroup();
    books().Compare(ledger(), store());
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(kept, 0);
}

TEST_F(CommitTest, OfALedgerOpenedForReadingIsABug) {
  options().read_only = true;
  ASSERT_TRUE(Open().ok());
  EXPECT_DEATH((void)ledger().Commit(), "opened for reading");
}

TEST(CommitGroup, ThatWasClearedHasNothingButRoom) {
  ledger::CommitGroup group;
  group.visits.emplace_back();
  group.credits.assign(100, {});
  group.reopened.emplace_back();
  group.departures.emplace_back();
  group.chunks.emplace_back();
  group.moved.emplace_back();
  group.discovered[PageId()] = {};
  group.named[PageId()] = {};
  group.rows[PageId()] = {};
  group.fetched = true;
  group.brought = 1;
  group.notes.assign(100, {"key", "row"});
  group.Clear();
  EXPECT_TRUE(group.empty());
  EXPECT_TRUE(group.chunks.empty() && group.notes.empty());
  EXPECT_TRUE(group.discovered.empty() && group.named.empty() && group.rows.empty());
  EXPECT_FALSE(group.fetched);
  EXPECT_TRUE(group.brought == 0);
  EXPECT_GE(group.credits.capacity(), 100u);
  EXPECT_GE(group.notes.capacity(), 100u);
}

TEST(CommitGroup, ThatWasHugeGivesItsRoomBack) {
  ledger::CommitGroup group;
  group.credits.resize(ledger::CommitGroup::kRoomMax + 1);
  group.notes.resize(ledger::CommitGroup::kRoomMax + 1);
  group.Clear();
  EXPECT_EQ(group.credits.capacity(), 0u);
  EXPECT_EQ(group.notes.capacity(), 0u);
}

TEST_F(CommitTest, PaysNothingOfTheGroupBefore) {
  Fetch(0, {3, 4, 5});
  Commit();
  Fetch(1, {6});
  Commit();
  EXPECT_EQ(JournalRecord(ledger().log_number()).credits.size(), 1u);
  EXPECT_EQ(JournalRecord(ledger().log_number()).credits[0].page, Page(6));
}

// When the account cannot bear every draw going up, the record says so and is replayed so.
TEST_F(CommitTest, RoundsDownWhileTheVirtualPageIsPoor) {
  const page_table::Credit credit{Page(1), cash::Amount(1000)};
  ledger::Books books(4, cash::Amount(1000));
  EXPECT_EQ(books.RoundingFor({credit}, {}), ledger::Rounding::kUnbiased);
  books.TakeFromVirtualPage(cash::Amount(1000));
  EXPECT_EQ(books.RoundingFor({credit}, {}), ledger::Rounding::kDown);
}

}  // namespace
}  // namespace opic
