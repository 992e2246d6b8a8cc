// Every way to rank gives the ranking of graph::PageRank, or of the equation written out.
#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "graph/pagerank.h"
#include "tests/rank/rank_web.h"

namespace opic::rank {
namespace {

using ::testing::HasSubstr;

struct Way {
  const char* name;
  bool on_disk;
  Order order;
  uint32_t workers;
};

class RankWays : public testing::TestWithParam<Way> {
 protected:
  RankOptions Options() const { return Precisely(GetParam().order, GetParam().workers); }
  std::unique_ptr<LinkStore> Kept(const graph::Graph& graph) const {
    std::unique_ptr<LinkStore> store =
        Store(graph, PlanFor(GetParam().on_disk, GetParam().workers));
    EXPECT_EQ(store->on_disk(), GetParam().on_disk);
    return store;
  }
};

INSTANTIATE_TEST_SUITE_P(, RankWays,
                         testing::Values(Way{"Memory", false, Order::kJacobi, 1},
                                         Way{"MemoryTwoWorkers", false, Order::kJacobi, 2},
                                         Way{"MemoryGaussSeidel", false, Order::kGaussSeidel, 1},
                                         Way{"MemoryGaussSeidelTwoWorkers", false,
                                             Order::kGaussSeidel, 2},
                                         Way{"MemoryChaotic", false, Order::kChaotic, 2},
                                         Way{"Disk", true, Order::kJacobi, 1},
                                         Way{"DiskTwoWorkers", true, Order::kJacobi, 2},
                                         Way{"DiskGaussSeidel", true, Order::kGaussSeidel, 1},
                                         Way{"DiskChaotic", true, Order::kChaotic, 3}),
                         [](const auto& way) { return std::string(way.param.name); });

// More pages than fit one slice of the least memory.
constexpr uint32_t kManyPages = 70'000;

TEST_P(RankWays, GivesTheImportanceOfPageRank) {
  const graph::Graph web = SmallWeb(1, GetParam().on_disk ? kManyPages : 3'000);
  const Ranked ranked = Rank(*Kept(web), Options(), Importance());
  EXPECT_TRUE(ranked.summary.converged);
  EXPECT_LT(L1Distance(ranked.values[0], graph::PageRank(web)), 1e-9);
}

TEST_P(RankWays, LosesNothingOfAGraphWithoutLinks) {
  const Ranked ranked = Rank(*Kept(graph::Graph::FromEdges(5, {})), Options(), Importance());
  EXPECT_LT(L1Distance(ranked.values[0], std::vector<double>(5, 0.2)), 1e-12);
}

TEST_P(RankWays, FollowsADampingOtherThanTheDefault) {
  const graph::Graph web = SmallWeb(2);
  RankOptions options = Options();
  options.damping = 0.5;
  EXPECT_LT(L1Distance(Rank(*Kept(web), options, Importance()).values[0],
                       graph::PageRank(web, {.damping = 0.5})),
            1e-9);
}

// x' = r (c M x + (1 - c) E), written out over a small graph.
std::vector<double> EquationWrittenOut(const graph::Graph& graph, const RankOptions& options,
                                       const std::vector<double>& e) {
  std::vector<double> x = e;
  for (int iteration = 0; iteration < 2'000; ++iteration) {
    std::vector<double> next(x.size(), 0);
    double lost = 0;
    for (uint32_t page = 0; page < graph.pages(); ++page) {
      const auto links = graph.LinksOf(page);
      if (links.empty()) lost += x[page];
      const double share = options.matrix == graph::LinkMatrix::kAdjacency ? 1 : 1.0 / links.size();
      for (const uint32_t target : links) next[target] += options.damping * share * x[page];
    }
    if (options.leak == Leak::kNormalise) lost = 0;
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      next[i] += (1 - options.damping + options.damping * lost) * e[i];
      if (options.plus_identity) next[i] += x[i];
      sum += next[i];
    }
    for (size_t i = 0; i < x.size(); ++i) x[i] = next[i] / sum;
  }
  return x;
}

std::vector<double> Uniform(uint32_t pages) { return std::vector<double>(pages, 1.0 / pages); }

TEST_P(RankWays, NormalisesAsTheThesisDoes) {
  const graph::Graph web = SmallWeb(3, 500);
  RankOptions options = Options();
  options.leak = Leak::kNormalise;
  EXPECT_LT(L1Distance(Rank(*Kept(web), options, Importance()).values[0],
                       EquationWrittenOut(web, options, Uniform(500))),
            1e-9);
}

TEST_P(RankWays, CountsEveryLinkAlikeWithTheAdjacencyMatrix) {
  const graph::Graph web = SmallWeb(4, 500);
  RankOptions options = Options();
  options.leak = Leak::kNormalise;
  options.matrix = graph::LinkMatrix::kAdjacency;
  EXPECT_LT(L1Distance(Rank(*Kept(web), options, Importance()).values[0],
                       EquationWrittenOut(web, options, Uniform(500))),
            1e-9);
}

TEST_P(RankWays, IsPersonalised) {
  const graph::Graph web = SmallWeb(5, 500);
  std::vector<double> e(500, 0);
  e[3] = 0.25, e[400] = 0.75;
  const Personalisation wanted = Personalisation::Of({{400, 1.5}, {3, 0.5}, {400, 0}}).value();
  EXPECT_LT(L1Distance(Rank(*Kept(web), Options(), {wanted, std::nullopt}).values[0],
                       EquationWrittenOut(web, Options(), e)),
            1e-9);
}

// A ring of an even number of pages has period 2: (dagger) goes to and fro for ever on it.
TEST_P(RankWays, ConvergesOnAPeriodicGraphWithTheIdentityAdded) {
  const graph::Graph ring = graph::Graph::FromEdges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  RankOptions options = Options();
  options.damping = 1;
  options.plus_identity = true;
  const Personalisation uneven = Personalisation::Of({{0, 1}, {1, 0.5}}).value();
  const Ranked ranked = Rank(*Kept(ring), options, {uneven, std::nullopt});
  EXPECT_TRUE(ranked.summary.converged);
  EXPECT_LT(L1Distance(ranked.values[0], Uniform(4)), 1e-9);
}

TEST(Rank, GoesToAndFroOnAPeriodicGraphOtherwise) {
  const graph::Graph ring = graph::Graph::FromEdges(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  RankOptions options = Precisely();
  options.damping = 1;
  options.iterations_max = 50;
  const Personalisation uneven = Personalisation::Of({{0, 1}}).value();
  EXPECT_FALSE(
      Rank(*Store(ring, PlanFor(false)), options, {uneven, std::nullopt}).summary.converged);
}

class RankDirections : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(, RankDirections, testing::Bool(),
                         [](const auto& on_disk) { return on_disk.param ? "Disk" : "Memory"; });

TEST_P(RankDirections, InterestIsImportanceOfTheLinksTurnedRound) {
  const graph::Graph web = SmallWeb(6, GetParam() ? kManyPages : 3'000);
  const Ranked ranked = Rank(*Store(web, PlanFor(GetParam())), Precisely(), Interest());
  EXPECT_LT(L1Distance(ranked.values[1], graph::PageRank(web.Reversed())), 1e-9);
}

TEST_P(RankDirections, OnePassGivesBothRankings) {
  const graph::Graph web = SmallWeb(7, GetParam() ? kManyPages : 3'000);
  for (const Order order : {Order::kJacobi, Order::kGaussSeidel}) {
    const Ranked both = Rank(*Store(web, PlanFor(GetParam(), 1, 2)), Precisely(order),
                             {Personalisation(), Personalisation()});
    EXPECT_LT(L1Distance(both.values[0], graph::PageRank(web)), 1e-9);
    EXPECT_LT(L1Distance(both.values[1], graph::PageRank(web.Reversed())), 1e-9);
  }
}

TEST_P(RankDirections, InterestOnSomePagesIsThatOfPagesLeadingThere) {
  const graph::Graph path = graph::Graph::FromEdges(4, {{0, 1}, {1, 2}, {3, 0}});
  const Personalisation xml = Personalisation::Of({{2, 1}}).value();
  const std::vector<double> interest =
      Rank(*Store(path, PlanFor(GetParam())), Precisely(), {std::nullopt, xml}).values[1];
  EXPECT_GT(interest[2], interest[1]);
  EXPECT_GT(interest[1], interest[0]);
  EXPECT_GT(interest[0], interest[3]);
  EXPECT_GT(interest[3], 0);
}

TEST_P(RankDirections, SinglePrecisionIsGoodToItsDigits) {
  const graph::Graph web = SmallWeb(8);
  SlicePlan plan = PlanFor(GetParam());
  plan.resources.single_precision = true;
  RankOptions options;
  options.change_max = 1e-7;
  EXPECT_LT(
      L1Distance(Rank(*Store(web, plan), options, Importance()).values[0], graph::PageRank(web)),
      1e-6);
}

TEST_P(RankDirections, RepeatedAndSelfLinksDoNotCount) {
  const auto store = [&] {
    RankLinks links = RankLinks::Begin(PlanFor(GetParam())).value();
    for (const auto& [from, to] : {std::pair(0, 1), {0, 1}, {2, 2}, {1, 0}, {0, 1}, {1, 3}}) {
      EXPECT_TRUE(links.Add(static_cast<uint64_t>(from), static_cast<uint64_t>(to)).ok());
    }
    return std::move(links).Finish().value();
  }();
  EXPECT_EQ(store->links(), 3u);
  EXPECT_EQ(store->pages(), 4u);
  const graph::Graph graph = graph::Graph::FromEdges(4, {{0, 1}, {1, 0}, {1, 3}});
  EXPECT_LT(L1Distance(Rank(*store, Precisely(), Importance()).values[0], graph::PageRank(graph)),
            1e-9);
}

TEST_P(RankDirections, CanBeRankedAgain) {
  const graph::Graph web = SmallWeb(9, 500);
  const std::unique_ptr<LinkStore> store = Store(web, PlanFor(GetParam()));
  Rank(*store, Precisely(), Interest());
  EXPECT_LT(L1Distance(Rank(*store, Precisely(Order::kGaussSeidel), Importance()).values[0],
                       graph::PageRank(web)),
            1e-9);
}

TEST_P(RankDirections, GaussSeidelTakesFewerIterations) {
  const graph::Graph web = SmallWeb(10, GetParam() ? kManyPages : 3'000);
  const std::unique_ptr<LinkStore> store = Store(web, PlanFor(GetParam()));
  const Ranked plain = Rank(*store, Precisely(), Importance());
  const Ranked newest = Rank(*store, Precisely(Order::kGaussSeidel), Importance());
  EXPECT_LT(newest.summary.iterations, plain.summary.iterations);
}

TEST(Rank, StopsOnTheSquaredChangeToo) {
  const std::unique_ptr<LinkStore> store = Store(SmallWeb(11), PlanFor(false));
  RankOptions l1, l2;
  l2.norm = Norm::kL2;
  EXPECT_LT(Rank(*store, l2, Importance()).summary.iterations,
            Rank(*store, l1, Importance()).summary.iterations);
}

TEST(Rank, TellsEachIterationAndStopsWhenAsked) {
  const std::unique_ptr<LinkStore> store = Store(SmallWeb(12), PlanFor(true));
  const auto engine = store->Prepare(Precisely(), Importance()).value();
  std::vector<RankProgress> reports;
  const RankSummary summary = Iterate(*engine, Precisely(), [&](const RankProgress& progress) {
                                reports.push_back(progress);
                                return reports.size() < 3;
                              }).value();
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(summary.iterations, 3u);
  EXPECT_FALSE(summary.converged);
  EXPECT_LT(reports[2].change, reports[1].change);
  EXPECT_GT(reports[2].bytes_read, 3'000 * sizeof(double));
  EXPECT_GE(reports[2].bytes_written, 3'000 * sizeof(double));
}

TEST(Rank, HasNoPagesToRankInAnEmptyList) {
  const std::unique_ptr<LinkStore> store = Store(graph::Graph(), PlanFor(false));
  EXPECT_TRUE(Rank(*store, Precisely(), Importance()).summary.converged);
}

TEST(Rank, RefusesOptionsThatDoNotGoTogether) {
  const std::unique_ptr<LinkStore> store = Store(SmallWeb(13), PlanFor(true, 2));
  RankOptions adjacency;
  adjacency.matrix = graph::LinkMatrix::kAdjacency;
  EXPECT_FALSE(store->Prepare(adjacency, Importance()).ok());
  EXPECT_FALSE(store->Prepare({.workers = 2}, Interest()).ok());
  EXPECT_FALSE(store->Prepare({.workers = 3}, Importance()).ok());
  EXPECT_FALSE(store->Prepare({.damping = 1.5}, Importance()).ok());
  EXPECT_FALSE(store->Prepare({}, {}).ok());
  const Personalisation stranger = Personalisation::Of({{3'000, 1}}).value();
  EXPECT_FALSE(store->Prepare({}, {stranger, std::nullopt}).ok());
}

TEST(Rank, SaysThatNothingIsLeftWhenAllOfItLeaks) {
  const std::unique_ptr<LinkStore> store =
      Store(graph::Graph::FromEdges(3, {{0, 1}}), PlanFor(false));
  RankOptions options;
  options.damping = 1;
  options.leak = Leak::kNormalise;
  const auto engine = store->Prepare(options, Importance()).value();
  EXPECT_EQ(Iterate(*engine, options).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(RankLinks, RefuseNumbersThatAreNotDense) {
  RankLinks links = RankLinks::Begin(PlanFor(false)).value();
  EXPECT_FALSE(links.Add(0, kPageNumberMax + uint64_t{1}).ok());
  ASSERT_TRUE(links.Add(0, kPageNumberMax).ok());
  EXPECT_THAT(std::string(std::move(links).Finish().status().message()),
              HasSubstr("number pages from 0"));
}

TEST(RankLinks, SayThatTheFolderForSlicesIsMissing) {
  SlicePlan plan = PlanFor(true);
  plan.resources.folder += "/nowhere";
  RankLinks links = RankLinks::Begin(plan).value();
  ASSERT_TRUE(links.Add(0, 1).ok());
  EXPECT_EQ(std::move(links).Finish().status().code(), absl::StatusCode::kNotFound);
}

TEST(Personalisation, RefusesWeightsThatAreNone) {
  EXPECT_FALSE(Personalisation::Of({{1, -1}}).ok());
  EXPECT_FALSE(Personalisation::Of({{1, 0}}).ok());
  EXPECT_FALSE(Personalisation::Of({{1, std::nan("")}}).ok());
  EXPECT_FALSE(Personalisation::Of({}).ok());
}

}  // namespace
}  // namespace opic::rank
