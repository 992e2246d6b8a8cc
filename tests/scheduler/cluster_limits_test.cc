// Limits of a whole cluster, of which each of its schedulers keeps its part: of IP addresses, and
// of groups of hosts.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

// Nodes that crawl beside each other, whose requests last as long as `answer`.
class Cluster {
 public:
  Cluster(uint32_t nodes, const Options& options) {
    for (uint32_t n = 0; n < nodes; ++n) {
      stores_.push_back(NewMemoryStore());
      nodes_.push_back(std::make_unique<NodeTalk>(*stores_.back(), options));
      nodes_[n]->Hello(100);
    }
    TellAll({});
  }
  // By `places` nodes; more than there are stand for some that have nothing to ask.
  void TellAll(std::vector<schedule::HostGroup> groups, uint32_t places = 0) {
    const auto nodes = std::max(places, static_cast<uint32_t>(nodes_.size()));
    for (uint32_t n = 0; n < nodes_.size(); ++n)
      nodes_[n]->scheduler().Handle(schedule::Rules{{}, groups, {n, nodes}}, nodes_[n]->now);
  }
  NodeTalk& node(uint32_t n) { return *nodes_[n]; }

  struct Request {
    uint32_t node;
    absl::Time begun, ended;
  };
  // What is asked within `time`.
  const std::vector<Request>& Crawl(absl::Duration time, absl::Duration answer) {
    const absl::Time end = nodes_[0]->now + time;
    while (nodes_[0]->now < end) {
      Step(answer);
      for (auto& node : nodes_) node->now += absl::Milliseconds(100);
    }
    return requests_;
  }
  size_t of(uint32_t node) const {
    return static_cast<size_t>(std::count_if(requests_.begin(), requests_.end(),
                                             [&](const Request& r) { return r.node == node; }));
  }
  size_t MostAtOnce() const {
    size_t most = 0;
    for (const Request& one : requests_) {
      most = std::max(most, static_cast<size_t>(std::count_if(
                                requests_.begin(), requests_.end(), [&](const Request& other) {
                                  return other.begun <= one.begun && one.begun < other.ended;
                                })));
    }
    return most;
  }
  // Between the end of a request and the begin of the next one, wherever.
  absl::Duration ShortestPause() const {
    absl::Duration shortest = absl::InfiniteDuration();
    for (const Request& one : requests_) {
      for (const Request& other : requests_) {
        if (other.begun > one.begun) shortest = std::min(shortest, other.begun - one.ended);
      }
    }
    return shortest;
  }

 private:
  struct UnderWay {
    uint32_t node;
    uint64_t page;
    absl::Time ends;
  };
  void Step(absl::Duration answer) {
    const absl::Time now = nodes_[0]->now;
    std::erase_if(under_way_, [&](const UnderWay& one) {
      if (one.ends > now) return false;
      nodes_[one.node]->Done(one.page, "192.0.2.1");
      return true;
    });
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      for (uint64_t page : nodes_[n]->Ordered()) {
        requests_.push_back({n, now, now + answer});
        under_way_.push_back({n, page, now + answer});
      }
    }
  }

  std::vector<std::unique_ptr<store::Store>> stores_;
  std::vector<std::unique_ptr<NodeTalk>> nodes_;
  std::vector<UnderWay> under_way_;
  std::vector<Request> requests_;
};

// `hosts` of a node each, with many pages.
void OfferHosts(Cluster& cluster, uint32_t node, int hosts) {
  for (int n = 0; n < hosts; ++n) {
    std::vector<uint64_t> pages;
    for (uint64_t page = 0; page < 200; ++page)
      pages.push_back(1'000'000 * (node + 1) + 1000 * static_cast<uint64_t>(n) + page);
    cluster.node(node).Offer(absl::StrCat("host", n, ".node", node, ".test"), pages);
  }
}

// The first page of each host, whose address nobody knows yet.
void LearnAddresses(Cluster& cluster, uint32_t nodes) {
  for (uint32_t n = 0; n < nodes; ++n) {
    for (uint64_t page : cluster.node(n).Ordered()) cluster.node(n).Done(page, "192.0.2.1");
  }
}

TEST(ClusterLimitsTest, AnAddressIsAskedByAllNodesTogetherAsOftenAtOnceAsByOne) {
  for (uint32_t nodes : {1u, 2u, 3u}) {
    Cluster cluster(nodes, {.per_address_max = 6});
    for (uint32_t n = 0; n < nodes; ++n) OfferHosts(cluster, n, 20);
    LearnAddresses(cluster, nodes);
    cluster.Crawl(absl::Minutes(1), absl::Seconds(3));
    EXPECT_EQ(cluster.MostAtOnce(), 6u) << nodes << " nodes";
  }
}

TEST(ClusterLimitsTest, MoreNodesThanAnAddressMayBeAskedAtOnceTakeTurns) {
  Cluster cluster(4, {.per_address_max = 2});
  for (uint32_t n = 0; n < 4; ++n) OfferHosts(cluster, n, 5);
  LearnAddresses(cluster, 4);
  cluster.Crawl(absl::Minutes(4), absl::Seconds(1));
  EXPECT_EQ(cluster.MostAtOnce(), 2u);
  for (uint32_t n = 0; n < 4; ++n) EXPECT_GE(cluster.of(n), 20u) << "node " << n;
}

TEST(ClusterLimitsTest, StartsOfRequestsToAnAddressAreAsRareAsByOneNode) {
  for (uint32_t nodes : {1u, 3u}) {
    Cluster cluster(nodes, {.per_address_max = 6, .address_delay = absl::Seconds(2)});
    for (uint32_t n = 0; n < nodes; ++n) OfferHosts(cluster, n, 20);
    LearnAddresses(cluster, nodes);
    const size_t requests = cluster.Crawl(absl::Minutes(2), absl::Milliseconds(100)).size();
    EXPECT_GE(requests, 55u) << nodes << " nodes";
    EXPECT_LE(requests, 65u) << nodes << " nodes";
  }
}

TEST(ClusterLimitsTest, AGroupIsAskedByOneNodeAtATimeWithItsDelayBetween) {
  Cluster cluster(3, {});
  cluster.TellAll({{.name = "farm", .delay = absl::Seconds(2), .domains = {"test"}}});
  for (uint32_t n = 0; n < 3; ++n) OfferHosts(cluster, n, 5);
  cluster.Crawl(absl::Minutes(5), absl::Seconds(1));
  EXPECT_EQ(cluster.MostAtOnce(), 1u);
  EXPECT_GE(cluster.ShortestPause(), absl::Seconds(2));
  for (uint32_t n = 0; n < 3; ++n) EXPECT_GE(cluster.of(n), 20u) << "node " << n;
}

// Both its group and its address had their turns, and never at once: pages of a group stayed
// unread.
TEST(ClusterLimitsTest, AHostThatNeedsTwoTurnsComesToBoth) {
  for (const char* const name : {"farm", "shops", "mirrors"}) {
    Cluster cluster(3, {.per_address_max = 1});
    cluster.TellAll({{.name = name, .delay = absl::Seconds(1), .domains = {"test"}}});
    for (uint32_t n = 0; n < 3; ++n) OfferHosts(cluster, n, 1);
    cluster.Crawl(absl::Hours(1), absl::Milliseconds(100));
    EXPECT_EQ(cluster.MostAtOnce(), 1u);
    for (uint32_t n = 0; n < 3; ++n) EXPECT_GE(cluster.of(n), 100u) << name << " at node " << n;
  }
}

TEST(ClusterLimitsTest, ANodeThatIsAloneAgainHasAllTurns) {
  Cluster cluster(1, {});
  const std::vector<schedule::HostGroup> farm = {
      {.name = "farm", .delay = absl::Seconds(2), .domains = {"test"}}};
  cluster.TellAll(farm, 5);
  OfferHosts(cluster, 0, 5);
  const size_t among_five = cluster.Crawl(absl::Minutes(5), absl::ZeroDuration()).size();
  EXPECT_LE(among_five, 40u);
  cluster.TellAll(farm, 1);
  EXPECT_GE(cluster.Crawl(absl::Minutes(5), absl::ZeroDuration()).size(), among_five + 140);
}

// What is stored is by the wall clock, and so are turns: another node's clock may have another
// zero.
TEST(ClusterLimitsTest, TurnsAreByTheWallClock) {
  Cluster cluster(2, {});
  cluster.node(1).scheduler().SetWallAhead(absl::Hours(1));
  cluster.node(1).now -= absl::Hours(1);
  cluster.TellAll({{.name = "farm", .delay = absl::Seconds(2), .domains = {"test"}}});
  std::optional<absl::Time> turn[2];
  for (uint32_t n = 0; n < 2; ++n) {
    OfferHosts(cluster, n, 1);
    ASSERT_TRUE(cluster.node(n).TimeToNextOrder());
    turn[n] = cluster.node(n).now + absl::Hours(n);
  }
  EXPECT_NE(absl::ToUnixSeconds(*turn[0]) / 20, absl::ToUnixSeconds(*turn[1]) / 20);
}

}  // namespace
}  // namespace opic::scheduler
