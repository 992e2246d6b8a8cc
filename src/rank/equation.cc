#include "rank/equation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace opic::rank {

absl::StatusOr<Personalisation> Personalisation::Of(
    std::vector<std::pair<uint32_t, double>> weights) {
  double total = 0;
  for (const auto& [page, weight] : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      return absl::InvalidArgumentError(
          absl::StrCat("personalisation of page ", page, ": no weight: ", weight));
    }
    total += weight;
  }
  if (!(total > 0) || !std::isfinite(total)) {
    return absl::InvalidArgumentError("personalisation: no page has a weight above zero");
  }
  std::sort(weights.begin(), weights.end());
  for (auto& entry : weights) entry.second /= total;
  Personalisation personalisation;
  personalisation.weights_ = std::move(weights);
  return personalisation;
}

void Personalisation::AddTo(uint32_t first, uint64_t pages, double factor,
                            absl::Span<double> values) const {
  if (uniform()) {
    const double each = factor / static_cast<double>(pages);
    for (double& value : values) value += each;
    return;
  }
  const uint64_t end = first + values.size();
  auto at = std::lower_bound(weights_.begin(), weights_.end(), std::pair(first, -1.0));
  for (; at != weights_.end() && at->first < end; ++at) {
    values[at->first - first] += factor * at->second;
  }
}

absl::StatusOr<RankStep> StepFrom(const RankOptions& options, const RankTotals& totals) {
  RankStep step;
  step.follow = options.damping;
  step.stay = options.plus_identity ? 1 : 0;
  double growth = 1;  // the size of c * M x + jump * E beside that of x
  if (options.leak == Leak::kSpread) {
    step.jump = totals.size - options.damping * totals.kept;
  } else {
    step.jump = (1 - options.damping) * totals.size;
    growth = (options.damping * totals.kept + step.jump) / totals.size;
  }
  step.scale = 1 / (growth + step.stay);  // r of 2.7
  if (!std::isfinite(step.scale)) {
    return absl::FailedPreconditionError("no importance is left: links carry none of it on");
  }
  return step;
}

}  // namespace opic::rank
