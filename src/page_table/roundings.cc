#include "page_table/roundings.h"

#include <algorithm>
#include <cmath>

#include "base/encoding.h"

namespace opic::page_table {

double Roundings::Drift(uint64_t pages, double flow) const {
  double drift = 0;
  // Below an exponent of 2 a step is one unit, and nothing is rounded.
  for (size_t exponent = 2; exponent < credits_.size(); ++exponent) {
    const auto credits = static_cast<double>(credits_[exponent]);
    const double step = std::ldexp(1, static_cast<int>(exponent) - 1);
    const double reached = std::min({credits, static_cast<double>(pages), flow / (1024 * step)});
    drift += step * std::sqrt(reached * credits / 6);
  }
  return drift;
}

Roundings Roundings::Since(const Roundings& earlier) const {
  Roundings since = *this;
  for (size_t i = 0; i < credits_.size(); ++i) {
    since.credits_[i] -= std::min(since.credits_[i], earlier.credits_[i]);
  }
  return since;
}

std::string Roundings::Encode() const {
  std::string out;
  for (uint64_t credits : credits_) base::AppendVarint(out, credits);
  return out;
}

absl::StatusOr<Roundings> Roundings::Decode(std::string_view bytes) {
  base::Decoder in(bytes);
  Roundings roundings;
  for (uint64_t& credits : roundings.credits_) credits = in.Varint();
  if (!in.ok() || !in.done()) return absl::DataLossError("damaged counts of roundings");
  return roundings;
}

}  // namespace opic::page_table
