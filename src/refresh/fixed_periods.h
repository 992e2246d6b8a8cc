// The pages that are read again at a fixed period, whatever they are worth (`opic publish every`):
// how many of each period there are, and what they take of the bandwidth together.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <map>

#include "base/check.h"

namespace opic::refresh {

class FixedPeriods {
 public:
  // A page comes or goes. `period`: in seconds, above 0.
  void Add(int64_t period) {
    ++pages_[period];
    changed_ = true;
  }
  // REQUIRES: a page with this period was added, and not removed since.
  void Remove(int64_t period) {
    const auto found = pages_.find(period);
    OPIC_CHECK(found != pages_.end()) << "a page leaves with a period that it did not have";
    if (--found->second == 0) pages_.erase(found);
    changed_ = true;
  }

  uint64_t pages() const {
    uint64_t all = 0;
    for (const auto& [period, pages] : pages_) all += pages;
    return all;
  }
  // In readings a second; O(periods) after a change, else O(1). It does not drift.
  double rate() {
    if (!changed_) return rate_;
    changed_ = false;
    rate_ = 0;
    for (const auto& [period, pages] : pages_)
      rate_ += static_cast<double>(pages) / static_cast<double>(period);
    return rate_;
  }

 private:
  std::map<int64_t, uint64_t> pages_;  // by their period
  bool changed_ = false;
  double rate_ = 0;
};

}  // namespace opic::refresh
