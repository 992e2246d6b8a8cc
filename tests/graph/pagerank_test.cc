#include "graph/pagerank.h"

#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "graph/errors.h"
#include "graph/power_law.h"
#include "gtest/gtest.h"

namespace opic::graph {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pointwise;

// Solves x = d * (M x + dangling(x) / n) + (1 - d) / n as linear equations by elimination: nothing
// in common with the iteration but the formula.
std::vector<double> SolvedPageRank(const Graph& graph, double d) {
  const size_t n = graph.pages();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
  for (size_t i = 0; i < n; ++i) a[i][i] = 1, a[i][n] = (1 - d) / n;
  for (uint32_t from = 0; from < n; ++from) {
    const auto links = graph.LinksOf(from);
    for (const uint32_t to : links) a[to][from] -= d / links.size();
    for (size_t to = 0; links.empty() && to < n; ++to) a[to][from] -= d / n;
  }
  for (size_t i = 0; i < n; ++i) {  // diagonally dominant by columns: no pivoting needed
    for (size_t row = 0; row < n; ++row) {
      const double factor = row == i ? 0 : a[row][i] / a[i][i];
      for (size_t j = i; factor != 0 && j <= n; ++j) a[row][j] -= factor * a[i][j];
    }
  }
  std::vector<double> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = a[i][n] / a[i][i];
  return x;
}

TEST(PageRank, OfACycleIsEven) {
  EXPECT_THAT(PageRank(Graph::FromEdges(3, {{0, 1}, {1, 2}, {2, 0}})),
              Each(DoubleNear(1.0 / 3, 1e-12)));
}

// 0 -> 1, and 1 without links: x0 = (1 - x1) 0.075 + x1 / 2, x1 = x0 + 0.85 x0.
TEST(PageRank, SpreadsWhatAPageWithoutLinksHasOverAllPages) {
  EXPECT_THAT(PageRank(Graph::FromEdges(2, {{0, 1}})),
              ElementsAre(DoubleNear(1 / 2.85, 1e-12), DoubleNear(1.85 / 2.85, 1e-12)));
}

TEST(PageRank, WithoutAnyLinkIsEven) {
  EXPECT_THAT(PageRank(Graph::FromEdges(4, {})), Each(DoubleNear(0.25, 1e-15)));
}

TEST(PageRank, OfNoPagesIsNothing) { EXPECT_THAT(PageRank(Graph()), IsEmpty()); }

TEST(PageRank, SolvesItsEquations) {
  for (const double damping : {0.0, 0.5, 0.85, 0.99}) {
    const Graph graph = PowerLawGraph(120, base::Rng(9));
    EXPECT_THAT(PageRank(graph, {.damping = damping}),
                Pointwise(DoubleNear(1e-10), SolvedPageRank(graph, damping)))
        << damping;
  }
}

TEST(PageRank, SumsToOneAndConverges) {
  const Ranking ranking = RankPages(PowerLawGraph(5000, base::Rng(2)));
  EXPECT_NEAR(std::accumulate(ranking.importance.begin(), ranking.importance.end(), 0.0), 1, 1e-12);
  EXPECT_LE(ranking.l1_change, 1e-12);
  EXPECT_LT(ranking.iterations, 200u);
}

TEST(PageRank, StopsWhenItsIterationsAreUsedUp) {
  const Ranking ranking = RankPages(PowerLawGraph(100, base::Rng(2)), {.iterations_max = 3});
  EXPECT_EQ(ranking.iterations, 3u);
  EXPECT_GT(ranking.l1_change, 1e-12);
}

TEST(Errors, MeanErrorIsRelativeToTheExactValue) {
  EXPECT_DOUBLE_EQ(MeanErrorPercent({0.5, 0.2}, {0.4, 0.4}), 100 * (0.25 + 0.5) / 2);
  EXPECT_EQ(MeanErrorPercent({0.3, 0.7}, {0.3, 0.7}), 0);
}

TEST(Errors, TopMeanErrorLooksAtTheLargestExactValuesOnly) {
  const std::vector<double> exact = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::vector<double> estimate(10, 99);
  estimate[9] = 11;
  EXPECT_DOUBLE_EQ(TopMeanErrorPercent(estimate, exact), 10);
  estimate[8] = 9;
  EXPECT_DOUBLE_EQ(TopMeanErrorPercent(estimate, exact, 0.2), 5);
}

TEST(Errors, SpearmanComparesOrdersOnly) {
  EXPECT_DOUBLE_EQ(Spearman({1, 2, 3}, {10, 200, 3000}), 1);
  EXPECT_DOUBLE_EQ(Spearman({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(Spearman({1, 2, 3, 4}, {2, 1, 3, 4}), 0.8);  // 1 - 6 * 2 / (4 * 15)
}

// Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
TEST(Errors, SpearmanGivesEqualValuesTheirMeanRank) {
  EXPECT_DOUBLE_EQ(Spearman({1, 2, 2, 3}, {1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5));
  EXPECT_EQ(Spearman({1, 1, 1}, {1, 2, 3}), 0);
}

TEST(Errors, L1DistanceIsTheSumOfAllDifferences) {
  EXPECT_DOUBLE_EQ(L1Distance({0.5, 0.3, 0.2}, {0.4, 0.5, 0.1}), 0.4);
  EXPECT_EQ(L1Distance({1, 2}, {1, 2}), 0);
}

TEST(Errors, NdcgWeighsTheFirstPositionsMost) {
  const std::vector<double> exact = {3, 2, 1};
  EXPECT_DOUBLE_EQ(Ndcg(exact, exact, 3), 1);
  EXPECT_DOUBLE_EQ(Ndcg({1, 2, 3}, exact, 1), 1.0 / 3);
  const double wanted = 3 + 2 / std::log2(3.0), found = 1 + 2 / std::log2(3.0);
  EXPECT_DOUBLE_EQ(Ndcg({1, 2, 3}, exact, 2), found / wanted);
}

TEST(Errors, OverlapIsTheSharedPartOfTheTop) {
  EXPECT_DOUBLE_EQ(TopOverlap({9, 8, 1, 2}, {9, 1, 8, 2}, 2), 0.5);
  EXPECT_DOUBLE_EQ(TopOverlap({9, 8, 1, 2}, {8, 9, 2, 1}, 2), 1);
  EXPECT_DOUBLE_EQ(TopOverlap({1, 2}, {2, 1}, 100), 1);  // no more pages than there are
}

TEST(Errors, APageThatEqualsTheLastOfTheTopBelongsThere) {
  EXPECT_DOUBLE_EQ(TopOverlap({9, 1, 8, 2}, {9, 5, 5, 2}, 2), 1);
  EXPECT_DOUBLE_EQ(TopOverlap({9, 1, 8, 2}, {9, 5, 4.99, 2}, 2), 0.5);
  EXPECT_DOUBLE_EQ(TopOverlap({9, 1, 8, 2}, {9, 5, 4.99, 2}, 2, 0.01), 1);
  EXPECT_DOUBLE_EQ(TopOverlap({9, 1, 8, 2}, {9, 5, 4.9, 2}, 2, 0.01), 0.5);
}

// Pages that hardly differ are taken for each other at little cost.
TEST(Errors, WhatTheFoundTopHoldsOfWhatTheExactTopHolds) {
  EXPECT_DOUBLE_EQ(TopCaptured({9, 8, 1, 2}, {9, 1, 8, 3}, 2), 10.0 / 17);
  EXPECT_DOUBLE_EQ(TopCaptured({9, 8, 1, 2}, {8, 9, 2, 1}, 2), 1);
  EXPECT_DOUBLE_EQ(TopCaptured({3, 1, 2}, {4, 2, 2}, 2), 1);  // a tie: either may be found
}

TEST(Errors, EqualValuesAreOrderedByPageNumber) {
  EXPECT_THAT(TopPages({1, 2, 1, 2}, 3), ElementsAre(1, 3, 0));
}

}  // namespace
}  // namespace opic::graph
