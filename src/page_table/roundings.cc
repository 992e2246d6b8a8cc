#include "page_table/roundings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/encoding.h"

namespace opic::page_table {

// The variances of a page's credits in a run of exponents add up before the root is taken, and
// those of different runs after it. Any division into runs gives a bound; this is the least.
double Roundings::Drift(uint64_t pages, double flow) const {
  std::array<double, 65> least{};  // of the exponents below
  // Below an exponent of 2 a step is one unit, and nothing is rounded.
  for (size_t end = 3; end < least.size(); ++end) {
    least[end] = least[end - 1];
    if (credits_[end - 1] == 0) continue;
    least[end] = std::numeric_limits<double>::infinity();
    double reached = 0, variance = 0;
    for (size_t exponent = end - 1; exponent >= 2; --exponent) {
      const auto credits = static_cast<double>(credits_[exponent]);
      const auto entries = static_cast<double>(entries_[exponent]);
      const double step = std::ldexp(1, static_cast<int>(exponent) - 1);
      reached += std::min({credits, entries, flow / (1024 * step)});
      variance += step * step * credits / 6;
      const double of_pages = std::min(reached, static_cast<double>(pages));
      least[end] = std::min(least[end], least[exponent] + std::sqrt(of_pages * variance));
    }
  }
  return least.back();
}

Roundings& Roundings::operator+=(const Roundings& more) {
  for (size_t i = 0; i < credits_.size(); ++i) {
    credits_[i] += more.credits_[i];
    entries_[i] += more.entries_[i];
  }
  return *this;
}

Roundings Roundings::Since(const Roundings& earlier, const Roundings& held) const {
  Roundings since = *this;
  for (size_t i = 0; i < credits_.size(); ++i) {
    since.credits_[i] -= std::min(since.credits_[i], earlier.credits_[i]);
    since.entries_[i] -= std::min(since.entries_[i], earlier.entries_[i]);
    since.entries_[i] += held.entries_[i];
  }
  return since;
}

std::string Roundings::Encode() const {
  std::string out;
  for (uint64_t credits : credits_) base::AppendVarint(out, credits);
  for (uint64_t entries : entries_) base::AppendVarint(out, entries);
  return out;
}

absl::StatusOr<Roundings> Roundings::Decode(std::string_view bytes) {
  base::Decoder in(bytes);
  Roundings roundings;
  for (uint64_t& credits : roundings.credits_) credits = in.Varint();
  // Entries were not counted at first; there are no more than credits.
  roundings.entries_ = roundings.credits_;
  if (in.ok() && in.done()) return roundings;
  for (uint64_t& entries : roundings.entries_) entries = in.Varint();
  if (!in.ok() || !in.done()) return absl::DataLossError("damaged counts of roundings");
  return roundings;
}

}  // namespace opic::page_table
