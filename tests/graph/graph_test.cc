#include "graph/graph.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "graph/power_law.h"
#include "gtest/gtest.h"

namespace opic::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Graph, KeepsTheLinksOfEachPageInAscendingOrder) {
  const Graph graph = Graph::FromEdges(4, {{2, 3}, {0, 2}, {2, 0}, {0, 1}});
  EXPECT_EQ(graph.pages(), 4u);
  EXPECT_THAT(graph.LinksOf(0), ElementsAre(1, 2));
  EXPECT_THAT(graph.LinksOf(1), IsEmpty());
  EXPECT_THAT(graph.LinksOf(2), ElementsAre(0, 3));
  EXPECT_THAT(graph.LinksOf(3), IsEmpty());
}

TEST(Graph, CountsARepeatedLinkOnce) {
  const Graph graph = Graph::FromEdges(2, {{0, 1}, {0, 1}, {1, 0}, {0, 1}});
  EXPECT_EQ(graph.links(), 2u);
  EXPECT_THAT(graph.LinksOf(0), ElementsAre(1));
}

TEST(Graph, DropsSelfLinks) {
  const Graph graph = Graph::FromEdges(2, {{0, 0}, {0, 1}, {1, 1}});
  EXPECT_THAT(graph.Edges(), ElementsAre(Edge{0, 1}));
}

TEST(Graph, MayHaveNoPagesAtAll) {
  EXPECT_EQ(Graph().pages(), 0u);
  EXPECT_EQ(Graph::FromEdges(0, {}), Graph());
  EXPECT_THAT(Graph().Edges(), IsEmpty());
}

TEST(Graph, ReversedTurnsEveryLinkRound) {
  const Graph graph = Graph::FromEdges(3, {{0, 2}, {1, 2}, {2, 0}});
  EXPECT_THAT(graph.Reversed().LinksOf(2), ElementsAre(0, 1));
  EXPECT_THAT(graph.Reversed().LinksOf(0), ElementsAre(2));
  EXPECT_EQ(graph.Reversed().Reversed(), graph);
}

TEST(Graph, IsMadeAgainFromItsEdges) {
  const Graph graph = PowerLawGraph(200, base::Rng(7));
  EXPECT_EQ(Graph::FromEdges(graph.pages(), graph.Edges()), graph);
}

TEST(GraphDeathTest, RefusesALinkToNoPage) {
  EXPECT_DEATH(Graph::FromEdges(2, {{0, 2}}), "0 -> 2");
}

TEST(PowerLaw, HasTheProbabilitiesOfTheFormulaNormalised) {
  const PowerLaw law(3, 2.0);  // weights 1, 1/4, 1/9
  EXPECT_NEAR(law.Probability(1), 36.0 / 49, 1e-12);
  EXPECT_NEAR(law.Probability(2), 9.0 / 49, 1e-12);
  EXPECT_NEAR(law.Probability(3), 4.0 / 49, 1e-12);
  EXPECT_NEAR(law.Mean(), (36.0 + 2 * 9 + 3 * 4) / 49, 1e-12);
}

TEST(PowerLaw, DrawsEachValueAsOftenAsItIsProbable) {
  const PowerLaw law(1000);
  base::Rng rng(5);
  constexpr int kDraws = 100'000;
  std::vector<int> drawn(1001, 0);
  for (int i = 0; i < kDraws; ++i) ++drawn.at(law.Draw(rng));
  for (uint32_t k = 1; k <= 5; ++k) {
    const double expected = kDraws * law.Probability(k);
    EXPECT_NEAR(drawn[k], expected, 5 * std::sqrt(expected)) << k;
  }
}

TEST(PowerLaw, WithOneValueDrawsIt) {
  base::Rng rng(1);
  EXPECT_EQ(PowerLaw(1).Draw(rng), 1u);
}

// Generated graphs are compared across machines and kept in reports: these numbers must not change.
TEST(PowerLawGraph, IsTheSameEverywhere) {
  const Graph graph = PowerLawGraph(1000, base::Rng(1));
  uint64_t sum = 0;
  for (const Edge edge : graph.Edges()) {
    sum = base::Mix64(sum ^ (uint64_t{edge.from} << 32 | edge.to));
  }
  EXPECT_EQ(sum, 4938305955133703734u);
  EXPECT_NE(graph, PowerLawGraph(1000, base::Rng(2)));
}

TEST(PowerLawGraph, GivesEveryPageALinkAndNoneMoreThanHalfOfAll) {
  const std::vector<uint32_t> degrees = PowerLawGraph(2000, base::Rng(3)).InDegrees();
  EXPECT_GE(*std::min_element(degrees.begin(), degrees.end()), 1u);
  EXPECT_LE(*std::max_element(degrees.begin(), degrees.end()), 1000u);
}

// The maximum-likelihood slope of the tail (Clauset, Shalizi and Newman 2009, equation 3.7).
TEST(PowerLawGraph, HasInDegreesOfTheExponentAsked) {
  constexpr double kFrom = 5;
  double logs = 0, count = 0;
  for (const uint32_t degree : PowerLawGraph(20'000, base::Rng(11)).InDegrees()) {
    if (degree < kFrom) continue;
    logs += std::log(degree / (kFrom - 0.5));
    ++count;
  }
  EXPECT_NEAR(1 + count / logs, kWebExponent, 0.1);
}

TEST(PowerLawGraph, SpreadsTheSourcesEvenly) {
  const Graph graph = PowerLawGraph(10'000, base::Rng(4));
  uint64_t first_half = 0;
  for (uint32_t page = 0; page < 5000; ++page) first_half += graph.LinksOf(page).size();
  EXPECT_NEAR(static_cast<double>(first_half) / graph.links(), 0.5, 0.02);
}

}  // namespace
}  // namespace opic::graph
