// How much is fetched again of what was read before, and what the plan of it is like now.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "refresh/category.h"
#include "schedule/rate_budget.h"

namespace opic::node {

struct RefreshOptions {
  static constexpr double kRateMax = schedule::kPagesPerSecondMax;

  double pages_per_s = 0;  // of all fetches; 0: no page is read again by itself
  // The share of that for pages read before, above 0 and at most 1; all while nothing is left to
  // discover.
  double share = 0.5;
  // Bounds of the time between two readings of a page; at least a second.
  absl::Duration shortest = absl::Hours(1), longest = absl::Hours(24 * 90);
  refresh::Factors factors = refresh::kNoFactors;  // from 0 to kFactorMax
  bool on() const { return pages_per_s > 0; }
};

// What an operator has changed of them while the node runs; nothing: as started.
struct RefreshTuning {
  std::optional<double> pages_per_s;
  std::optional<double> share;
  std::array<std::optional<double>, refresh::kCategories> factors;

  // What `changes` has takes the place of what is here.
  void Take(const RefreshTuning& changes);
};

// InvalidArgument: out of the bounds of RefreshOptions.
absl::Status CheckTuning(const RefreshTuning& tuning);

struct RefreshStats {
  struct OfCategory {
    double factor = 1;
    uint64_t planned = 0;   // pages
    uint64_t readings = 0;  // of pages that were read before, since the process began
  };
  bool on = false;
  bool counting = false;    // not all rows were counted yet
  uint64_t planned = 0;     // pages that are to be read again
  uint64_t fixed = 0;       // of those, at a fixed period
  uint64_t due = 0;         // that are due, and were not offered yet
  double bandwidth = 0;     // fetches a second for them, now
  double borrowed = 0;      // of these, from other nodes of the cluster; negative: lent to them
  double planned_rate = 0;  // that the plan asks for
  double fixed_rate = 0;    // of those, for pages at a fixed period
  uint64_t publications = 0;
  std::array<OfCategory, refresh::kCategories> categories;
};

}  // namespace opic::node
