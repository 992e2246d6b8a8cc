#include "node/top_of_great.h"

#include <algorithm>

#include "base/status_macros.h"
#include "node/stand_in.h"

namespace opic::node {
namespace {

constexpr uint64_t kSweptPerStep = 2'000'000;  // a millisecond or two: few of them hold so much
constexpr size_t kRichMost = 1 << 17;          // more: a walk is not worse
constexpr size_t kRichPerStep = 500;

}  // namespace

TopOfGreat::TopOfGreat(const ledger::Ledger& ledger, store::Store& store, GreatPages& great,
                       size_t count)
    : ledger_(ledger),
      store_(store),
      great_(great),
      count_(count),
      best_(count),
      descriptions_(ledger, store) {}

absl::StatusOr<bool> TopOfGreat::Step() {
  if (!scan_) {
    switch (stage_) {
      case Stage::kGreat:
        StepGreat();
        return false;
      case Stage::kRich:
        StepRich();
        return false;
      case Stage::kRows:
        RETURN_IF_ERROR(StepRows());
        return false;
      case Stage::kDescribing:
        return descriptions_.Step();
    }
  }
  return scan_->Step();
}

std::vector<PageImportance> TopOfGreat::TakeResult() {
  return scan_ ? scan_->TakeResult() : descriptions_.TakeSorted();
}

uint64_t TopOfGreat::matching() const {
  return scan_ ? scan_->matching() : ledger_.books().table().totals().pages;
}

void TopOfGreat::OfferGreat(BestPages& best) const {
  for (const auto& [page, history] : great_.histories()) {
    const std::optional<page_table::Page> cell = ledger_.books().table().Find(page);
    if (!cell) continue;  // it has moved to another node
    best.Offer(static_cast<double>(history + cell->cash.value().units()), page);
  }
}

void TopOfGreat::StepGreat() {
  if (!great_.whole()) return LookAtAll();
  OfferGreat(best_);
  // What the last of the best has more than any page outside can have recorded, such a page must
  // have in cash.
  const std::optional<double> last = best_.last();
  if (!last || *last <= static_cast<double>(great_.outside_most())) return LookAtAll();
  filter_.magnitude_min = cash::Amount(static_cast<int64_t>(*last) - great_.outside_most());
  stage_ = Stage::kRich;
}

void TopOfGreat::StepRich() {
  if (!great_.whole()) return LookAtAll();
  const auto look = [this](const page_table::Page& page) {
    if (page.cash.in_debt() || great_.histories().contains(page.page)) return;
    rich_.emplace_back(page.cash.value().units(), page.page);
  };
  const bool ended = ledger_.books().table().Walk(cursor_, kSweptPerStep, filter_, look);
  if (rich_.size() > kRichMost) return LookAtAll();
  if (!ended) return;
  std::sort(rich_.rbegin(), rich_.rend());
  stage_ = Stage::kRows;
}

// The richest first, until none of the others can be among the best.
absl::Status TopOfGreat::StepRows() {
  if (!great_.whole()) return LookAtAll(), absl::OkStatus();
  std::vector<PageId> pages;
  std::vector<std::string> keys;
  const double outside = static_cast<double>(great_.outside_most());
  for (; next_ < rich_.size() && pages.size() < kRichPerStep; ++next_) {
    if (static_cast<double>(rich_[next_].first) + outside < *best_.last()) next_ = rich_.size();
    if (next_ == rich_.size()) break;
    pages.push_back(rich_[next_].second);
    keys.push_back(ledger::KeyOf(pages.back()));
  }
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &rows));
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::optional<page_table::Page> cell = ledger_.books().table().Find(pages[i]);
    if (!cell) continue;
    int64_t history = 0;
    if (rows[i]) {
      ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                       ledger::ReadHistoryRow(pages[i], *rows[i], ledger_.window()));
      if (AnotherStandsFor(row)) continue;
      history = static_cast<int64_t>(row.history.sum);
    }
    looked_at_.emplace_back(history + cell->cash.value().units(), pages[i]);
    best_.Offer(static_cast<double>(looked_at_.back().first), pages[i]);
  }
  if (next_ == rich_.size()) Choose();
  return absl::OkStatus();
}

// What was visited meanwhile has spent its cash, and is among the great ones now if it is good
// enough: these are looked at once more.
void TopOfGreat::Choose() {
  BestPages best(count_);
  OfferGreat(best);
  for (const auto& [worth, page] : looked_at_) {
    if (!great_.histories().contains(page)) best.Offer(static_cast<double>(worth), page);
  }
  stage_ = Stage::kDescribing;
  descriptions_.Begin(best.Take());
}

}  // namespace opic::node
