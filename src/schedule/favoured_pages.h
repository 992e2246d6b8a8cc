// Pages that are to be chosen before others of the same cash: the cash of each counts several
// times. A strategy walks over cash alone and cannot tell them apart; this is a bounded list beside
// it.
//
// Pages stand in a heap by cash times factor, as it was when they were last looked at. All of them
// are looked at again after every eighth of a list of additions and questions, so a question costs
// a few looks, whatever the length of the list. Unread pages are paid and pay nothing, so what the
// heap says is too little rather than too much.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "schedule/strategy.h"

namespace opic::schedule {

// `cash` as it counts: times `factor`, which is at least 0; never above the supply.
cash::Amount Weighed(cash::Amount cash, double factor);

class FavouredPages {
 public:
  // The cash of a page now; nothing: it is not to be chosen any more, and leaves the list.
  using CashOf = absl::FunctionRef<std::optional<cash::Amount>(PageId)>;

  // At most `most` pages, at least 1, are listed.
  explicit FavouredPages(size_t most);

  // A page that is listed keeps its place. When the list is full the half that counts least leaves
  // it.
  void Add(PageId page, double factor, CashOf cash_of);
  // Takes up to `most` pages out whose cash times factor has reached `threshold`, those that count
  // most first. Candidate::cash is without the factor.
  std::vector<Candidate> Take(size_t most, cash::Amount threshold, CashOf cash_of);
  void Clear();

  size_t size() const { return heap_.size(); }
  // Pages have left because it was full, since it was last cleared, or asked.
  bool TakeLeftOut() { return std::exchange(left_out_, false); }

 private:
  struct Entry {
    PageId page;
    float factor;
    int64_t weight;  // cash times factor, in units
  };
  static bool Less(const Entry& a, const Entry& b) { return a.weight < b.weight; }
  void LookAtAll(CashOf cash_of);
  void LookAtAllWhenDue(CashOf cash_of);
  void DropLesserHalf();

  const size_t most_;
  std::vector<Entry> heap_;  // the one that counts most in front
  absl::flat_hash_set<PageId> listed_;
  size_t done_since_ = 0;  // additions and questions, since all were looked at
  bool left_out_ = false;
};

}  // namespace opic::schedule
