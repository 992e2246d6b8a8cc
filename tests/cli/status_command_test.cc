// `opic status` as a user calls it.
#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StatusCommand : public ServedCluster<rpc::ScriptedNode, 1> {
 protected:
  std::string Status() {
    const Said said = Opic({"status", "--cluster", file(), "--node", "n0", "--local"});
    EXPECT_EQ(said.code, kOk) << said.error;
    return said.out;
  }
};

// It said "nothing to crawl yet" of a node whose shards had all been moved away.
TEST_F(StatusCommand, ANodeThatWasDrainedIsNoNewOne) {
  node(0).stats_.loop.pages = 0;
  EXPECT_THAT(Status(), StartsWith("running, nothing to crawl yet\n"));
  node(0).stats_.loop.clock = 3.5;
  EXPECT_THAT(Status(),
              StartsWith("running, without pages: those of the crawl are on other nodes\n"));
}

// A line said that the crawl of a node without pages was "finished", and of another "1 pages".
TEST_F(StatusCommand, NodesOfAClusterAreToldAsTheWhole) {
  node::NodeStats& stats = node(0).stats_;
  stats.nodes.resize(2);
  for (node::NodeStats& one : stats.nodes) one.loop.phase = node::Phase::kFinished;
  stats.nodes[0].name = "a", stats.nodes[1].name = "b";
  stats.nodes[1].loop.pages = 1;
  stats.nodes[1].counters[desk::Counter::kRequests] = 1;
  EXPECT_THAT(Status(), HasSubstr("\n  a             nothing to crawl yet  0 pages, 0 unread, "));
  EXPECT_THAT(Status(), HasSubstr("\n  b             finished   1 page, 0 unread, 0 in flight, 1 "
                                  "request, 0 settled"));
}

// It was "at most 0 %".
TEST_F(StatusCommand, BeforeTheFirstVisitNoErrorOfTheRankingIsTold) {
  node::NodeStats& stats = node(0).stats_;
  stats.uptime = absl::Seconds(10);
  stats.loop.method = importance::Method::kPush;
  stats.loop.rounding_error = 0.0022;
  stats.loop.pages = stats.loop.unread = 3;
  EXPECT_THAT(Status(), Not(HasSubstr("ranking")));
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kFetched)] = 1;
  stats.loop.unread = 2;
  EXPECT_THAT(Status(), HasSubstr("\nranking    error at most "));
  stats.loop.by_kind = {};
  stats.loop.restate_due = true;
  EXPECT_THAT(Status(), HasSubstr("\nranking    records of pages were lost: "));
}

TEST_F(StatusCommand, WhatMustBeSeenToGoesBeforeWhoIsAway) {
  node::NodeStats& stats = node(0).stats_;
  stats.missing = {"n1"};
  stats.nodes.resize(1);
  stats.nodes[0].name = "n0";
  const std::vector<std::string> words = {"status", "--cluster", file()};
  EXPECT_EQ(Opic(words).code, kPartial);
  stats.nodes[0].scheduler_away = true;
  const Said said = Opic(words);
  EXPECT_EQ(said.code, kAttention) << said.error;
  EXPECT_THAT(said.out, HasSubstr("\npartial: node n1 did not answer\n"));
}

}  // namespace
}  // namespace opic::cli
