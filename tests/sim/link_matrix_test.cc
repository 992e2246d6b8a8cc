// The link matrices of paper section 1 against their dense form, computed in another way: the
// projection on the dominant eigenvector is the limit of (L + I)^(2^k), squared k times.
#include <gtest/gtest.h>

#include <numeric>

#include "graph/pagerank.h"
#include "sim/matrix_opic.h"
#include "tests/rank/rank_web.h"

namespace opic::sim {
namespace {

using rank::Importance;
using rank::kSmallTiles;
using rank::L1Distance;
using rank::PlanFor;
using rank::Precisely;
using rank::Store;

using Dense = std::vector<std::vector<double>>;

double SumOf(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

struct MatrixUnderTest {
  graph::LinkMatrix matrix;
  bool undirected = false;
  double damping = 0.85;
  double edge_weight = 0;
  graph::Graph Read(const graph::Graph& graph) const {
    return undirected ? graph.Undirected() : graph;
  }
};

// L of the test, column by column as paper section 1 has it.
Dense DenseOf(const graph::Graph& graph, const MatrixUnderTest& test) {
  const uint32_t n = graph.pages();
  Dense l(n, std::vector<double>(n, 0.0));
  for (uint32_t from = 0; from < n; ++from) {
    for (uint32_t to = 0; to < n; ++to) {
      bool linked = false, back = false;
      for (const uint32_t link : graph.LinksOf(from)) linked |= link == to;
      for (const uint32_t link : graph.LinksOf(to)) back |= link == from;
      if (linked || (test.undirected && back)) l[to][from] = 1;
    }
  }
  for (uint32_t from = 0; from < n; ++from) {
    double links = 0;
    for (uint32_t to = 0; to < n; ++to) links += l[to][from];
    const bool walk = test.matrix == graph::LinkMatrix::kRandomWalk;
    const double each = test.damping / (walk && links > 0 ? links + test.edge_weight : 1);
    const double rest = walk ? 1 - each * links : 1 - test.damping;
    for (uint32_t to = 0; to < n; ++to) l[to][from] = l[to][from] * each + rest / n;
  }
  return l;
}

std::vector<double> Dominant(Dense l) {
  const size_t n = l.size();
  for (size_t i = 0; i < n; ++i) l[i][i] += 1;
  for (int squaring = 0; squaring < 40; ++squaring) {
    Dense square(n, std::vector<double>(n, 0.0));
    double largest = 0;
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < n; ++k) {
        for (size_t j = 0; j < n; ++j) square[i][j] += l[i][k] * l[k][j];
      }
      for (const double x : square[i]) largest = std::max(largest, x);
    }
    for (auto& row : square) {
      for (double& x : row) x /= largest;
    }
    l = std::move(square);
  }
  std::vector<double> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = SumOf(l[i]);
  const double sum = SumOf(x);
  for (double& value : x) value /= sum;
  return x;
}

// Strongly connected by a ring of odd length and some links across.
graph::Graph ConnectedWeb() {
  base::Rng rng(8);
  std::vector<graph::Edge> edges;
  constexpr uint32_t kPages = 41;
  for (uint32_t i = 0; i < kPages; ++i) edges.push_back({i, (i + 1) % kPages});
  for (int i = 0; i < 60; ++i) {
    edges.push_back({static_cast<uint32_t>(rng.Below(kPages)),
                     static_cast<uint32_t>(rng.Below(kPages) * rng.Below(kPages) / kPages)});
  }
  return graph::Graph::FromEdges(kPages, std::move(edges));
}

constexpr MatrixUnderTest kMatrices[] = {
    {graph::LinkMatrix::kRandomWalk},
    {graph::LinkMatrix::kRandomWalk, false, 1},
    {graph::LinkMatrix::kRandomWalk, false, 1, 0.5},
    {graph::LinkMatrix::kRandomWalk, true, 1, 2},
    {graph::LinkMatrix::kAdjacency},
    {graph::LinkMatrix::kAdjacency, false, 1},
    {graph::LinkMatrix::kAdjacency, true},
    {graph::LinkMatrix::kAdjacency, true, 1},
};

std::string NameOf(const MatrixUnderTest& test) {
  std::string name = test.undirected ? "Undirected" : "Directed";
  name += test.matrix == graph::LinkMatrix::kAdjacency ? "Adjacency" : "Walk";
  if (test.damping == 1) name += test.edge_weight == 0 ? "Pure" : "WithWeightedEdge";
  return name;
}

class EachMatrix : public testing::TestWithParam<MatrixUnderTest> {
 protected:
  const graph::Graph web_ = ConnectedWeb();
  const std::vector<double> exact_ = Dominant(DenseOf(web_, GetParam()));
  graph::PageRankOptions InMemory(bool plus_identity) const {
    return {.damping = GetParam().damping,
            .matrix = GetParam().matrix,
            .edge_weight = GetParam().edge_weight,
            .plus_identity = plus_identity,
            .l1_change_max = 1e-13};
  }
};
INSTANTIATE_TEST_SUITE_P(, EachMatrix, testing::ValuesIn(kMatrices),
                         [](const auto& info) { return NameOf(info.param); });

TEST_P(EachMatrix, IsRankedInMemoryByBothSuites) {
  for (const bool plus_identity : {false, true}) {
    EXPECT_LT(L1Distance(graph::PageRank(GetParam().Read(web_), InMemory(plus_identity)), exact_),
              1e-9)
        << plus_identity;
  }
}

TEST_P(EachMatrix, IsRankedByEveryEngineAndSuite) {
  rank::RankOptions options = Precisely();
  options.matrix = GetParam().matrix;
  options.damping = GetParam().damping;
  options.edge_weight = GetParam().edge_weight;
  options.leak = options.matrix == graph::LinkMatrix::kAdjacency ? rank::Leak::kNormalise
                                                                 : rank::Leak::kSpread;
  for (const bool on_disk : {false, true}) {
    for (const rank::Order order : {rank::Order::kJacobi, rank::Order::kGaussSeidel}) {
      for (const bool plus_identity : {false, true}) {
        options.order = order;
        options.plus_identity = plus_identity;
        const auto store = Store(GetParam().Read(web_), PlanFor(on_disk));
        EXPECT_LT(L1Distance(Rank(*store, options, Importance()).values[0], exact_), 1e-9)
            << "on disk " << on_disk << ", Gauss-Seidel " << (order == rank::Order::kGaussSeidel)
            << ", plus identity " << plus_identity;
      }
    }
  }
}

TEST(LinkReading, GivesTheSameLinksAsTheGraphReadThatWay) {
  const graph::Graph web = ConnectedWeb();
  const auto ranked = [&](rank::LinkReading reading) {
    rank::RankLinks links = rank::RankLinks::Begin(PlanFor(false), kSmallTiles, reading).value();
    for (const graph::Edge edge : web.Edges()) EXPECT_TRUE(links.Add(edge.from, edge.to).ok());
    return Rank(*std::move(links).Finish().value(), Precisely(), Importance()).values[0];
  };
  EXPECT_LT(L1Distance(ranked(rank::LinkReading::kForward), graph::PageRank(web)), 1e-9);
  EXPECT_LT(L1Distance(ranked(rank::LinkReading::kBackward), graph::PageRank(web.Reversed())),
            1e-9);
  EXPECT_LT(L1Distance(ranked(rank::LinkReading::kBothWays), graph::PageRank(web.Undirected())),
            1e-9);
}

// Two pages that link to each other and no other have period 2: from an uneven start (dagger) goes
// to and fro, (dagger prime) does not.
TEST(Undirected, PairNeedsTheIdentityToConverge) {
  const graph::Graph pair = graph::Graph::FromEdges(2, {{0, 1}}).Undirected();
  rank::RankOptions options = Precisely();
  options.matrix = graph::LinkMatrix::kAdjacency;
  options.leak = rank::Leak::kNormalise;
  options.damping = 1;
  options.iterations_max = 100;
  const rank::Rankings uneven = {rank::Personalisation::Of({{0, 3}, {1, 1}}).value(), std::nullopt};
  EXPECT_FALSE(Rank(*Store(pair, PlanFor(false)), options, uneven).summary.converged);
  options.plus_identity = true;
  EXPECT_TRUE(Rank(*Store(pair, PlanFor(false)), options, uneven).summary.converged);
}

// A star has period 2 as well; its eigenvector is the square root of 3 in the middle, 1 at the
// tips.
TEST(Undirected, StarNeedsTheIdentityInMemoryToo) {
  const graph::Graph star = graph::Graph::FromEdges(4, {{0, 1}, {2, 0}, {0, 3}}).Undirected();
  const auto ranked = [&](bool plus_identity) {
    return graph::RankPages(star, {.damping = 1,
                                   .matrix = graph::LinkMatrix::kAdjacency,
                                   .plus_identity = plus_identity,
                                   .iterations_max = 500});
  };
  EXPECT_GT(ranked(false).l1_change, 0.1);
  EXPECT_NEAR(ranked(true).importance[0], std::sqrt(3) / (3 + std::sqrt(3)), 1e-9);
}

class OnLine : public testing::TestWithParam<MatrixUnderTest> {};
INSTANTIATE_TEST_SUITE_P(Adjacency, OnLine, testing::ValuesIn(absl::MakeSpan(kMatrices).subspan(4)),
                         [](const auto& info) { return NameOf(info.param); });

TEST_P(OnLine, ConvergesToTheEigenvectorAsOneOverG) {
  const graph::Graph web = GetParam().Read(ConnectedWeb());
  const std::vector<double> exact = Dominant(DenseOf(ConnectedWeb(), GetParam()));
  for (const auto kind :
       {schedule::StrategyKind::kCycle, schedule::StrategyKind::kRandom,
        schedule::StrategyKind::kGreedy, schedule::StrategyKind::kThresholdSweep}) {
    MatrixOpic opic(web, {.damping = GetParam().damping, .strategy = kind});
    opic.Run(web.pages() * 40);
    const double early = L1Distance(opic.Importance(), exact), early_clock = opic.clock();
    opic.Run(web.pages() * 4000);
    const double growth = opic.clock() / early_clock;
    EXPECT_GT(growth, 10) << schedule::Name(kind);
    // Single moments scatter around the rate.
    EXPECT_LT(L1Distance(opic.Importance(), exact), std::max(4 * early / growth, 1e-6))
        << schedule::Name(kind) << ", early " << early << ", growth " << growth;
  }
}

TEST_P(OnLine, LearnsTheEigenvalue) {
  const graph::Graph web = GetParam().Read(ConnectedWeb());
  const Dense l = DenseOf(ConnectedWeb(), GetParam());
  const std::vector<double> x = Dominant(l);
  double eigenvalue = 0;  // |L x|, x being of size 1
  for (const auto& row : l) eigenvalue += std::inner_product(x.begin(), x.end(), row.begin(), 0.0);
  MatrixOpic opic(web, {.damping = GetParam().damping});
  opic.Run(web.pages() * 1000);
  EXPECT_NEAR(opic.eigenvalue() / eigenvalue, 1, 0.01);
}

}  // namespace
}  // namespace opic::sim
