#include "importance/relaxation.h"

#include <algorithm>

namespace opic::importance {
namespace {

constexpr int64_t kExcessMin = Relaxation::kOne / 128;  // from which it can grow again

// What of the cash of a visit may be paid beyond it where nothing is measured: three fifths of
// epsilon / (2 - epsilon), at which cash would no longer fall.
int64_t Safe(cash::SmallEdge epsilon) {
  const int64_t one = int64_t{1} << 32, share = epsilon.parts;
  return std::min(3 * Relaxation::kOne * share / (5 * (2 * one - share)), Relaxation::kExcessMax);
}

}  // namespace

Relaxation::Relaxation(cash::SmallEdge epsilon) : epsilon_(epsilon), safe_(Safe(epsilon)) {}

cash::Amount Relaxation::Beyond(cash::Amount taken, bool pays_on) {
  settled_ += static_cast<cash::Sum>(taken.magnitude());
  if (!pays_on || taken.magnitude() > cash::kSupply.magnitude() / 2) return cash::Amount();
  const int64_t excess = more_ ? std::min(excess_, safe_) : excess_;
  return cash::Amount(static_cast<int64_t>(cash::Sum{taken.units()} * excess / kOne));
}

void Relaxation::GroupEnds(cash::Sum held, cash::Sum brought) {
  if (held_ && settled_ > 0 && !more_) {
    if (measured_ == 0) found_ = *held_;
    measured_ += settled_;
    grown_ += held - *held_ - brought;
  }
  held_ = held;
  more_ = false;
  settled_ = 0;
  if (measured_ > 0 && measured_ >= found_) Judge();
}

// With omega = 1 the virtual page gets at least epsilon of what is settled.
void Relaxation::Judge() {
  const cash::Sum sure = measured_ * epsilon_.parts >> 32;
  excess_ = -grown_ < sure ? std::max(excess_ / 2, std::min(kExcessMin, safe_))
                           : std::min(excess_ + excess_ / 5 + 1, kExcessMax);
  measured_ = grown_ = 0;
}

}  // namespace opic::importance
