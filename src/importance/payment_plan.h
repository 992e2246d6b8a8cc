// What each page is to pay so that no cash is left, worked out before any of them pays (ledger
// push).
//
// With the cash C of some pages and Q_ji = (1 - epsilon) / k_i for each link i -> j of a page with
// k_i links, every page pays once
//
//   d = C + Q d
//
// and is left with what it was paid by the others less what it has paid ahead: nothing, in whatever
// order they pay. To settle page after page by the cash that it has at the time comes to the same
// with many visits a page. (Gauss-Seidel iteration; docs/algorithm.md section 2.)
//
// Of the links to pages elsewhere only those to pages of other plans count: what these get is
// gathered, for whoever makes their plan. Several plans that tell each other so come to what one of
// all their pages would (node/settling_plan.h). Floating point is no danger to the money: a page
// may pay any amount and owe what it did not have (push.h). A plan that is out of date leaves cash
// behind, and nothing worse.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cash/amount.h"
#include "cash/split.h"

namespace opic::importance {

class PaymentPlan {
 public:
  struct Payment {
    uint32_t page;
    cash::Amount amount;  // not 0
  };

  static constexpr int kPassesMax = 200;

  explicit PaymentPlan(cash::SmallEdge epsilon) : follow_(1 - epsilon.share()) {}

  // The next page, number pages(). It has so many `links`, of which those `inside` are to pages of
  // the plan, also to such as will be added, and those to `others` are to pages of other plans,
  // which have numbers of their own from 0 on.
  void AddPage(size_t links, absl::Span<const uint32_t> inside, absl::Span<const uint32_t> others);
  size_t pages() const { return each_.size(); }
  size_t links() const { return targets_.size() + other_targets_.size(); }
  // What it takes in memory when pages, links and pages of other plans are so many, with vectors
  // that grow.
  static size_t BytesFor(size_t pages, size_t links, size_t others);

  // A new plan for pages that have so much cash, in units: until what is left of it, without signs,
  // is at most `left_max`. REQUIRES: the cash of every page; `inside` numbers below pages().
  void Begin(std::vector<double> cash, double left_max);
  // Goes on, for about `links_max` links. True: the plan is made. One that has not come so far
  // after kPassesMax passes over all pages is as good as it gets, with an epsilon of nearly
  // nothing.
  bool Work(size_t links_max);
  // What goes to other plans, without signs; as much may come back. REQUIRES: the plan is made.
  double Away() const;
  // What pages of other plans get since it was taken last, by number.
  std::vector<double> TakeOutgoing();
  // Another plan pays so much to a page of this one, which is then worked out once more.
  void Add(uint32_t page, double cash) { left_[page] += cash; }
  void WorkAgain(double left_max);
  // What is left, without signs. O(pages).
  double Left() const;
  // The payments of the plan, ascending by page, without the smallest: what is left where those are
  // not made is `without_max` at most. Empty, too, where they come to more than a quarter of the
  // supply.
  std::vector<Payment> Payments(double without_max) const;

 private:
  double follow_;                            // 1 - epsilon
  std::vector<uint64_t> ends_, other_ends_;  // of each page's part of targets_ and other_targets_
  std::vector<uint32_t> targets_;            // pages of the plan
  std::vector<uint32_t> other_targets_;      // pages of other plans
  std::vector<double> each_;                 // what a link of the page gets of a unit
  std::vector<double> left_, pays_;          // of each page
  std::vector<double> outgoing_;             // to each page of other plans
  double left_max_ = 0;
  int passes_ = 0;   // that have ended
  size_t next_ = 0;  // page of the present one
};

}  // namespace opic::importance
