#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "graph/errors.h"

namespace opic::graph {
namespace {

TEST(Kendall, ComparesOrdersOnly) {
  EXPECT_DOUBLE_EQ(Kendall({1, 2, 3}, {10, 200, 3000}), 1);
  EXPECT_DOUBLE_EQ(Kendall({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(Kendall({1, 2, 3, 4}, {1, 3, 2, 4}), 4.0 / 6);
}

TEST(Kendall, IsZeroBesideAConstant) { EXPECT_EQ(Kendall({1, 2, 3}, {7, 7, 7}), 0); }

// Tau-b by its definition, pair by pair.
double PairByPair(const std::vector<double>& a, const std::vector<double>& b) {
  double surplus = 0, differ_a = 0, differ_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int order_a = (a[i] > a[j]) - (a[i] < a[j]), order_b = (b[i] > b[j]) - (b[i] < b[j]);
      surplus += order_a * order_b;
      differ_a += order_a != 0, differ_b += order_b != 0;
    }
  }
  return surplus / std::sqrt(differ_a * differ_b);
}

TEST(Kendall, AllowsForEqualValuesAsTauBDoes) {
  base::Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> a(3 + rng.Below(40)), b(a.size());
    for (double& x : a) x = static_cast<double>(rng.Below(9));
    for (double& x : b) x = static_cast<double>(rng.Below(5));
    a[0] = b[0] = 100;
    EXPECT_NEAR(Kendall(a, b), PairByPair(a, b), 1e-12);
  }
}

}  // namespace
}  // namespace opic::graph
