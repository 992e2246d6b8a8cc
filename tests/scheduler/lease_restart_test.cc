// Hosts on loan, when schedulers, nodes and sessions end, and when shards move.
#include "tests/scheduler/lease_talk.h"
#include "url/page_id.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kShards = 1024;
const absl::Duration kPause = absl::Seconds(1);

ShardId HomeShardOf(const std::string& host) {
  return url::UrlHash(url::ShardBy::kHost, kShards).ShardOfHost(host);
}

class LeaseRestartTest : public LeaseTest {
 protected:
  // The holder asks host "a" for page 1, the home requests for it.
  void LendToHolder() {
    node(kHolder).Offer("a", {1});
    Talk();
    ASSERT_THAT(Ordered(kHolder), ElementsAre(1));
  }
  void LendToHome() {
    node(kHome).Offer("a", {2});
    Talk();
    ASSERT_THAT(Ordered(kHome), ElementsAre(2));
  }
  void Release(const std::string& host) { Release(HomeShardOf(host)); }
  void Release(ShardId shard) {
    node(kHome).released.reset();
    node(kHome).scheduler().Handle(schedule::Release{shard, kShards}, now());
    Talk();
  }
  bool released() { return node(kHome).released.has_value(); }
};

// --- A session anew.

TEST_F(LeaseRestartTest, ALeaseOutlivesASessionWhileItsRequestDoes) {
  LendToHolder();
  Hello(kHolder, {{Page(1), "a"}});
  EXPECT_THAT(Returns(kHolder), IsEmpty());
  node(kHolder).Done(1);
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

TEST_F(LeaseRestartTest, ALeaseWhoseRequestIsGoneGoesBackWithAFullPause) {
  LendToHolder();
  Pass(absl::Seconds(1));
  node(kHome).Offer("a", {2});
  Hello(kHolder);
  EXPECT_EQ(TimeToOrder(kHome), kPause);
}

// The node tells it behind Hello, before the scheduler says anything.
TEST_F(LeaseRestartTest, WhatEndedBetweenTwoSessionsGoesBackWithTheLease) {
  LendToHolder();
  node(kHolder).scheduler().Handle(
      schedule::NodeHello{.node = "n", .fetches_max = 100, .lending = node(kHolder).lending},
      now());
  node(kHolder).Say(1, {.requested = true,
                        .status = 503,
                        .retry_after = absl::Seconds(60),
                        .crawl_delay = absl::Seconds(30)});
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), absl::Seconds(60));
  EXPECT_EQ(node(kHome).Explain("a").delay, absl::Seconds(30));
}

// The home has granted it to the process before, and knows that this one is over.
TEST_F(LeaseRestartTest, ALeaseThatAnswersARequestOfASessionBeforeIsNotUsed) {
  node(kHolder).Offer("a", {1});
  ASSERT_THAT(Requests(kHolder), SizeIs(1));
  const absl::Time requested = now();
  connected_ = false;
  Pass(absl::Seconds(1));
  Hello(kHolder);
  node(kHolder).Offer("a", {1});
  ASSERT_THAT(Requests(kHolder), SizeIs(1));
  Lend("a", 7, requested);
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

// --- The holder's end.

TEST_F(LeaseRestartTest, LoansOfAProcessEndWithIt) {
  LendToHolder();
  node(kHome).Offer("a", {2});
  Pass(absl::Seconds(3));
  NewProcess(kHolder);
  Tell(kHolder, kHome, {});
  EXPECT_EQ(TimeToOrder(kHome), kPause);
}

TEST_F(LeaseRestartTest, LeasesOfAHomesOldProcessAreOver) {
  node(kHolder).Offer("a", {1, 2});
  Talk();
  node(kHolder).Done(1);
  NewProcess(kHome);
  Tell(kHome, kHolder, {});
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

// --- The home's end.

TEST_F(LeaseRestartTest, AHomeThatWasKilledIsQuietUntilAllMustHaveLapsed) {
  LendToHome();
  connected_ = false;
  RestartScheduler(kHome);
  Pass(absl::Seconds(3));
  Hello(kHome);
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), kLapse - absl::Seconds(3) + kPause);
}

TEST_F(LeaseRestartTest, AHomeThatWasKilledIsQuietUntilItsPeersAreClear) {
  LendToHolder();
  NewProcess(kHome);
  RestartScheduler(kHome);
  Hello(kHome);
  node(kHome).Offer("a", {2});
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHome), IsEmpty()) << "the holder asks it";
  node(kHolder).Done(1);
  EXPECT_EQ(TimeToOrder(kHome), kPause);
}

TEST_F(LeaseRestartTest, WhoAsksUnderAForgottenLeaseIsNotClear) {
  LendToHolder();
  NewProcess(kHome);
  RestartScheduler(kHome);
  RestartScheduler(kHolder);
  Hello(kHome);
  Hello(kHolder, {{Page(1), "a"}});
  node(kHome).Offer("a", {2});
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHome), IsEmpty());
  node(kHolder).Done(1);
  EXPECT_EQ(TimeToOrder(kHome), kPause);
}

// It may have been written before the scheduler that was killed has lent something.
TEST_F(LeaseRestartTest, AClearForTheProcessOfASchedulerBeforeDoesNotCount) {
  LendToHolder();
  RestartScheduler(kHome);
  Hello(kHome);
  Tell(kHolder, kHome, {.clear_before = 1});
  node(kHome).Offer("a", {2});
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHome), IsEmpty());
}

TEST_F(LeaseRestartTest, AMessageThatSaysNothingAsksWhetherAllIsClear) {
  Messages(kHolder);
  Tell(kHome, kHolder, {});
  const std::vector<schedule::LeaseMessage> messages = Messages(kHolder);
  ASSERT_THAT(messages, SizeIs(1));
  EXPECT_EQ(messages[0].clear_before, 1u);
}

TEST_F(LeaseRestartTest, AfterACleanStopAHomeLendsAfterAPause) {
  node(kHome).StopCleanly();
  RestartScheduler(kHome);
  Pass(absl::Seconds(5));
  Hello(kHome);
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), kPause) << "what the node asked may have ended just now";
}

TEST_F(LeaseRestartTest, AfterACleanStopAHomeDoesNotLendWhatItsNodeStillAsks) {
  LendToHome();
  node(kHome).StopCleanly();
  RestartScheduler(kHome);
  Hello(kHome, {{Page(2), "a"}});
  node(kHolder).Offer("a", {1});
  Pass(absl::Seconds(8));
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
  node(kHome).Done(2);
  EXPECT_EQ(TimeToOrder(kHolder), kPause);
}

TEST_F(LeaseRestartTest, AStopWithAHostOnLoanIsNotAClean) {
  LendToHolder();
  connected_ = false;
  node(kHome).StopCleanly();
  RestartScheduler(kHome);
  Hello(kHome);
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), kLapse + kPause);
}

TEST_F(LeaseRestartTest, NorIsAStopInTheQuiet) {
  LendToHolder();
  connected_ = false;
  RestartScheduler(kHome);
  node(kHome).StopCleanly();  // before Hello
  RestartScheduler(kHome);
  Hello(kHome);
  node(kHome).StopCleanly();
  RestartScheduler(kHome);
  Hello(kHome);
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), kLapse + kPause);
}

// --- Shards that move.

TEST_F(LeaseRestartTest, AShardLeavesWhenItsHostsAreBack) {
  LendToHolder();
  Release("a");
  Pass(absl::Seconds(5));
  EXPECT_FALSE(released());
  node(kHolder).Done(1);
  Talk();
  ASSERT_TRUE(released());
  const auto hosts = DecodeHosts(node(kHome).released->hosts, now());
  ASSERT_TRUE(hosts.has_value() && hosts->size() == 1);
  EXPECT_EQ(hosts->front().pace.next_allowed, now() + kPause);
}

TEST_F(LeaseRestartTest, AHostThatLeavesIsNotLentAgain) {
  LendToHolder();
  Tell(kHome, kHome, {.sent = now(), .requests = {"a"}});
  node(kHome).scheduler().Handle(schedule::Release{HomeShardOf("a"), kShards}, now());
  Tell(kHolder, kHome, {.sent = now(), .requests = {"a"}});
  node(kHolder).Done(1);
  Talk();
  Pass(absl::Seconds(5));
  for (const schedule::LeaseMessage& message : Messages(kHome))
    EXPECT_THAT(message.leases, IsEmpty());
  EXPECT_TRUE(released());
}

TEST_F(LeaseRestartTest, AShardLeavesWhenNoneOfItsPagesIsAsked) {
  LendToHome();
  ASSERT_NE(Page(2).shard(), HomeShardOf("a"));
  Release(Page(2).shard());
  EXPECT_FALSE(released());
  node(kHome).Done(2);
  Talk();
  EXPECT_TRUE(released());
}

TEST_F(LeaseRestartTest, AShardLeavesWhenNoneOfItsHostsIsAskedForASchedulerBefore) {
  LendToHome();
  node(kHome).StopCleanly();
  RestartScheduler(kHome);
  Hello(kHome, {{Page(2), "a"}});
  Pass(absl::Seconds(5));
  Release("a");
  Pass(absl::Seconds(5));
  EXPECT_FALSE(released());
  node(kHome).Done(2);
  Talk();
  EXPECT_TRUE(released());
}

TEST_F(LeaseRestartTest, NoShardLeavesInTheQuiet) {
  connected_ = false;
  RestartScheduler(kHome);
  Hello(kHome);
  Release("a");
  Pass(kLapse);
  EXPECT_FALSE(released());
  Pass(kPause);
  EXPECT_TRUE(released());
}

TEST_F(LeaseRestartTest, PagesOfAShardThatLeavesAreNotAsked) {
  node(kHome).Offer("a", {2});
  Release(Page(2).shard());
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHome), IsEmpty());
}

// They are offered again: a page that was queued all the time would be asked for twice.
TEST_F(LeaseRestartTest, PagesOfAShardThatIsBackAreAskedOnce) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHome).Offer("a", {2});
  Release(Page(2).shard());
  ASSERT_TRUE(released());
  node(kHome).scheduler().Handle(schedule::Adopt{Page(2).shard(), ""}, now());
  Talk();
  node(kHome).Offer("a", {2});
  node(kHolder).Done(1);
  EXPECT_EQ(TimeToOrder(kHome), kPause);
  node(kHome).Done(2);
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHome), ElementsAre(2));
}

}  // namespace
}  // namespace opic::scheduler
