// How much more than its cash a settled page pays (ledger push): successive over-relaxation.
//
// A page that was settled is paid again by the pages that it has just paid, and by others, most
// often in the same sense. So it pays omega * C instead of its cash C, and keeps the rest, a debt
// of (omega - 1) * C, for what is yet to come: fewer visits are needed until little cash is left
// (docs/algorithm.md section 2; D. M. Young, "Iterative Methods for Solving Partial Difference
// Equations of Elliptic Type", 1954). With 1 < omega < 2 / (2 - epsilon) the cash of all pages,
// without signs, falls with each visit, whatever the graph. Above that it need not: on a cycle of
// links it grows for ever. So what groups do is measured, and a factor that does worse than what
// omega = 1 is sure to do is given up (docs/decisions/2026-11-27-settled-pages-pay-ahead.md).
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstdint>
#include <optional>

#include "cash/amount.h"
#include "cash/split.h"

namespace opic::importance {

class Relaxation {
 public:
  // omega - 1 in parts of 2^16: one of them, and 0.2.
  static constexpr int64_t kOne = 1 << 16;
  static constexpr int64_t kExcessMax = kOne / 5;

  explicit Relaxation(cash::SmallEdge epsilon);

  // What a settled page of so much cash pays beyond it, in the same sense. `pays_on`: it has links;
  // else nothing, for nobody is paid the sooner. Nothing, too, where the cash is half of the
  // supply: such a page may have as much as a page can.
  cash::Amount Beyond(cash::Amount taken, bool pays_on);
  // The present group does more than to settle, which it cannot be measured by.
  void DoesMore() { more_ = true; }
  // A group has ended; the cash of this node's read pages, without signs, is `held` now, of which
  // peers have brought so much more than went to them.
  void GroupEnds(cash::Sum held, cash::Sum brought = 0);

  int64_t excess() const { return excess_; }  // omega - 1 where it is measured

 private:
  void Judge();

  const cash::SmallEdge epsilon_;
  const int64_t safe_;  // where groups cannot be measured
  int64_t excess_ = kExcessMax;
  std::optional<cash::Sum> held_;  // when the last group ended
  // Of the present group.
  bool more_ = false;
  cash::Sum settled_ = 0;
  // Since the last judgement, of groups that did nothing but settle: what the first of them found,
  // the cash that was settled, and by how much there is more of it, here or with peers.
  cash::Sum found_ = 0, measured_ = 0, grown_ = 0;
};

}  // namespace opic::importance
