#include "graph/errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace opic::graph {
namespace {

using Values = absl::Span<const double>;

void CheckSizes(Values a, Values b) {
  OPIC_CHECK(!a.empty() && a.size() == b.size()) << a.size() << " and " << b.size();
}

double RelativeError(double estimate, double exact) { return std::abs(estimate - exact) / exact; }

double DiscountedGain(absl::Span<const uint32_t> pages, Values exact) {
  double gain = 0;
  for (size_t i = 0; i < pages.size(); ++i) gain += exact[pages[i]] / std::log2(i + 2.0);
  return gain;
}

// Positions from 0, the mean position where values are equal.
std::vector<double> Ranks(Values values) {
  const std::vector<uint32_t> order = TopPages(values, values.size());
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

double PairsOf(size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

// Pairs of elements with the same key; equal keys are neighbours.
template <typename T, typename Key>
double EqualPairs(const std::vector<T>& sorted, const Key& key) {
  double pairs = 0;
  for (size_t begin = 0, end; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && key(sorted[end]) == key(sorted[begin])) ++end;
    pairs += PairsOf(end - begin);
  }
  return pairs;
}

// Merge sort. An inversion is a pair whose first value is the larger one.
double SortCountingInversions(std::vector<double>& values) {
  double inversions = 0;
  std::vector<double> merged(values.size());
  for (size_t width = 1; width < values.size(); width *= 2) {
    for (size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, values.size());
      const size_t end = std::min(begin + 2 * width, values.size());
      for (size_t left = begin, right = middle, out = begin; out < end; ++out) {
        if (left < middle && (right == end || values[left] <= values[right])) {
          merged[out] = values[left++];
        } else {
          inversions += static_cast<double>(middle - left);
          merged[out] = values[right++];
        }
      }
    }
    values.swap(merged);
  }
  return inversions;
}

}  // namespace

std::vector<uint32_t> TopPages(Values values, size_t k) {
  std::vector<uint32_t> pages(values.size());
  std::iota(pages.begin(), pages.end(), 0);
  k = std::min(k, pages.size());
  const auto before = [&](uint32_t a, uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  // Faster than std::partial_sort, which keeps a heap of k, as soon as k is more than a few.
  if (k < pages.size()) {
    std::nth_element(pages.begin(), pages.begin() + static_cast<ptrdiff_t>(k), pages.end(), before);
    pages.resize(k);
  }
  std::sort(pages.begin(), pages.end(), before);
  return pages;
}

double MeanErrorPercent(Values estimate, Values exact) {
  CheckSizes(estimate, exact);
  double sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) sum += RelativeError(estimate[i], exact[i]);
  return 100 * sum / exact.size();
}

double TopMeanErrorPercent(Values estimate, Values exact, double share) {
  CheckSizes(estimate, exact);
  const std::vector<uint32_t> top =
      TopPages(exact, std::max<size_t>(1, std::llround(share * exact.size())));
  double sum = 0;
  for (const uint32_t page : top) sum += RelativeError(estimate[page], exact[page]);
  return 100 * sum / top.size();
}

double L1Distance(Values a, Values b) {
  OPIC_CHECK(a.size() == b.size()) << a.size() << " and " << b.size();
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i) distance += std::abs(a[i] - b[i]);
  return distance;
}

double Spearman(Values a, Values b) {
  CheckSizes(a, b);
  const std::vector<double> ranks_a = Ranks(a), ranks_b = Ranks(b);
  const double mean = (a.size() - 1.0) / 2;
  double both = 0, square_a = 0, square_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (ranks_a[i] - mean) * (ranks_b[i] - mean);
    square_a += (ranks_a[i] - mean) * (ranks_a[i] - mean);
    square_b += (ranks_b[i] - mean) * (ranks_b[i] - mean);
  }
  if (square_a == 0 || square_b == 0) return 0;
  return both / std::sqrt(square_a * square_b);
}

double Kendall(Values a, Values b) {
  CheckSizes(a, b);
  std::vector<std::pair<double, double>> both(a.size());
  for (size_t i = 0; i < a.size(); ++i) both[i] = {a[i], b[i]};
  std::sort(both.begin(), both.end());
  const double pairs = PairsOf(a.size());
  const double equal_a = EqualPairs(both, [](const auto& x) { return x.first; });
  const double equal_both = EqualPairs(both, [](const auto& x) { return x; });
  std::vector<double> values(b.size());
  for (size_t i = 0; i < b.size(); ++i) values[i] = both[i].second;
  const double opposite = SortCountingInversions(values);
  const double equal_b = EqualPairs(values, [](double x) { return x; });
  if (equal_a == pairs || equal_b == pairs) return 0;
  const double surplus = pairs - equal_a - equal_b + equal_both - 2 * opposite;
  return surplus / std::sqrt((pairs - equal_a) * (pairs - equal_b));
}

double Ndcg(Values estimate, Values exact, size_t k) {
  CheckSizes(estimate, exact);
  OPIC_CHECK(k > 0);
  return DiscountedGain(TopPages(estimate, k), exact) / DiscountedGain(TopPages(exact, k), exact);
}

double TopOverlap(Values estimate, Values exact, size_t k, double slack) {
  CheckSizes(estimate, exact);
  OPIC_CHECK(k > 0);
  const std::vector<uint32_t> found = TopPages(estimate, k);
  const double least = exact[TopPages(exact, k).back()] * (1 - slack);
  const auto belong = std::count_if(found.begin(), found.end(),
                                    [&](uint32_t page) { return exact[page] >= least; });
  return static_cast<double>(belong) / found.size();
}

double TopCaptured(Values estimate, Values exact, size_t k) {
  CheckSizes(estimate, exact);
  OPIC_CHECK(k > 0);
  const auto sum = [&](const std::vector<uint32_t>& pages) {
    return std::accumulate(pages.begin(), pages.end(), 0.0,
                           [&](double sum, uint32_t page) { return sum + exact[page]; });
  };
  return sum(TopPages(estimate, k)) / sum(TopPages(exact, k));
}

}  // namespace opic::graph
