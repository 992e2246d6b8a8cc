#include "node/top_of_great.h"

#include <algorithm>
#include <functional>

#include "base/status_macros.h"
#include "node/stand_in.h"

namespace opic::node {
namespace {

constexpr uint64_t kSweptAtOnce = 200'000;
constexpr int kSweepsPerStep = 10;  // some milliseconds
constexpr int kWalksPerStep = 8;
constexpr size_t kRichPerStep = 500;
constexpr size_t kGreatestTimes = 2;  // as many are looked at first as are wanted

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
      case Stage::kWalk:
        RETURN_IF_ERROR(StepWalk());
        return false;
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

void TopOfGreat::Offer(PageId page, int64_t history, BestPages& best) const {
  const std::optional<page_table::Page> cell = ledger_.books().table().Find(page);
  if (!cell) return;  // it has moved to another node
  best.Offer(static_cast<double>(history + cell->cash.value().units()), page);
}

// If shards arrive all the time, each makes the walk begin anew: a TopScan ends.
absl::Status TopOfGreat::StepWalk() {
  for (int step = 0; step < kWalksPerStep && !great_.whole(); ++step) {
    RETURN_IF_ERROR(great_.Step());
    if (!walk_) walk_ = great_.walks();
    if (*walk_ != great_.walks()) return LookAtAll(), absl::OkStatus();
  }
  if (great_.whole()) stage_ = Stage::kGreat;
  return absl::OkStatus();
}

// Those that recorded the most are enough here: their cash is a random read each.
void TopOfGreat::StepGreat() {
  if (!great_.whole()) return LookAtAll();
  std::vector<std::pair<int64_t, PageId>> greatest;
  for (const auto& [page, history] : great_.histories()) greatest.emplace_back(history, page);
  const size_t enough = std::min(greatest.size(), kGreatestTimes * count_);
  std::nth_element(greatest.begin(), greatest.begin() + static_cast<ptrdiff_t>(enough),
                   greatest.end(), std::greater<>());
  greatest.resize(enough);
  for (const auto& [history, page] : greatest) Offer(page, history, best_);
  // What the last of the best has more than any page outside can have recorded, such a page must
  // have in cash.
  const std::optional<double> last = best_.last();
  if (!last || *last <= static_cast<double>(great_.outside_most())) return LookAtAll();
  left_out_most_ = static_cast<int64_t>(*last) - great_.outside_most() - 1;
  stage_ = Stage::kRich;
}

void TopOfGreat::StepRich() {
  if (!great_.whole()) return LookAtAll();
  const auto look = [this](const page_table::Page& page) {
    const int64_t cash = page.cash.value().units();
    if (cash <= left_out_most_ || great_.histories().contains(page.page)) return;
    rich_.emplace_back(cash, page.page);
    if (rich_.size() > great_.most()) KeepTheRichest();
  };
  bool ended = false;
  for (int sweep = 0; sweep < kSweepsPerStep && !ended; ++sweep) {
    filter_.magnitude_min = cash::Amount(left_out_most_ + 1);
    ended = ledger_.books().table().Walk(cursor_, kSweptAtOnce, filter_, look);
  }
  if (!ended) return;
  std::sort(rich_.rbegin(), rich_.rend());
  stage_ = Stage::kRows;
}

// Half of them. In a young crawl the best have been read least: what pages that were read have
// says little then, and a great part of the table is richer than that.
void TopOfGreat::KeepTheRichest() {
  const auto last = rich_.begin() + static_cast<ptrdiff_t>(great_.most() / 2);
  std::nth_element(rich_.begin(), last, rich_.end(), std::greater<>());
  left_out_most_ = last->first;
  rich_.erase(last, rich_.end());
}

// The richest first, until none of the others can be among the best. If even those that were left
// out can be, a walk is not worse.
absl::Status TopOfGreat::StepRows() {
  if (!great_.whole()) return LookAtAll(), absl::OkStatus();
  std::vector<PageId> pages;
  std::vector<std::string> keys;
  const auto may_be_best = [this](int64_t cash) {
    return static_cast<double>(cash + great_.outside_most()) >= *best_.last();
  };
  for (; next_ < rich_.size() && pages.size() < kRichPerStep; ++next_) {
    if (!may_be_best(rich_[next_].first)) next_ = rich_.size();
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
  if (next_ < rich_.size()) return absl::OkStatus();
  return may_be_best(left_out_most_) ? LookAtAll() : Choose(), absl::OkStatus();
}

// What was visited meanwhile has spent its cash, and is among the great ones now if it is good
// enough: these are looked at once more.
void TopOfGreat::Choose() {
  BestPages best(count_);
  for (const auto& [page, history] : great_.histories()) Offer(page, history, best);
  for (const auto& [worth, page] : looked_at_) {
    if (!great_.histories().contains(page)) best.Offer(static_cast<double>(worth), page);
  }
  stage_ = Stage::kDescribing;
  descriptions_.Begin(best.Take());
}

}  // namespace opic::node
