// Hosts whose shard moves from one node to another, and so from one scheduler to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/host_state.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kShards = 1024;

ShardId ShardOf(const std::string& host) {
  return url::UrlHash(url::ShardBy::kHost, kShards).ShardOfHost(host);
}

class MovingHostsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    from_.Hello(100);
    to_.Hello(100);
  }
  void Release(const std::string& host) {
    from_.scheduler().Handle(schedule::Release{ShardOf(host), kShards}, from_.now);
  }
  // What the first scheduler told of the hosts of the shard is told to the second.
  void Adopt() {
    ASSERT_TRUE(from_.released.has_value());
    to_.scheduler().Handle(schedule::Adopt{from_.released->shard, from_.released->hosts}, to_.now);
    to_.Tick();
  }

  std::unique_ptr<store::Store> from_store_ = NewMemoryStore();
  std::unique_ptr<store::Store> to_store_ = NewMemoryStore();
  NodeTalk from_{*from_store_}, to_{*to_store_};
};

TEST_F(MovingHostsTest, AHostThatNothingIsAskedOfIsLetGoAtOnce) {
  from_.Offer("a", {1, 2});
  Release("a");
  EXPECT_THAT(from_.Ordered(), IsEmpty());
  EXPECT_EQ(from_.released->shard, ShardOf("a"));
  EXPECT_EQ(from_.status().queued, 0u);
}

TEST_F(MovingHostsTest, AHostIsNotLetGoWhileItIsFetchedFrom) {
  from_.Offer("a", {1, 2});
  from_.Tick();
  Release("a");
  EXPECT_THAT(from_.Ordered(), IsEmpty());
  EXPECT_FALSE(from_.released.has_value());
  from_.Done(1);
  EXPECT_THAT(from_.Ordered(), IsEmpty()) << "the second page goes with its shard";
  EXPECT_TRUE(from_.released.has_value());
}

TEST_F(MovingHostsTest, APageThatFailsMeanwhileIsNotTriedAgainHere) {
  from_.Offer("a", {1});
  from_.Tick();
  Release("a");
  from_.Silent(1);
  EXPECT_EQ(from_.TimeToNextOrder(), std::nullopt);
  EXPECT_TRUE(from_.released.has_value());
}

TEST_F(MovingHostsTest, OtherHostsGoOn) {
  ASSERT_NE(ShardOf("a"), ShardOf("b"));
  from_.Offer("a", {1});
  from_.Offer("b", {2});
  Release("a");
  EXPECT_THAT(from_.Ordered(), ElementsAre(2));
}

TEST_F(MovingHostsTest, HostsThatWaitForTheirAddressLeaveTheLine) {
  Options options;
  options.per_address_max = 1;
  from_.Reconfigure(options);
  from_.Hello(100);
  for (const auto& [host, page] : {std::pair{"a", 1}, {"b", 2}, {"c", 3}}) {
    from_.Offer(host, {static_cast<uint64_t>(page)});
    from_.Tick();
    from_.Done(static_cast<uint64_t>(page), "192.0.2.1");
  }
  from_.now += absl::Seconds(10);
  for (const auto& [host, page] : {std::pair{"a", 11}, {"b", 12}, {"c", 13}}) {
    from_.Offer(host, {static_cast<uint64_t>(page)});
  }
  EXPECT_THAT(from_.Ordered(), ElementsAre(11));
  Release("b");
  from_.Done(11, "192.0.2.1");
  EXPECT_THAT(from_.Ordered(), ElementsAre(13));
  from_.Done(13, "192.0.2.1");
  EXPECT_EQ(from_.TimeToNextOrder(), std::nullopt);
}

TEST_F(MovingHostsTest, ThePauseThatIsLeftGoesAlong) {
  from_.Offer("a", {1});
  from_.Tick();
  from_.Busy(1, /*retry_after=*/absl::Seconds(90));
  from_.now += absl::Seconds(30);
  Release("a");
  from_.Tick();
  to_.now += absl::Hours(5);  // clocks differ
  Adopt();
  to_.Offer("a", {1});
  EXPECT_EQ(to_.TimeToNextOrder(), absl::Seconds(60));
}

TEST_F(MovingHostsTest, WhatIsAdoptedSurvivesARestart) {
  from_.Offer("a", {1});
  from_.Tick();
  from_.Busy(1, /*retry_after=*/absl::Seconds(90));
  Release("a");
  from_.Tick();
  Adopt();
  EXPECT_EQ(to_.adopted, ShardOf("a"));
  to_.Restart({});
  to_.Hello(100);
  to_.Offer("a", {1});
  EXPECT_EQ(to_.TimeToNextOrder(), absl::Seconds(90));
}

// The scheduler was killed with -9; what it had asked just before is known to nobody.
TEST_F(MovingHostsTest, AfterACrashNoShardIsLetGoBeforeItsHostsHaveWaited) {
  from_.Restart({});
  from_.Hello(100);
  Release("a");
  from_.Tick();
  EXPECT_FALSE(from_.released.has_value());
  EXPECT_LE(from_.scheduler().next_wake(), from_.now + absl::Seconds(1)) << "asked again by nobody";
  from_.now += absl::Seconds(1);
  from_.Tick();
  EXPECT_TRUE(from_.released.has_value());
}

// Which host was asked last is not known: it may be the one of the shard with the longest delay.
TEST_F(MovingHostsTest, AfterACrashAShardWaitsForTheLongestDelayOfARule) {
  const auto released_after = [this](const schedule::HostRule& rule) {
    from_.Restart({});
    from_.Hello(100);
    from_.scheduler().Handle(schedule::Rules{.rules = {rule}}, from_.now);
    from_.released.reset();
    Release("a");
    const absl::Time begin = from_.now;
    for (from_.Tick(); !from_.released && from_.now < begin + absl::Hours(1); from_.Tick())
      from_.now = std::max(from_.now + absl::Milliseconds(1), from_.scheduler().next_wake());
    return from_.now - begin;
  };
  EXPECT_EQ(released_after({.name = "a", .delay = absl::Seconds(30)}), absl::Seconds(30));
  EXPECT_EQ(released_after({.name = "test", .domain = true, .delay = absl::Seconds(20)}),
            absl::Seconds(20));
  ASSERT_NE(ShardOf("b"), ShardOf("a"));
  EXPECT_EQ(released_after({.name = "b", .delay = absl::Hours(6)}), absl::Seconds(1))
      << "it is of another shard";
}

TEST_F(MovingHostsTest, AfterACrashAStoredHostWaitsItsCrawlDelayWhereverItIs) {
  from_.Offer("a", {1});
  from_.Tick();
  from_.Say(1, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(9)});
  from_.now += absl::Seconds(8);  // it is stored, and may have been asked once more before the end
  from_.Tick();
  from_.Restart({});
  from_.Hello(100);
  from_.now += absl::Seconds(2);
  Release("a");
  from_.Tick();
  Adopt();
  to_.Offer("a", {1});
  EXPECT_EQ(to_.TimeToNextOrder(), absl::Seconds(7));
}

TEST_F(MovingHostsTest, DamagedHostsAreTakenForUnknownOnes) {
  to_.scheduler().Handle(schedule::Adopt{ShardId{5}, "no hosts at all"}, to_.now);
  to_.Tick();
  EXPECT_EQ(to_.adopted, ShardId{5});
}

TEST(EncodedHosts, IsCutToItsBound) {
  const absl::Time now = absl::FromUnixSeconds(1'000'000'000);
  std::vector<HostState> hosts(100);
  for (size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].name = "host" + std::to_string(i);
    hosts[i].pace.next_allowed = now + absl::Seconds(static_cast<int64_t>(i));
  }
  const std::string encoded = EncodeHosts(hosts, now, 500);
  EXPECT_LE(encoded.size(), 500u);
  const auto kept = DecodeHosts(encoded, now);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->front().name, "host99") << "who must wait longest is told first";
}

}  // namespace
}  // namespace opic::scheduler
