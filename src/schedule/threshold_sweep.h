// The threshold sweep (docs/algorithm.md section 4): walk the table and choose every page whose
// cash has reached a threshold θ, which follows the cash so that about one eligible page in twelve
// is chosen.
//
// It needs no heap over pages: a choice costs the slots walked, some twelve when all are eligible.
//
//   1  start                                     θ = 1.9 · mean cash
//   2  after a block of eligible pages           θ *= exp(clip(0.25 · (chosen / (r · scanned) − 1),
//                                                ±0.5)), r = 1/12
//   3  a quarter turn without a choice           θ *= 0.9
//   4  a whole turn without a choice             θ = the largest eligible cash seen in it
//   5  θ below one unit                          θ = 0: pages without cash are chosen too
//   6  θ = 0, cash on more than r of a block     θ = 1.9 · mean cash of the block
//
// Rules 4 to 6 are not in the paper or the thesis. Rule 4 reaches the end of a crawl, where little
// cash is left on unread pages, in a few turns. Rule 6 finds the way back when cash comes in again,
// because no factor lifts a zero.
// Every page that stays eligible is chosen sooner or later, because θ falls as long as nothing
// reaches it.
#pragma once

#include "schedule/strategy.h"

namespace opic::schedule {

// Thread safety: confined to the owner thread.
class ThresholdSweep final : public Strategy {
 public:
  void Choose(Pool& pool, size_t want, uint64_t slots_budget,
              std::vector<Candidate>& chosen) override;
  cash::Amount threshold() const override;

 private:
  // Counts since some moment.
  struct Block {
    uint64_t scanned = 0;  // eligible pages met
    uint64_t chosen = 0;
    uint64_t holders = 0;  // met with any cash
    cash::Sum cash = 0;    // of all met
  };

  void Start(const Pool& pool);
  bool Meet(const Candidate& candidate);
  void Adapt();
  void Lower(uint64_t walked, uint64_t slots);
  void SetThreshold(double units);

  bool started_ = false;
  double threshold_ = 0;  // θ in units, 0 or at least 1
  Block block_;
  // Since the last choice:
  uint64_t slots_walked_ = 0;
  uint64_t quarters_lowered_ = 0;
  cash::Amount largest_seen_;
};

}  // namespace opic::schedule
