// A cluster that grows from two nodes to four and shrinks to three while it crawls, as its operator
// does it (docs/operations.md), with senders and receivers killed with -9 in the middle of moves.
// Nothing is lost, fetched again for long or asked too soon, and the cash is all there each time
// that it can be counted.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_join.h"
#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/crawl_figures.h"
#include "tests/scenarios/steady_audit.h"

namespace opic::scenarios {
namespace {

constexpr uint32_t kPagesPerHost = 25;
constexpr int64_t kRateOfMicros = 15'000'000;
constexpr int kDrained = 1;  // one that was there from the beginning

uint64_t Asked(const char* variable, uint64_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

class ClusterGrowTest : public testing::Test {
 protected:
  using Nodes = std::vector<int>;

  void Mark(const std::string& stage) { stages_.emplace_back(stage, MonotonicMicros()); }

  // The guide's way: the file, a rolling restart with it, the new nodes.
  void Grow() {
    const Nodes old = {0, 1};
    crawl_.Add();
    crawl_.Add();
    for (int node : old) {
      crawl_.Stop(node);
      crawl_.Start(node);
    }
    crawl_.Start(2);
    crawl_.Start(3);
  }

  void Control(int node, const std::string& what) {
    const Said said = RunProgram("opic", {"control", what, "--node", crawl_.address(node)});
    ASSERT_EQ(said.code, 0) << said.output;
  }

  // `opic cluster <words>` moves shards; meanwhile those that send them, those that receive them,
  // or some of both are killed and started anew, and at times who asked for the moves is, too.
  void MoveThroughKills(const Words& words, const Nodes& senders, const Nodes& receivers,
                        int kills) {
    const std::vector<ClusterCrawl::ShardShown> before = crawl_.Shards();
    const int64_t begin = MonotonicMicros();
    auto moves = crawl_.BeginMoves(words);
    for (int i = 0; i < kills; ++i) {
      AwaitTheMiddle(*moves);
      Nodes victims;
      if (i % 3 != 1) victims.push_back(OneOf(senders));
      if (i % 3 != 0) victims.push_back(OneOf(receivers));
      KillAll(victims);
      if (i % 2 == 1) moves->Kill();
      for (int victim : victims) crawl_.Start(victim);
      if (i % 2 == 1) moves = crawl_.BeginMoves(words);
      ASSERT_FALSE(HasFailure()) << "after " << kills_.back().whom;
    }
    ASSERT_EQ(moves->Wait(SampleCrawl::kPatience), 0) << moves->output();
    TellMoves(words[0], before, begin);
  }

  void AwaitTheMiddle(support::Process& moves) {
    const std::optional<int> in_motion = crawl_.AwaitTheMiddle(moves);
    ASSERT_TRUE(in_motion.has_value()) << "the moves were over too soon: " << moves.output();
    in_motion_ = *in_motion;
    moves.Wait(absl::Milliseconds(static_cast<int64_t>(rng_.Below(100))));
  }

  void KillAll(const Nodes& victims) {
    const std::string names = absl::StrJoin(victims, " and ", [](std::string* out, int node) {
      out->append("n" + std::to_string(node));
    });
    for (int victim : victims) crawl_.process(victim).Signal(SIGKILL);
    for (int victim : victims) crawl_.Kill(victim);
    kills_.push_back({MonotonicMicros(), names, static_cast<int>(victims.size()), in_motion_});
  }

  int OneOf(const Nodes& nodes) { return nodes[rng_.Below(nodes.size())]; }

  void TellMoves(const std::string& what, const std::vector<ClusterCrawl::ShardShown>& before,
                 int64_t begin) {
    const std::vector<ClusterCrawl::ShardShown> after = crawl_.Shards();
    ASSERT_EQ(before.size(), after.size());
    uint64_t shards = 0, pages = 0;
    for (size_t i = 0; i < after.size(); ++i) {
      if (after[i].node == before[i].node) continue;
      ++shards;
      pages += after[i].pages;
    }
    std::printf("%s: %llu shards with %llu pages moved in %.1f s\n", what.c_str(),
                static_cast<unsigned long long>(shards), static_cast<unsigned long long>(pages),
                static_cast<double>(MonotonicMicros() - begin) / 1e6);
  }

  void ExpectFewRepeated() {
    EXPECT_EQ(CountRepeated(crawl_.sample().web().hits(), kills_), 0)
        << "pages were fetched again although nobody was killed";
    for (const auto& kill : kills_) {
      EXPECT_LE(kill.repeated, kill.nodes * ClusterCrawl::kLostPerKill) << kill.whom;
      std::printf(
          "kill -9 of %s, %d shards in motion: %d pages fetched again, asked for at most "
          "%.0f ms before\n",
          kill.whom.c_str(), kill.in_motion, kill.repeated,
          absl::ToDoubleMilliseconds(kill.oldest));
    }
  }

  // Of the beginning of each stage: the end of a crawl is slow, with few hosts left.
  void TellRates() {
    const auto hits = crawl_.sample().web().hits();
    for (size_t i = 0; i + 1 < stages_.size(); ++i) {
      const auto& [stage, begin] = stages_[i];
      const int64_t end = stages_[i + 1].second;
      std::printf("%-20s %6.1f s, %6.1f pages a second at first\n", stage.c_str(),
                  static_cast<double>(end - begin) / 1e6,
                  PagesPerSecond(hits, begin, std::min(end, begin + kRateOfMicros)));
    }
  }

  const uint32_t pages_ = static_cast<uint32_t>(Asked("GROW_PAGES", 1'000));
  ClusterCrawl crawl_{2, absl::Milliseconds(static_cast<int64_t>(Asked("GROW_DELAY_MS", 500))),
                      pages_, pages_ / kPagesPerHost};
  base::Rng rng_ = RandomOfRun();
  std::vector<std::pair<std::string, int64_t>> stages_;
  std::vector<scenarios::Kill> kills_;
  int in_motion_ = 0;
};

TEST_F(ClusterGrowTest, FromTwoNodesToFourToThreeWithKillsOfBothEnds) {
  const int kills = static_cast<int>(Asked("GROW_KILLS", 3));
  crawl_.StartAll();
  SteadyAudit audit(crawl_.file(), crawl_.sample().folder());
  Mark("two nodes");
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(pages_ / 10));
  Mark("growing");
  ASSERT_NO_FATAL_FAILURE(Grow());
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0) << "the new nodes must be told what is crawled";
  Mark("moving, with kills");
  ASSERT_NO_FATAL_FAILURE(MoveThroughKills({"balance"}, {0, 1}, {2, 3}, (kills + 1) / 2));
  for (const auto& [node, shards] : crawl_.ShardsByNode()) EXPECT_EQ(shards, 256) << node;
  Mark("draining, with kills");
  ASSERT_NO_FATAL_FAILURE(MoveThroughKills({"drain", "n1"}, {kDrained}, {0, 2, 3}, kills / 2));
  Mark("three nodes");
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  Mark("the end");
  audit.Stop();

  EXPECT_EQ(crawl_.ShardsByNode().count("n1"), 0u);
  const Said drained = crawl_.AskNode(kDrained, "status", {"--local"});
  EXPECT_EQ(nlohmann::json::parse(drained.answer)["pages"], 0);
  int lost = 0;
  for (const auto& kill : kills_) lost += kill.nodes * ClusterCrawl::kLostPerKill;
  crawl_.sample().ExpectReachableFetched(lost);
  crawl_.sample().ExpectPolite();
  crawl_.ExpectAuditIsExact();
  EXPECT_EQ(crawl_.Ask("status")["unread"], 0);
  EXPECT_GE(crawl_.TopOverlap(10), 8);
  ExpectFewRepeated();
  TellRates();
  EXPECT_GT(audit.whole(), 0);
  std::printf("%zu kills, %d audits while they went on, %d of them whole; %zu page requests\n",
              kills_.size(), audit.asked(), audit.whole(), crawl_.sample().PageHitCount());
}

// Its scope was empty, and all pages that came to it counted as out of scope.
TEST_F(ClusterGrowTest, AnAddedNodeJudgesNoPageBeforeItKnowsWhatIsCrawled) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(pages_ / 10));
  ASSERT_NO_FATAL_FAILURE(Grow());
  for (const int old : {0, 1}) Control(old, "pause");  // so that pages are left to move unread
  ASSERT_NO_FATAL_FAILURE(MoveThroughKills({"balance"}, {0, 1}, {2, 3}, /*kills=*/0));
  uint64_t unread = 0;
  for (const int added : {2, 3}) {
    const nlohmann::json status =
        nlohmann::json::parse(crawl_.AskNode(added, "status", {"--local"}).answer);
    unread += status["unread"].get<uint64_t>();
    EXPECT_EQ(status["by_state"]["out_of_scope"], 0) << status;
  }
  EXPECT_GT(unread, 0u) << "the crawl was over before they came";
  for (const int old : {0, 1}) Control(old, "resume");
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched();
  crawl_.sample().ExpectPolite();
  crawl_.ExpectAuditIsExact();
}

// Somebody has kept the file of two nodes. What is worked out over these alone would be wrong, and
// what is told to these alone not heard by the others.
TEST_F(ClusterGrowTest, TheFileOfBeforeIsRefused) {
  crawl_.StartAll();
  const std::string older = crawl_.file() + ".older", next = crawl_.file() + ".next";
  std::filesystem::copy_file(crawl_.file(), older);
  ASSERT_NO_FATAL_FAILURE(Grow());
  const auto expect_refused = [&](Words words) {
    words.insert(words.end(), {"--cluster", older});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 2) << words[0] << ": " << said.output;
    EXPECT_NE(said.output.find("has 4 nodes, and the one in use here has 2"), std::string::npos)
        << said.output;
  };
  expect_refused({"restate"});
  expect_refused({"restate", "--check"});
  expect_refused({"cluster", "recover"});
  crawl_.Kill(1);
  expect_refused({"cluster", "declare-lost", "1", "--out", next});
  EXPECT_FALSE(std::filesystem::exists(next));
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();  // nobody was told of a loss
}

}  // namespace
}  // namespace opic::scenarios
