// When pages are due to be read again: how many, by time and category.
#pragma once

#include <array>
#include <cstdint>

#include "absl/time/time.h"
#include "refresh/category.h"

namespace opic::node {

struct DueTimes {
  using ByCategory = std::array<uint64_t, refresh::kCategories>;  // pages

  // A page that is due later than now, but not later than the i-th of these, and not sooner, counts
  // there; the first are overdue.
  static constexpr size_t kRanges = 9;
  static absl::Duration Until(size_t range) {
    constexpr int64_t kMinutes[kRanges - 1] = {0, 1, 10, 60, 6 * 60, 1'440, 10'080, 43'200};
    return range + 1 < kRanges ? absl::Minutes(kMinutes[range]) : absl::InfiniteDuration();
  }

  std::array<ByCategory, kRanges> due{};
  ByCategory missed{};   // not found at their last readings: tried ever more rarely
  ByCategory stopped{};  // of a category that is not read again now
  ByCategory never{};    // not read again: gone, or out of scope

  void Add(const DueTimes& other);
};

}  // namespace opic::node
