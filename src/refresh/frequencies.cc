#include "refresh/frequencies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace opic::refresh {

Frequencies::Frequencies(const FrequencyOptions& options) : options_(options) {
  OPIC_CHECK(options.floor >= 0 && options.cap >= options.floor && std::isfinite(options.cap));
  OPIC_CHECK(options.bandwidth >= 0 && std::isfinite(options.bandwidth));
  OPIC_CHECK(options.categories > 0);
  categories_.resize(options.categories);
  for (Category& category : categories_) category.counts.resize(RefreshWeight::kCodes + 1);
  Settle();
}

void Frequencies::Add(RefreshWeight weight, size_t category) {
  Account(weight, category, 1);
  SettleIfOff();
}

void Frequencies::Remove(RefreshWeight weight, size_t category) {
  Account(weight, category, -1);
  SettleIfOff();
}

void Frequencies::Change(RefreshWeight from, RefreshWeight to, size_t category) {
  if (from == to) return;
  Account(from, category, -1);
  Account(to, category, 1);
  SettleIfOff();
}

void Frequencies::SetBandwidth(double bandwidth) {
  bandwidth = bandwidth > 0 ? std::min(bandwidth, 0x1p100) : 0;
  if (std::exchange(options_.bandwidth, bandwidth) != bandwidth) Settle();
}

void Frequencies::SetFactor(double factor, size_t category) {
  OPIC_CHECK(category < categories_.size());
  Category& changed = categories_[category];
  if (changed.scale > 0) refreshed_ -= changed.pages;
  factor = factor > 0 ? std::min(factor, 0x1p60) : 0;
  changed.scale = std::pow(factor, 1 / (kObsolescenceExponent + 1));
  if (changed.scale > 0) refreshed_ += changed.pages;
  Settle();
}

double Frequencies::Of(RefreshWeight weight, size_t category) const {
  return Clamped(weight, scale(category));
}

double Frequencies::OfAtLeast(double m, RefreshWeight weight, size_t category) const {
  return std::max(
      Of(weight, category),
      std::min(weight.code() == 0 ? 0 : weight.value() * scale(category) * m, options_.cap));
}

double Frequencies::scale(size_t category) const {
  OPIC_CHECK(category < categories_.size());
  return categories_[category].scale;
}

uint64_t Frequencies::pages(size_t category) const {
  OPIC_CHECK(category < categories_.size());
  return categories_[category].pages;
}

double Frequencies::Clamped(RefreshWeight weight, double scale) const {
  if (scale == 0) return 0;
  // A weight times an infinite m is the cap, no weight is the floor.
  const double shared = weight.code() == 0 ? 0 : weight.value() * scale * multiplier_;
  return std::clamp(shared, floor_, std::max(floor_, options_.cap));
}

double Frequencies::planned() const { return planned_; }

double Frequencies::planned(size_t category) const {
  OPIC_CHECK(category < categories_.size());
  double sum = 0;
  for (int code = 0; code <= RefreshWeight::kCodes; ++code) {
    const auto at = static_cast<uint16_t>(code);
    const uint64_t count = categories_[category].counts[at];
    if (count) sum += static_cast<double>(count) * Of(RefreshWeight::FromCode(at), category);
  }
  return sum;
}

double Frequencies::PlannedWith(double m) const {
  const Division at = Divide(m, options_.floor);
  const double shared = at.weights > 0 ? at.weights * m : 0;
  return at.floors * options_.floor + shared + at.caps * options_.cap;
}

double Frequencies::idle() const { return std::max(0.0, options_.bandwidth - planned_); }

void Frequencies::Account(RefreshWeight weight, size_t category, int64_t pages) {
  OPIC_CHECK(category < categories_.size());
  Category& its = categories_[category];
  uint64_t& count = its.counts[weight.code()];
  OPIC_CHECK(pages > 0 || count > 0) << "a page leaves with a weight that it did not have";
  count += static_cast<uint64_t>(pages);
  its.pages += static_cast<uint64_t>(pages);
  pages_ += static_cast<uint64_t>(pages);
  if (its.scale > 0) refreshed_ += static_cast<uint64_t>(pages);
  planned_ += static_cast<double>(pages) * Of(weight, category);
  if (weight.code() > 0) {
    its.first = std::min(its.first, int{weight.code()});
    its.last = std::max(its.last, int{weight.code()});
  }
}

void Frequencies::SettleIfOff() {
  const double off = planned_ - options_.bandwidth;
  const bool all_capped = std::isinf(multiplier_) && off <= 0;
  const bool settled = all_capped || std::abs(off) <= kTolerance * options_.bandwidth;
  // An equal share below the floor follows the number of pages, and ends when the floors fit.
  if (!settled || floor_ != options_.floor) Settle();
}

void Frequencies::Settle() {
  const double bandwidth = options_.bandwidth;
  const auto pages = static_cast<double>(refreshed_);
  const double share = bandwidth / std::max(pages, 1.0);
  floor_ = std::min(options_.floor, share);
  double unweighted = 0;
  for (const Category& category : categories_) {
    if (category.scale > 0) unweighted += static_cast<double>(category.counts[0]);
  }
  const double all_capped = unweighted * floor_ + (pages - unweighted) * options_.cap;
  if (all_capped <= bandwidth) {
    multiplier_ = std::numeric_limits<double>::infinity(), planned_ = all_capped;
  } else if (floor_ == share) {
    multiplier_ = 0, planned_ = bandwidth;
  } else {
    SolveMultiplier();
  }
}

Frequencies::Division Frequencies::Divide(double m, double floor) const {
  Division division;
  const double* const values = RefreshWeight::Values();
  for (const Category& category : categories_) {
    if (category.scale == 0) continue;
    division.floors += static_cast<double>(category.counts[0]);
    const double m_of_category = m * category.scale;
    double weights = 0;
    for (int code = category.first; code <= category.last; ++code) {
      const auto at = static_cast<size_t>(code);
      if (category.counts[at] == 0) continue;
      const auto count = static_cast<double>(category.counts[at]);
      const double frequency = values[at] * m_of_category;
      if (frequency <= floor) {
        division.floors += count;
      } else if (frequency >= options_.cap) {
        division.caps += count;
      } else {
        weights += count * values[at];
      }
    }
    division.weights += weights * category.scale;
  }
  return division;
}

// The sum of frequencies rises with m, and is linear in it between the points where a weight meets
// the floor or the cap: so it is solved by the line at hand, and by halving where that leads out of
// what is known to hold m. REQUIRES: the sum of floors is below B, the sum of caps above.
void Frequencies::SolveMultiplier() {
  const double bandwidth = options_.bandwidth;
  double low = 0, high = std::numeric_limits<double>::infinity();
  double m = multiplier_ > 0 && std::isfinite(multiplier_) ? multiplier_ : 1;
  for (int i = 0; i < 200; ++i) {
    const Division at = Divide(m, floor_);
    multiplier_ = m;
    planned_ = at.floors * floor_ + at.weights * m + at.caps * options_.cap;
    const double missing = bandwidth - planned_;
    if (std::abs(missing) <= 1e-12 * bandwidth) return;
    (missing > 0 ? low : high) = m;
    double next = at.weights > 0 ? m + missing / at.weights : -1;
    if (!(next > low && next < high)) {
      next = low == 0 ? high / 16 : std::isinf(high) ? low * 16 : std::sqrt(low * high);
    }
    if (next == m) return;
    m = next;
  }
}

}  // namespace opic::refresh
