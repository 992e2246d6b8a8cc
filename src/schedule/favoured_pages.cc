#include "schedule/favoured_pages.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace opic::schedule {
namespace {

constexpr size_t kLooksPerAct = 8;
constexpr size_t kActsMin = 16;

}  // namespace

cash::Amount Weighed(cash::Amount cash, double factor) {
  const double units = static_cast<double>(cash.units()) * factor;
  if (units >= static_cast<double>(cash::kSupply.units())) return cash::kSupply;
  return cash::Amount(static_cast<int64_t>(units));
}

FavouredPages::FavouredPages(size_t most) : most_(std::max<size_t>(most, 1)) {}

void FavouredPages::Add(PageId page, double factor, CashOf cash_of) {
  const auto kept = static_cast<float>(factor);
  if (!listed_.insert(page).second) return;
  const cash::Amount weight = Weighed(cash_of(page).value_or(cash::Amount()), factor);
  heap_.push_back({page, kept, weight.units()});
  std::push_heap(heap_.begin(), heap_.end(), Less);
  ++done_since_;
  LookAtAllWhenDue(cash_of);
  if (heap_.size() > most_) {
    LookAtAll(cash_of);
    if (heap_.size() > most_) DropLesserHalf();
  }
}

std::vector<Candidate> FavouredPages::Take(size_t most, cash::Amount threshold, CashOf cash_of) {
  ++done_since_;
  LookAtAllWhenDue(cash_of);
  std::vector<Candidate> taken;
  while (taken.size() < most && !heap_.empty() && heap_.front().weight >= threshold.units()) {
    std::pop_heap(heap_.begin(), heap_.end(), Less);
    Entry& last = heap_.back();
    const std::optional<cash::Amount> cash = cash_of(last.page);
    if (cash) {
      last.weight = Weighed(*cash, last.factor).units();
      if (last.weight < threshold.units()) {  // it was taken back
        std::push_heap(heap_.begin(), heap_.end(), Less);
        continue;
      }
      taken.push_back({last.page, *cash});
    }
    listed_.erase(last.page);
    heap_.pop_back();
  }
  return taken;
}

void FavouredPages::Clear() {
  heap_.clear();
  listed_.clear();
  done_since_ = 0;
  left_out_ = false;
}

void FavouredPages::LookAtAllWhenDue(CashOf cash_of) {
  if (done_since_ >= heap_.size() / kLooksPerAct + kActsMin) LookAtAll(cash_of);
}

void FavouredPages::LookAtAll(CashOf cash_of) {
  done_since_ = 0;
  std::erase_if(heap_, [&](Entry& entry) {
    const std::optional<cash::Amount> cash = cash_of(entry.page);
    if (!cash) return listed_.erase(entry.page) > 0;
    entry.weight = Weighed(*cash, entry.factor).units();
    return false;
  });
  std::make_heap(heap_.begin(), heap_.end(), Less);
}

void FavouredPages::DropLesserHalf() {
  left_out_ = true;
  const auto middle = heap_.begin() + static_cast<std::ptrdiff_t>((heap_.size() + 1) / 2);
  std::nth_element(heap_.begin(), middle, heap_.end(),
                   [](const Entry& a, const Entry& b) { return Less(b, a); });
  for (auto entry = middle; entry != heap_.end(); ++entry) listed_.erase(entry->page);
  heap_.erase(middle, heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), Less);
}

}  // namespace opic::schedule
