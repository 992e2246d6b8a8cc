// What survives the end of the process, and what does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "scheduler/budget_memory.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/own_path.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;

class RestartTest : public ::testing::Test {
 protected:
  size_t Rows(store::Table table) {
    size_t rows = 0;
    for (auto cursor = store_->Scan(table, ""); cursor->Valid(); cursor->Next()) ++rows;
    return rows;
  }
  // Lets the scheduler save and acknowledge.
  void PassASecond() {
    node_.now += absl::Seconds(1);
    node_.Tick();
  }
  void RestartAndOffer(const std::string& host, uint64_t page) {
    node_.Restart({});
    node_.Hello(10);
    node_.Offer(host, {page});
  }
  // By one request without an answer.
  void GiveUpHostA() {
    node_.Restart({.host_failures_max = 1});
    node_.Hello(1);
    node_.Offer("a", {1});
    node_.NextPage();
    node_.Silent(1);
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(RestartTest, ANewStoreNeedsNoWait) {
  node_.Hello(1);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::ZeroDuration());
}

TEST_F(RestartTest, AfterACrashEveryHostWaitsItsFullDelayFromTheStartOn) {
  RestartAndOffer("a", 1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

// What an operator has set wins over what the program is started with.
TEST_F(RestartTest, ABudgetHoldsOverRestarts) {
  ASSERT_TRUE(node_.scheduler().SetBudget(std::nullopt, absl::Seconds(7)).ok());
  ASSERT_TRUE(node_.scheduler().SetBudget(0.5, std::nullopt).ok());
  for (int times = 0; times < 2; ++times) {
    RestartAndOffer("a", 1);
    EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(7));
  }
  const auto budget = RecallBudget(*store_);
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_EQ(budget->pages_per_s, 0.5);
  EXPECT_EQ(budget->delay, absl::Seconds(7));
}

class StoreOnAFullDisk final : public ForwardingStore {
 public:
  bool full = false;
  absl::Status Write(const store::Batch& batch, store::Sync sync) override {
    if (full) return absl::ResourceExhaustedError("no space left on device");
    return ForwardingStore::Write(batch, sync);
  }
};

// It was in force until the next start, and nobody but the log was told.
TEST(FullDiskTest, ABudgetThatCannotBeKeptIsRefusedAsAWhole) {
  StoreOnAFullDisk store;
  NodeTalk node(store);
  ASSERT_TRUE(node.scheduler().SetBudget(0.5, std::nullopt).ok());
  store.full = true;
  EXPECT_TRUE(absl::IsResourceExhausted(node.scheduler().SetBudget(2, absl::Seconds(7))));
  store.full = false;
  for (int times = 0; times < 2; ++times) {
    const SchedulerStatus now = node.scheduler().status(node.now);
    EXPECT_EQ(now.pages_per_s_max, 0.5);
    EXPECT_FALSE(now.delay_was_set);
    node.Restart({});
  }
}

TEST_F(RestartTest, ADamagedBudgetIsNotTakenForNone) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "scheduler.budget", "short");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  EXPECT_TRUE(absl::IsDataLoss(RecallBudget(*store_).status()));
}

TEST_F(RestartTest, AfterACrashAHostWaitsItsOwnCrawlDelay) {
  node_.Hello(1);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Say(1, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(9)});
  PassASecond();
  RestartAndOffer("a", 2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(9));
}

TEST_F(RestartTest, AfterACrashARetryAfterStillHolds) {
  node_.Hello(1);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Busy(1, absl::Minutes(10));
  PassASecond();
  RestartAndOffer("a", 2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Minutes(10) - absl::Seconds(1));
}

TEST_F(RestartTest, AfterACleanStopAHostWaitsOnlyTheRestOfItsDelay) {
  node_.Hello(1);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Done(1);
  node_.now += absl::Milliseconds(400);
  node_.StopCleanly();
  RestartAndOffer("a", 2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(600));
}

// It may have ended while nobody was there to hear it.
TEST_F(RestartTest, AStopWithAnOpenOrderIsNotClean) {
  node_.Hello(1);
  node_.Offer("a", {1});
  ASSERT_EQ(node_.NextPage(), 1u);
  node_.now += absl::Minutes(1);
  node_.StopCleanly();
  node_.now += absl::Minutes(1);
  RestartAndOffer("a", 2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

// Who was asked before the crash is not in memory.
TEST_F(RestartTest, AStopSoonAfterACrashIsNotClean) {
  node_.Hello(1);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Done(1);
  node_.Restart({});
  node_.Hello(1);
  node_.StopCleanly();
  RestartAndOffer("a", 2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

// Else a host with a long delay would never be asked: each start would begin its wait anew.
TEST_F(RestartTest, HostsWaitFromTheStartBehindTheCrashHoweverOftenItIsStopped) {
  Options options;
  options.delay = absl::Minutes(7);
  node_.Restart(options);  // after a crash
  for (int stop = 0; stop < 3; ++stop) {
    node_.Hello(1);
    node_.now += absl::Minutes(2);
    node_.StopCleanly();
    node_.Restart(options);
  }
  node_.Hello(1);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Minutes(1));
}

TEST_F(RestartTest, AKillInBetweenBeginsTheWaitAnew) {
  Options options;
  options.delay = absl::Minutes(7);
  node_.Restart(options);
  node_.Hello(1);
  node_.now += absl::Minutes(2);
  node_.StopCleanly();
  node_.Restart(options);
  node_.Restart(options);
  node_.Hello(1);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Minutes(7));
}

TEST_F(RestartTest, TheCleanStopMarkCountsOnce) {
  node_.StopCleanly();
  RestartAndOffer("a", 1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::ZeroDuration());
  RestartAndOffer("a", 1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(RestartTest, AHostGivenUpStaysGivenUp) {
  GiveUpHostA();
  PassASecond();
  RestartAndOffer("a", 2);
  EXPECT_TRUE(node_.Tick().at(0).host_given_up);
}

TEST_F(RestartTest, UntilSomebodyWantsItTriedAgainAndThenForGood) {
  GiveUpHostA();
  node_.now += absl::Hours(1);
  node_.StopCleanly();
  node_.Restart({.host_failures_max = 1});
  node_.scheduler().Handle(schedule::NodeHello{.node = "n", .given_up_again = 7}, node_.now);
  RestartAndOffer("a", 2);  // it was not in memory
  ASSERT_EQ(node_.NextPage(), 2u);
  EXPECT_FALSE(node_.last_orders.at(0).host_given_up);
}

// A node says the same for as long as it remembers it; the host failed since.
TEST_F(RestartTest, ButNotAgainForTheSameWish) {
  const auto wish = [this](uint64_t told) {
    node_.scheduler().Handle(schedule::NodeHello{.node = "n", .given_up_again = told}, node_.now);
  };
  GiveUpHostA();
  node_.now += absl::Hours(1);
  wish(7);
  node_.Hello(1);
  node_.Offer("a", {2});
  ASSERT_EQ(node_.NextPage(), 2u);
  node_.Silent(2);
  node_.now += absl::Hours(1);
  node_.StopCleanly();
  node_.Restart({.host_failures_max = 1});
  wish(7);
  RestartAndOffer("a", 3);
  EXPECT_TRUE(node_.Tick().at(0).host_given_up);
}

TEST_F(RestartTest, TheSpillOfADeadProcessIsForgotten) {
  node_.Restart({.queued_in_memory_max = 1});
  node_.Hello(0);
  node_.Offer("a", {1, 2, 3, 4});
  EXPECT_GT(Rows(store::Table::kSpill), 0u);
  node_.Restart({});
  EXPECT_EQ(Rows(store::Table::kSpill), 0u);
}

// The same over RocksDB, whose range deletions the spill relies on.
TEST(RocksRestartTest, SpilledPagesComeBackInOrderAndHostsSurvive) {
  const std::string folder = support::OwnPath("scheduler");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto store = store::OpenRocksStore(folder + "/scheduler", {});
  ASSERT_TRUE(store.ok()) << store.status();
  NodeTalk node(**store, {.delay = absl::ZeroDuration(), .queued_in_memory_max = 4});
  node.Hello(1);
  for (uint64_t page = 1; page <= 50; ++page) node.Offer("a", {page}, page * 37 % 50);
  EXPECT_GT(node.status().queued_on_disk, 40u);
  for (uint64_t cash = 50; cash-- > 0;) {
    const uint64_t page = node.NextPage();
    EXPECT_EQ(page * 37 % 50, cash);
    node.Say(page, {.requested = true, .status = 200, .crawl_delay = absl::Milliseconds(1)});
  }
  node.now += absl::Seconds(1);
  node.Tick();
  node.Restart({});
  EXPECT_TRUE(node.Explain("a").known);
  EXPECT_FALSE(node.Explain("b").known);
}

TEST_F(RestartTest, OnlyHostsWithSomethingToRememberHaveARow) {
  node_.Hello(10);
  node_.Offer("plain", {1});
  node_.Offer("slow", {2});
  node_.Tick();
  node_.Done(1);
  node_.Say(2, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(9)});
  PassASecond();
  EXPECT_EQ(Rows(store::Table::kHost), 1u);
}

TEST_F(RestartTest, IdleHostsLeaveMemoryAtOnceAndTheStoreAfterADay) {
  node_.Hello(10);
  node_.Offer("plain", {1});
  node_.Offer("slow", {2});
  node_.Tick();
  node_.Done(1);
  node_.Say(2, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(9)});
  PassASecond();
  node_.now += absl::Minutes(11);
  node_.Tick();
  EXPECT_EQ(node_.status().hosts, 0u);
  EXPECT_EQ(node_.Explain("slow").delay, absl::Seconds(9));
  node_.now += absl::Hours(25);
  ASSERT_TRUE(node_.scheduler().Save(node_.now, false).ok());
  EXPECT_EQ(Rows(store::Table::kHost), 0u);
}

TEST_F(RestartTest, AHostReadAgainFromTheStoreKeepsItsCrawlDelay) {
  node_.Hello(10);
  node_.Offer("slow", {1});
  node_.Tick();
  node_.Say(1, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(9)});
  PassASecond();
  node_.now += absl::Minutes(11);
  node_.Tick();
  node_.Offer("slow", {2, 3});
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
  node_.Done(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(9));
}

TEST_F(RestartTest, AStoreOfAnotherFormatIsRefused) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "scheduler.format", "opic scheduler 99");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  const auto opened = Scheduler::Open({}, *store_, node_.now);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RestartTest, AStoreOfSomethingElseIsRefused) {
  const auto other = NewMemoryStore();
  store::Batch batch;
  batch.Put(store::Table::kMeta, "ledger", "x");
  ASSERT_TRUE(other->Write(batch, store::Sync::kYes).ok());
  const auto opened = Scheduler::Open({}, *other, node_.now);
  EXPECT_EQ(opened.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(RestartTest, ADamagedRowCostsTheHostAFullPause) {
  node_.StopCleanly();
  store::Batch batch;
  batch.Put(store::Table::kHost, "a", "\xff");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  RestartAndOffer("a", 1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

}  // namespace
}  // namespace opic::scheduler
