#include "node/refresh_options.h"

#include <fmt/core.h>

#include "refresh/factor.h"

namespace opic::node {
namespace {

void Replace(std::optional<double>& number, const std::optional<double>& by) {
  if (by) number = by;
}

}  // namespace

void RefreshTuning::Take(const RefreshTuning& changes) {
  Replace(pages_per_s, changes.pages_per_s);
  Replace(share, changes.share);
  for (size_t c = 0; c < refresh::kCategories; ++c) Replace(factors[c], changes.factors[c]);
}

absl::Status CheckTuning(const RefreshTuning& tuning) {
  if (tuning.pages_per_s &&
      !(*tuning.pages_per_s > 0 && *tuning.pages_per_s <= RefreshOptions::kRateMax)) {
    return absl::InvalidArgumentError(fmt::format(
        "--rate {}: must be above 0 and at most 1,000,000 pages a second", *tuning.pages_per_s));
  }
  if (tuning.share && !(*tuning.share > 0 && *tuning.share <= 1)) {
    return absl::InvalidArgumentError(
        fmt::format("--share {}: must be above 0 and at most 1", *tuning.share));
  }
  for (size_t c = 0; c < refresh::kCategories; ++c) {
    const std::optional<double>& factor = tuning.factors[c];
    if (!factor || refresh::IsFactor(*factor)) continue;
    return absl::InvalidArgumentError(
        fmt::format("--factor {}={}: must be 0 (not read again), or from 0.001 to 1,000,000",
                    refresh::NameOf(static_cast<refresh::Category>(c)), *factor));
  }
  return absl::OkStatus();
}

}  // namespace opic::node
