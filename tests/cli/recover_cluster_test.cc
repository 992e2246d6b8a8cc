// opic cluster recover, while nodes are restarted.
#include <gmock/gmock.h>

#include <atomic>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::StartsWith;

// Has fetched all its pages, and crawls them once more when it is told to. Then it is away.
class Recovered final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<node::CrawlOrder> Order() override {
    return node::CrawlOrder{.seeds = {"http://seed.test/"}};
  }
  absl::StatusOr<node::SeedResults> BeginCrawl(const node::CrawlOrder&) override {
    told = true;
    return node::SeedResults();
  }
  absl::StatusOr<node::NodeStats> Stats() override {
    if (told && refusals-- > 0) return absl::UnavailableError("the node is starting");
    node::NodeStats stats;
    stats.loop.phase = node::Phase::kFinished;
    stats.loop.channels.resize(1);
    return stats;
  }
  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd&) override {
    return node::RestatedPart{.done = true};
  }

  std::atomic<bool> told = false;
  std::atomic<int> refusals = 0;
};

class RecoverTest : public ServedCluster<Recovered, 2> {
 protected:
  Said Recover(const std::string& patience) {
    return Opic({"cluster", "recover", "--cluster", file(), "--patience", patience});
  }
};

// It ended with 6 at once.
TEST_F(RecoverTest, ANodeThatIsRestartedIsWaitedFor) {
  node(1).refusals = 9;  // for longer than a wait that is not told
  const Said said = Recover("30s");
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_THAT(said.error, StartsWith("opic: waiting for n1: "));
  EXPECT_EQ(said.error.find('\n'), said.error.size() - 1) << said.error;
}

TEST_F(RecoverTest, PatienceEnds) {
  node(1).refusals = 1'000'000;
  const Said said = Recover("1s");
  EXPECT_EQ(said.code, kUnreachable);
  EXPECT_THAT(said.error, StartsWith("opic: node n1: "));
}

TEST_F(RecoverTest, NobodyIsToldWhenANodeIsAwayAtFirst) {
  Stop(1);
  EXPECT_EQ(Recover("30s").code, kUnreachable);
  EXPECT_FALSE(node(0).told);
}

}  // namespace
}  // namespace opic::cli
