#include "schedule/refresh_demand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/rng.h"

namespace opic::schedule {
namespace {

constexpr double kFloor = 1e-4, kCap = 1e-1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A node with pages of these weights, and the talk of it with others.
struct Node {
  std::vector<double> weights;
  double rate = 1;
  RefreshDemand told;
  double part = 0;

  double PlannedWith(double m) const {
    double sum = 0;
    for (double weight : weights) sum += std::clamp(weight * m, kFloor, kCap);
    return sum;
  }
  void TellAround(int exponent) {
    told.rate = rate;
    told.first = exponent - RefreshDemand::kPoints / 2;
    told.least = PlannedWith(0);
    for (size_t i = 0; i < told.planned.size(); ++i)
      told.planned[i] = PlannedWith(MultiplierOf(told.first + static_cast<int>(i)));
    told.most = PlannedWith(kInfinity);
  }
};

// Everybody hears everybody, so many times.
void Talk(std::vector<Node>& nodes, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<RefreshPart> parts;
    for (const Node& node : nodes) {
      std::vector<RefreshDemand> others;
      for (const Node& other : nodes)
        if (&other != &node) others.push_back(other.told);
      parts.push_back(PartOf(node.told, others));
    }
    for (size_t n = 0; n < nodes.size(); ++n) {
      nodes[n].part = parts[n].pages_per_s;
      nodes[n].TellAround(parts[n].exponent);
    }
  }
}

double SumOfParts(const std::vector<Node>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                         [](double sum, const Node& node) { return sum + node.part; });
}

// As many pages on each node, and the weights of node n greater by 4^n.
std::vector<Node> UnequalNodes(size_t count, double rate) {
  base::Rng rng(5);
  std::vector<Node> nodes(count);
  for (size_t n = 0; n < count; ++n) {
    nodes[n].rate = rate;
    for (int i = 0; i < 1000; ++i)
      nodes[n].weights.push_back(std::exp(3 * rng.Uniform()) * std::pow(4, n));
    nodes[n].TellAround(0);
  }
  return nodes;
}

TEST(RefreshDemandTest, ANodeAloneHasItsOwnRate) {
  std::vector<Node> nodes = UnequalNodes(1, 7);
  Talk(nodes, 1);
  EXPECT_DOUBLE_EQ(nodes[0].part, 7);
  RefreshDemand none;
  EXPECT_DOUBLE_EQ(PartOf(nodes[0].told, {none, none}).pages_per_s, 7);
}

// The optimum of all pages as one node would have it.
TEST(RefreshDemandTest, AllNodesPlanWithOneMultiplier) {
  std::vector<Node> nodes = UnequalNodes(4, 10);
  double low = 1e-30, high = 1e30;
  for (int i = 0; i < 200; ++i) {
    const double m = std::sqrt(low * high);
    double sum = 0;
    for (const Node& node : nodes) sum += node.PlannedWith(m);
    (sum < 40 ? low : high) = m;
  }
  Talk(nodes, 5);
  EXPECT_NEAR(SumOfParts(nodes), 40, 1e-9);
  for (const Node& node : nodes) {
    EXPECT_NEAR(node.part, node.PlannedWith(low), 0.02 * node.PlannedWith(low));
  }
  EXPECT_GT(nodes[3].part, 10 * nodes[0].part);
  EXPECT_NEAR(PartOf(nodes[0].told, {nodes[1].told, nodes[2].told, nodes[3].told}).multiplier, low,
              0.02 * low);
}

TEST(RefreshDemandTest, ADistantMultiplierIsFound) {
  std::vector<Node> nodes = UnequalNodes(3, 10);
  for (Node& node : nodes) node.TellAround(300);
  nodes[1].TellAround(-200);
  Talk(nodes, 60);
  std::vector<Node> near = UnequalNodes(3, 10);
  Talk(near, 5);
  for (size_t n = 0; n < 3; ++n) EXPECT_NEAR(nodes[n].part, near[n].part, 0.02 * near[n].part);
}

TEST(RefreshDemandTest, PartsAddUpWhateverIsTold) {
  base::Rng rng(11);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Node> nodes(1 + rng.Below(6));
    double rate = 0;
    for (Node& node : nodes) {
      node.rate = rng.Below(4) == 0 && &node != nodes.data() ? 0 : 1 + 20 * rng.Uniform();
      const uint64_t count = rng.Below(200);
      for (uint64_t i = 0; i < count; ++i)
        node.weights.push_back(std::exp2(20 * rng.Uniform() - 10));
      node.TellAround(static_cast<int>(rng.Below(60)) - 30);
      rate += node.rate;
    }
    double sum = 0;
    for (const Node& node : nodes) {
      if (node.rate == 0) continue;
      std::vector<RefreshDemand> others;
      for (const Node& other : nodes)
        if (&other != &node) others.push_back(other.told);
      const double part = PartOf(node.told, others).pages_per_s;
      ASSERT_GE(part, 0);
      sum += part;
    }
    ASSERT_NEAR(sum, rate, 1e-9 * rate) << "trial " << trial;
  }
}

TEST(RefreshDemandTest, FloorsThatAreTooMuchAreCutAndWhatCapsLeaveIsKept) {
  std::vector<Node> nodes = UnequalNodes(2, 0.05);
  nodes[1].weights.resize(500);
  nodes[1].TellAround(0);
  Talk(nodes, 3);
  EXPECT_NEAR(nodes[0].part, 0.1 * 1000 / 1500, 1e-9);
  EXPECT_NEAR(nodes[1].part, 0.1 * 500 / 1500, 1e-9);
  nodes[0].rate = 100, nodes[1].rate = 300;
  Talk(nodes, 3);
  EXPECT_NEAR(nodes[0].part, 100 + 250.0 * 1 / 4, 1e-9);
  EXPECT_NEAR(nodes[1].part, 50 + 250.0 * 3 / 4, 1e-9);
}

TEST(RefreshDemandTest, OnlySoundNumbersAreTaken) {
  Node node;
  node.weights = {1, 2, 3};
  node.TellAround(0);
  const RefreshDemand sound = node.told;
  EXPECT_TRUE(IsSound(sound));
  EXPECT_TRUE(IsSound(RefreshDemand{}));
  for (double bad : {-1.0, kInfinity, std::nan("")}) {
    RefreshDemand demand = sound;
    demand.rate = bad;
    EXPECT_FALSE(IsSound(demand));
    demand = sound, demand.least = bad;
    EXPECT_FALSE(IsSound(demand));
    demand = sound, demand.planned[3] = bad;
    EXPECT_FALSE(IsSound(demand));
    demand = sound, demand.most = bad;
    EXPECT_FALSE(IsSound(demand));
  }
  RefreshDemand demand = sound;
  std::swap(demand.planned.front(), demand.most);
  EXPECT_FALSE(IsSound(demand)) << "it falls";
  for (int first : {1 << 20, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    demand = sound, demand.first = first;
    EXPECT_FALSE(IsSound(demand));
  }
  demand = sound, demand.rate = 1e300;
  EXPECT_FALSE(IsSound(demand));
}

TEST(RefreshDemandTest, ExponentsAreHalfOctaves) {
  EXPECT_EQ(ExponentOf(MultiplierOf(-37)), -37);
  EXPECT_EQ(ExponentOf(1), 0);
  EXPECT_EQ(ExponentOf(4), 4);
  EXPECT_EQ(ExponentOf(0), -RefreshDemand::kExponentMax);
  EXPECT_EQ(ExponentOf(kInfinity), RefreshDemand::kExponentMax);
}

}  // namespace
}  // namespace opic::schedule
