#include "importance/push.h"

#include <algorithm>
#include <cmath>

namespace opic::importance {
namespace {

double Magnitude(cash::Sum sum) { return std::abs(static_cast<double>(sum)); }

// (1 - epsilon) / epsilon: what a unit of cash can still move.
double Reach(cash::SmallEdge epsilon) {
  return (1 - epsilon.share()) / std::max(epsilon.share(), 0x1.0p-32);
}

// How far cash of read pages is from an even share, in sum.
double ReadResidual(const PushTotals& totals) {
  return Magnitude(totals.residual) + Magnitude(totals.read) *
                                          static_cast<double>(totals.unread_pages) /
                                          static_cast<double>(std::max(totals.pages, uint64_t{1}));
}

double ErrorOf(double residual, const PushTotals& totals, cash::SmallEdge epsilon) {
  constexpr double kMost = 2;  // of any two distributions
  const auto flow = static_cast<double>(PushFlow(totals));
  if (flow <= 0) return totals.pages == 0 ? 0 : kMost;
  return std::min(kMost, Reach(epsilon) * residual / flow);
}

}  // namespace

std::string_view Name(Method method) { return method == Method::kPush ? "push" : "window"; }

cash::Amount PaidToEach(cash::Sum history, uint64_t links, cash::SmallEdge epsilon) {
  if (links == 0) return cash::Amount();
  const cash::Sum kept = (cash::Sum{1} << 32) - epsilon.parts;
  const cash::Sum whole = history * kept, each = static_cast<cash::Sum>(links) << 32;
  const cash::Sum towards_zero = whole / each;
  return cash::Amount(static_cast<int64_t>(towards_zero - (whole % each < 0)));
}

cash::Sum PushFlow(const PushTotals& totals) { return totals.history + totals.unread; }

double PushEstimate(cash::Sum history, cash::Amount cash, const PushTotals& totals,
                    cash::SmallEdge epsilon) {
  const auto flow = static_cast<double>(PushFlow(totals));
  if (totals.pages == 0 || flow <= 0) return 0;
  const auto pages = static_cast<double>(totals.pages);
  const double recorded = static_cast<double>(history) + static_cast<double>(cash.units());
  const double waiting = static_cast<double>(totals.read) / pages;
  return std::max(epsilon.share() / pages, (recorded - waiting) / flow);
}

double PushRoundingError(const PushTotals& totals, cash::SmallEdge epsilon) {
  const auto flow = static_cast<double>(PushFlow(totals));
  if (flow <= 0) return 0;
  return Magnitude(totals.rounded) / std::max(epsilon.share(), 0x1.0p-32) / flow;
}

double PushErrorBound(const PushTotals& totals, cash::SmallEdge epsilon) {
  const double unread = Magnitude(totals.unread + 2 * totals.unread_debt);
  return ErrorOf(ReadResidual(totals) + (totals.reread > 0 ? unread : 0), totals, epsilon);
}

double PushSettledError(const PushTotals& totals, cash::SmallEdge epsilon) {
  return ErrorOf(ReadResidual(totals), totals, epsilon);
}

cash::Amount PushFloor(const PushTotals& totals, cash::SmallEdge epsilon, double error) {
  const uint64_t read_pages = totals.pages - totals.unread_pages;
  const auto flow = static_cast<double>(PushFlow(totals));
  if (read_pages == 0 || flow <= 0) return cash::Amount(1);
  const double floor = error * flow / (2 * Reach(epsilon) * static_cast<double>(read_pages));
  return cash::Amount(std::max(int64_t{1}, static_cast<int64_t>(std::min(floor, 1e18))));
}

}  // namespace opic::importance
