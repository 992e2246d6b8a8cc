#include "schedule/threshold_sweep.h"

#include <algorithm>
#include <cmath>

namespace opic::schedule {
namespace {

constexpr double kRate = 1.0 / 12;      // r, chosen among the scanned
constexpr double kGain = 0.25;          // of the adaptation
constexpr double kStepMax = 0.5;        // of log θ
constexpr double kStartFactor = 1.9;    // θ over the mean cash
constexpr double kQuarterFactor = 0.9;  // after a quarter turn without a choice
constexpr uint64_t kBlocksPerTurn = 64;
constexpr uint64_t kBlockMin = 64;  // fewer pages tell too little about a rate of 1/12
constexpr uint64_t kPieceSlots = 1024;

// A full block. Counted in eligible pages, so that θ follows as closely when few of many pages are
// eligible.
uint64_t BlockSize(const Pool& pool) {
  return std::max(kBlockMin, pool.eligible() / kBlocksPerTurn);
}

}  // namespace

void ThresholdSweep::Choose(Pool& pool, size_t want, uint64_t slots_budget,
                            std::vector<Candidate>& chosen) {
  if (pool.eligible() == 0) return;
  if (!started_) Start(pool);
  const uint64_t block_size = BlockSize(pool);
  const size_t end = chosen.size() + want;
  slots_budget =
      std::min(slots_budget, pool.slots());  // a turn at most, so that no page is met twice
  while (chosen.size() < end && slots_budget > 0) {
    // A slot gives one choice at most, so pieces as long as what is still wanted pass no page by
    // unread, but for the rest of a bundle; such pages are not counted and come again in the next
    // turn.
    const uint64_t piece =
        std::min<uint64_t>({slots_budget, end - chosen.size(), kPieceSlots, pool.slots()});
    pool.Walk(piece, [&](const Candidate& candidate) {
      if (chosen.size() == end) return;
      if (Meet(candidate)) chosen.push_back(candidate);
      if (block_.scanned >= block_size) Adapt();
    });
    slots_budget -= piece;
    Lower(piece, pool.slots());
  }
}

cash::Amount ThresholdSweep::threshold() const {
  return cash::Amount(static_cast<uint64_t>(std::ceil(threshold_)));
}

void ThresholdSweep::Start(const Pool& pool) {
  started_ = true;
  SetThreshold(kStartFactor * static_cast<double>(pool.mean_cash().units()));
}

bool ThresholdSweep::Meet(const Candidate& candidate) {
  ++block_.scanned;
  block_.cash += candidate.cash.units();
  if (candidate.cash.units() > 0) ++block_.holders;
  largest_seen_ = std::max(largest_seen_, candidate.cash);
  if (candidate.cash < threshold()) return false;
  ++block_.chosen;
  slots_walked_ = 0;
  quarters_lowered_ = 0;
  largest_seen_ = cash::Amount();
  return true;
}

void ThresholdSweep::Adapt() {
  const double expected = kRate * static_cast<double>(block_.scanned);
  if (threshold_ > 0) {
    const double excess = static_cast<double>(block_.chosen) / expected - 1;
    SetThreshold(threshold_ * std::exp(std::clamp(kGain * excess, -kStepMax, kStepMax)));
  } else if (static_cast<double>(block_.holders) > expected) {
    SetThreshold(kStartFactor * static_cast<double>(block_.cash) /
                 static_cast<double>(block_.scanned));
  }
  block_ = Block();
}

void ThresholdSweep::Lower(uint64_t walked, uint64_t slots) {
  slots_walked_ += walked;
  if (slots_walked_ >= slots) {
    // A double may be above a large amount that it stands for: the next one below never is.
    SetThreshold(std::nextafter(static_cast<double>(largest_seen_.units()), 0.0));
    slots_walked_ = 0;
    quarters_lowered_ = 0;
    largest_seen_ = cash::Amount();
    return;
  }
  while (slots_walked_ * 4 >= (quarters_lowered_ + 1) * slots) {
    ++quarters_lowered_;
    SetThreshold(threshold_ * kQuarterFactor);
  }
}

void ThresholdSweep::SetThreshold(double units) {
  // Nothing would be chosen above the supply, but for a while after a loss (cash::kHoldingMax).
  threshold_ = units < 1 ? 0 : std::min(units, static_cast<double>(cash::kSupply.units()));
}

}  // namespace opic::schedule
