#include "schedule/interest.h"

#include <algorithm>

#include "base/rng.h"

namespace opic::schedule {
namespace {

constexpr double kPerLink = 0.5;      // of the worth of what is a link further
constexpr double kGeneralCounts = 4;  // readings that the more general form counts for
constexpr float kSeenMax = 64;        // beyond, the older ones count for less
constexpr float kGivesWay = 0.75F;  // of what was seen is left when another form comes to the cell

uint32_t TagOf(uint64_t key) { return static_cast<uint32_t>(base::Mix64(key) >> 32) | 1; }

}  // namespace

const Interest::Cell& Interest::CellOf(uint64_t key) const {
  return cells_[base::Mix64(key) & (cells_.size() - 1)];
}

double Interest::WorthOf(const PageForm& form) const {
  double worth = form.expected;
  for (const uint64_t key : form.keys) {
    const Cell& cell = CellOf(key);
    if (cell.tag == TagOf(key))
      worth = (cell.worth + kGeneralCounts * worth) / (cell.seen + kGeneralCounts);
  }
  return worth;
}

double Interest::Worth(double wanted, double best_discovered) {
  return std::clamp(std::max(wanted, kPerLink * best_discovered), 0.0, 1.0);
}

void Interest::Learn(const PageForm& form, double worth) {
  learnt_ = std::min(learnt_ + 1, kMeanOver);
  mean_ += (worth - mean_) / (kGeneralCounts + static_cast<double>(learnt_));
  for (const uint64_t key : form.keys) {
    Cell& cell = cells_[static_cast<size_t>(&CellOf(key) - cells_.data())];
    if (cell.tag != TagOf(key)) {
      cell.seen *= kGivesWay;
      cell.worth *= kGivesWay;
      if (cell.seen >= 1) continue;
      used_ += cell.tag == 0;
      cell = {.tag = TagOf(key)};
    }
    const float kept = cell.seen < kSeenMax ? 1 : 1 - 1 / kSeenMax;
    cell.seen = cell.seen * kept + 1;
    cell.worth = cell.worth * kept + static_cast<float>(worth);
  }
}

double Interest::FactorOf(const PageForm& form, double most) const {
  const double above = WorthOf(form) - mean_;
  return above <= 0 || mean_ >= 1 ? 1 : 1 + (most - 1) * std::min(1.0, above / (1 - mean_));
}

}  // namespace opic::schedule
