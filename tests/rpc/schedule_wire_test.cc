#include "rpc/schedule_wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "opic/v1/session.pb.h"

namespace opic::rpc {
namespace {

const PageId kPage(ShardId{7}, 12'345);
constexpr uint64_t kNoPage = uint64_t{1} << kPageIdBits;  // a bit between id and shard

template <typename Wire, typename Message>
auto ThereAndBack(const Message& message) {
  Wire wire;
  ToWire(message, &wire);
  Wire read;
  EXPECT_TRUE(read.ParseFromString(wire.SerializeAsString()));
  return FromWire(read);
}

template <typename Kind>
Kind ToSchedulerAndBack(const Kind& message) {
  const auto read = ThereAndBack<v1::ToScheduler>(schedule::ToScheduler(message));
  return read ? std::get<Kind>(*read) : (ADD_FAILURE() << "not read", Kind());
}
template <typename Kind>
Kind ToNodeAndBack(const Kind& message) {
  const auto read = ThereAndBack<v1::ToNode>(schedule::ToNode(message));
  return read ? std::get<Kind>(*read) : (ADD_FAILURE() << "not read", Kind());
}

TEST(ScheduleWireTest, Hello) {
  const auto read = ToSchedulerAndBack(schedule::NodeHello{"node 1", {{kPage, "a.test"}}, 64});
  EXPECT_EQ(read.node, "node 1");
  EXPECT_EQ(read.fetches_max, 64u);
  ASSERT_EQ(read.in_flight.size(), 1u);
  EXPECT_EQ(read.in_flight[0].page, kPage);
  EXPECT_EQ(read.in_flight[0].host, "a.test");
}

TEST(ScheduleWireTest, ThatHostsGivenUpAreTriedAgain) {
  const uint64_t told = ~uint64_t{1};
  EXPECT_EQ(ToSchedulerAndBack(schedule::NodeHello{.given_up_again = told}).given_up_again, told);
  EXPECT_EQ(ToSchedulerAndBack(schedule::Rules{.given_up_again = told}).given_up_again, told);
}

TEST(ScheduleWireTest, LendingOfAHello) {
  EXPECT_FALSE(ToSchedulerAndBack(schedule::NodeHello{"node 1", {}, 64}).lending);
  schedule::NodeHello hello{"node 1", {}, 64};
  hello.lending = schedule::Lending{NodeId{3}, 4, ~uint64_t{1}, absl::Seconds(60)};
  const auto read = ToSchedulerAndBack(hello).lending;
  ASSERT_TRUE(read);
  EXPECT_EQ(read->self, NodeId{3});
  EXPECT_EQ(read->nodes, 4u);
  EXPECT_EQ(read->process, ~uint64_t{1});
  EXPECT_EQ(read->request_time_max, absl::Seconds(60));
}

schedule::LeaseMessage SomeLeaseMessage() {
  schedule::LeaseMessage message;
  message.peer = NodeId{2};
  message.cluster_id = 5;
  message.process = 6;
  message.sent = absl::FromUnixMicros(1'234'567);
  message.requests = {"a.test", "b.test"};
  message.leases = {{"c.test", 9, absl::FromUnixMicros(77), absl::Seconds(12), "pace", "robots"}};
  message.returns = {{"d.test", 10, "other pace", "other robots"}};
  message.clear_before = 8;
  return message;
}

void ExpectSomeLeaseMessage(const schedule::LeaseMessage& read) {
  EXPECT_EQ(read.peer, NodeId{2});
  EXPECT_EQ(read.cluster_id, 5u);
  EXPECT_EQ(read.process, 6u);
  EXPECT_EQ(read.sent, absl::FromUnixMicros(1'234'567));
  EXPECT_EQ(read.requests, (std::vector<std::string>{"a.test", "b.test"}));
  ASSERT_EQ(read.leases.size(), 1u);
  EXPECT_EQ(read.leases[0].host, "c.test");
  EXPECT_EQ(read.leases[0].id, 9u);
  EXPECT_EQ(read.leases[0].requested, absl::FromUnixMicros(77));
  EXPECT_EQ(read.leases[0].term, absl::Seconds(12));
  EXPECT_EQ(read.leases[0].pace, "pace");
  EXPECT_EQ(read.leases[0].robots, "robots");
  ASSERT_EQ(read.returns.size(), 1u);
  EXPECT_EQ(read.returns[0].host, "d.test");
  EXPECT_EQ(read.returns[0].id, 10u);
  EXPECT_EQ(read.returns[0].pace, "other pace");
  EXPECT_EQ(read.returns[0].robots, "other robots");
  EXPECT_EQ(read.clear_before, 8u);
}

TEST(ScheduleWireTest, LeaseMessagesInBothDirections) {
  ExpectSomeLeaseMessage(ToSchedulerAndBack(SomeLeaseMessage()));
  ExpectSomeLeaseMessage(ToNodeAndBack(SomeLeaseMessage()));
  EXPECT_FALSE(ToNodeAndBack(schedule::LeaseMessage()).peer) << "for the homes of its requests";
}

TEST(ScheduleWireTest, GroupsOfHosts) {
  const schedule::HostGroup farm{.name = "farm",
                                 .delay = absl::Milliseconds(1500),
                                 .share = 0.25,
                                 .parallel = 7,
                                 .hosts = {"a.test", "b.test"},
                                 .domains = {"c.test"}};
  for (const std::vector<schedule::HostGroup>& told :
       {ToSchedulerAndBack(schedule::Rules{{}, {farm}}).groups,
        ToSchedulerAndBack(schedule::NodeHello{.node = "n", .groups = {farm}}).groups}) {
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].name, "farm");
    EXPECT_EQ(told[0].delay, farm.delay);
    EXPECT_EQ(told[0].share, 0.25);
    EXPECT_EQ(told[0].parallel, 7u);
    EXPECT_EQ(told[0].hosts, farm.hosts);
    EXPECT_EQ(told[0].domains, farm.domains);
  }
  v1::ToScheduler wrong;
  v1::PacedGroup& group = *wrong.mutable_rules()->add_groups();
  group.set_name("farm");
  EXPECT_TRUE(FromWire(wrong));
  group.set_delay_us(-1);
  EXPECT_FALSE(FromWire(wrong));
  group.set_delay_us(0);
  for (double share : {-0.1, 1.1, std::nan("")}) {
    group.set_share(share);
    EXPECT_FALSE(FromWire(wrong)) << share;
  }
  group.set_share(1);
  EXPECT_TRUE(FromWire(wrong));
  group.set_parallel(101);
  EXPECT_FALSE(FromWire(wrong));
  group.set_parallel(100);
  EXPECT_TRUE(FromWire(wrong));
  group.clear_delay_us();
  EXPECT_FALSE(std::get<schedule::Rules>(*FromWire(wrong)).groups[0].delay);
  for (size_t n = 0; n <= schedule::kHostRulesMax; ++n) group.add_hosts("a");
  EXPECT_FALSE(FromWire(wrong)) << "more than a node has";
}

TEST(ScheduleWireTest, PlacesInAClusterAreSaid) {
  const schedule::ClusterPlace third{.self = 2, .nodes = 4};
  EXPECT_EQ(ToSchedulerAndBack(schedule::Rules{{}, {}, third}).place, third);
  EXPECT_EQ(ToSchedulerAndBack(schedule::NodeHello{.node = "n", .place = third}).place, third);
  v1::ToScheduler older;
  older.mutable_rules();
  EXPECT_EQ(std::get<schedule::Rules>(*FromWire(older)).place, schedule::ClusterPlace());
  older.mutable_rules()->mutable_place()->set_self(1);
  EXPECT_FALSE(FromWire(older));
  older.mutable_rules()->mutable_place()->set_nodes(1);
  EXPECT_FALSE(FromWire(older)) << "no such node";
  older.mutable_rules()->mutable_place()->set_nodes(1 << 20);
  EXPECT_FALSE(FromWire(older)) << "more than there can be";
}

TEST(ScheduleWireTest, RulesForHosts) {
  const std::vector<schedule::HostRule> rules = {
      {.name = "a.test", .blocked = true},
      {.name = "b.test", .domain = true, .delay = absl::Milliseconds(1500)},
      {.name = "c.test", .delay = absl::ZeroDuration()},
      {.name = "d.test", .pages = 0, .bytes = schedule::kBudgetMax},
      {.name = "e.test", .blocked = true, .from_file = schedule::HostRule::kBlock},
      {.name = "f.test", .parallel = schedule::kParallelMax}};
  EXPECT_EQ(ToSchedulerAndBack(schedule::Rules{rules}).rules, rules);
  EXPECT_EQ(ToSchedulerAndBack(schedule::NodeHello{.node = "n", .rules = rules}).rules, rules);
  EXPECT_TRUE(ToSchedulerAndBack(schedule::Rules()).rules.empty());
  v1::ToScheduler unknown;  // fields of a later release
  unknown.mutable_rules()->add_rules()->set_name("a.test");
  unknown.mutable_rules()->mutable_rules(0)->set_from_file(0xffe2);
  const auto known = FromWire(unknown);
  ASSERT_TRUE(known);
  EXPECT_EQ(std::get<schedule::Rules>(*known).rules[0].from_file, schedule::HostRule::kDelay);
  v1::ToScheduler nameless;
  nameless.mutable_rules()->add_rules()->set_blocked(true);
  EXPECT_FALSE(FromWire(nameless));
  v1::ToScheduler boundless;
  v1::HostRule* rule = boundless.mutable_rules()->add_rules();
  rule->set_name("a.test");
  rule->set_pages(schedule::kBudgetMax + 1);
  EXPECT_FALSE(FromWire(boundless));
  rule->clear_pages();
  rule->set_bytes(schedule::kBudgetMax + 1);
  EXPECT_FALSE(FromWire(boundless));
  rule->clear_bytes();
  rule->set_parallel(schedule::kParallelMax + 1);
  EXPECT_FALSE(FromWire(boundless));
}

TEST(ScheduleWireTest, AnOutcomeSaysThatItsHostIsPastItsBudget) {
  schedule::Outcome outcome{.page = kPage, .host = "a.test"};
  outcome.result = schedule::Result::kPostponed;
  outcome.over_budget = std::string(schedule::kOverBudgetBytesMax, 'x');
  EXPECT_EQ(ToSchedulerAndBack(outcome).over_budget, outcome.over_budget);
  outcome.over_budget += 'x';
  v1::ToScheduler wire;
  ToWire(schedule::ToScheduler(outcome), &wire);
  EXPECT_FALSE(FromWire(wire)) << "longer than any";
}

TEST(ScheduleWireTest, Withheld) { EXPECT_EQ(ToNodeAndBack(schedule::Withheld{7}).pages, 7u); }

TEST(ScheduleWireTest, Capacity) {
  EXPECT_EQ(ToSchedulerAndBack(schedule::Capacity{9}), schedule::Capacity{9});
  const schedule::Capacity lost{.without_network = true};
  EXPECT_EQ(ToSchedulerAndBack(lost), lost);
  const schedule::Capacity lent{.fetches_max = 3, .rate_factor = 0.25, .refresh_share = 0.5};
  EXPECT_EQ(ToSchedulerAndBack(lent), lent);
}

TEST(ScheduleWireTest, ARateFactorIsAFiniteNumberAndOneInOlderNodes) {
  v1::ToScheduler wire;
  wire.mutable_capacity()->set_fetches_max(3);
  EXPECT_EQ(std::get<schedule::Capacity>(*FromWire(wire)), schedule::Capacity{3});
  for (double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    wire.mutable_capacity()->set_rate_factor(bad);
    EXPECT_FALSE(FromWire(wire)) << bad;
  }
  wire.mutable_capacity()->clear_rate_factor();
  for (double bad : {-1.0, 1.1, std::nan("")}) {
    wire.mutable_capacity()->set_refresh_share(bad);
    EXPECT_FALSE(FromWire(wire)) << bad;
  }
}

TEST(ScheduleWireTest, Offers) {
  const auto read =
      ToSchedulerAndBack(schedule::Offers{3, {{kPage, "a.test", cash::kSupply}}, true});
  EXPECT_EQ(read.directive, 3u);
  EXPECT_TRUE(read.exhausted);
  ASSERT_EQ(read.offers.size(), 1u);
  EXPECT_EQ(read.offers[0].page, kPage);
  EXPECT_EQ(read.offers[0].host, "a.test");
  EXPECT_EQ(read.offers[0].cash, cash::kSupply);
  EXPECT_EQ(read.offers[0].due, std::nullopt);

  const absl::Time due = absl::FromUnixSeconds(1'800'000'000);
  const auto refresh = ToSchedulerAndBack(schedule::Offers{3, {{kPage, "a.test", {}, true, due}}});
  EXPECT_TRUE(refresh.offers[0].favoured);
  EXPECT_EQ(refresh.offers[0].due, due);
}

TEST(ScheduleWireTest, Outcome) {
  schedule::Outcome outcome;
  outcome.page = kPage;
  outcome.host = "a.test";
  outcome.result = schedule::Result::kPostponed;
  outcome.requested = true;
  outcome.ended = absl::FromUnixMicros(1'700'000'000'123'456);
  outcome.status = 503;
  outcome.network_failure = true;
  outcome.retry_after = absl::Seconds(30);
  outcome.crawl_delay = absl::Milliseconds(1500);
  outcome.address = "127.0.0.1";
  outcome.address_busy = true;
  outcome.no_room = true;
  const schedule::Outcome read = ToSchedulerAndBack(outcome);
  EXPECT_EQ(read.page, outcome.page);
  EXPECT_EQ(read.host, outcome.host);
  EXPECT_EQ(read.result, outcome.result);
  EXPECT_EQ(read.requested, outcome.requested);
  EXPECT_EQ(read.ended, outcome.ended);
  EXPECT_EQ(read.status, outcome.status);
  EXPECT_EQ(read.network_failure, outcome.network_failure);
  EXPECT_EQ(read.retry_after, outcome.retry_after);
  EXPECT_EQ(read.crawl_delay, outcome.crawl_delay);
  EXPECT_EQ(read.address, outcome.address);
  EXPECT_EQ(read.address_busy, outcome.address_busy);
  EXPECT_EQ(read.no_room, outcome.no_room);
}

TEST(ScheduleWireTest, NoCrawlDelayIsNotTheSameAsNoNews) {
  schedule::Outcome outcome{.page = kPage, .host = "a.test"};
  EXPECT_EQ(ToSchedulerAndBack(outcome).crawl_delay, std::nullopt);
  outcome.crawl_delay = absl::ZeroDuration();
  EXPECT_EQ(ToSchedulerAndBack(outcome).crawl_delay, absl::ZeroDuration());
}

TEST(ScheduleWireTest, EveryResultHasItsNumber) {
  for (const auto result :
       {schedule::Result::kDone, schedule::Result::kTransient, schedule::Result::kPostponed}) {
    schedule::Outcome outcome;
    outcome.result = result;
    EXPECT_EQ(ToSchedulerAndBack(outcome).result, result);
  }
}

TEST(ScheduleWireTest, Directive) {
  for (const auto kind : {schedule::StrategyKind::kThresholdSweep, schedule::StrategyKind::kGreedy,
                          schedule::StrategyKind::kCycle, schedule::StrategyKind::kRandom}) {
    const auto read = ToNodeAndBack(schedule::Directive{5, kind, 4'000});
    EXPECT_EQ(read.id, 5u);
    EXPECT_EQ(read.strategy, kind);
    EXPECT_EQ(read.want, 4'000u);
  }
}

TEST(ScheduleWireTest, Orders) {
  const auto read = ToNodeAndBack(schedule::Orders{{{kPage, true, false}, {kPage, false, true}}});
  ASSERT_EQ(read.orders.size(), 2u);
  EXPECT_EQ(read.orders[0].page, kPage);
  EXPECT_TRUE(read.orders[0].last_attempt);
  EXPECT_FALSE(read.orders[0].host_given_up);
  EXPECT_TRUE(read.orders[1].host_given_up);
}

TEST(ScheduleWireTest, HostsOfAMovingShard) {
  const auto release = ToSchedulerAndBack(schedule::Release{ShardId{9}, 1024});
  EXPECT_EQ(release.shard, ShardId{9});
  EXPECT_EQ(release.shards, 1024u);
  const auto adopt = ToSchedulerAndBack(schedule::Adopt{ShardId{8}, "hosts"});
  EXPECT_EQ(adopt.shard, ShardId{8});
  EXPECT_EQ(adopt.hosts, "hosts");
  const auto released = ToNodeAndBack(schedule::Released{ShardId{7}, "hosts"});
  EXPECT_EQ(released.shard, ShardId{7});
  EXPECT_EQ(released.hosts, "hosts");
  EXPECT_EQ(ToNodeAndBack(schedule::Adopted{ShardId{6}}).shard, ShardId{6});
}

// The release before has no other word for them than 0.
TEST(ScheduleWireTest, TheFirstValuesOfEnumsMayBeToldAsZero) {
  for (const auto result : {v1::OUTCOME_RESULT_UNSPECIFIED, v1::OUTCOME_RESULT_DONE}) {
    v1::ToScheduler wire;
    wire.mutable_outcome()->set_result(result);
    const auto read = FromWire(wire);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(std::get<schedule::Outcome>(*read).result, schedule::Result::kDone);
    ToWire(*read, &wire);
    EXPECT_EQ(wire.outcome().result(), v1::OUTCOME_RESULT_UNSPECIFIED);
  }
  for (const auto strategy : {v1::STRATEGY_UNSPECIFIED, v1::STRATEGY_THRESHOLD_SWEEP}) {
    v1::ToNode wire;
    wire.mutable_directive()->set_strategy(strategy);
    const auto read = FromWire(wire);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(std::get<schedule::Directive>(*read).strategy,
              schedule::StrategyKind::kThresholdSweep);
    ToWire(*read, &wire);
    EXPECT_EQ(wire.directive().strategy(), v1::STRATEGY_UNSPECIFIED);
  }
}

// Who counted them with 16 bits never came to the end.
// More cash than there is would break what sums it.

}  // namespace
}  // namespace opic::rpc
