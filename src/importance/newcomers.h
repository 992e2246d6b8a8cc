// The default importance of a new page (paper section 3.3, "Expanding the graph"; docs/algorithm.md
// section 3).
//
// Important pages are discovered first, so a new page resembles those introduced shortly before it:
// its prior is their running mean importance, taken relative to the number of pages known then, and
// never more than an even share. Each observation is capped alike: uncapped, a few early large
// values poison the mean for long.
#pragma once

#include <algorithm>
#include <cstdint>

namespace opic::importance {

// Thread safety: confined to the owner thread.
class Newcomers {
 public:
  // `mean` as a former Newcomers returned it; 0 to begin with.
  explicit Newcomers(double mean = 0) : mean_(mean) {}

  // The first estimate that rests on a measure, of a page introduced lately, when `known` pages
  // were known.
  void Observe(double importance, uint64_t known) {
    mean_ += (std::min(importance * static_cast<double>(known), 1.0) - mean_) / kRemembered;
  }
  // For Window::Discovered, with `known` pages known now.
  double Prior(uint64_t known) const {
    return known == 0 ? 0 : std::min(mean_, 1.0) / static_cast<double>(known);
  }
  double mean() const { return mean_; }  // in even shares of one page

 private:
  static constexpr double kRemembered = 1024;  // pages that the mean looks back on
  double mean_;
};

}  // namespace opic::importance
