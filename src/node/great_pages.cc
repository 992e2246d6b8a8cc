#include "node/great_pages.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "node/stand_in.h"

namespace opic::node {

GreatPages::GreatPages(ledger::Ledger& ledger, store::Store& store, size_t most,
                       size_t rows_per_step)
    : ledger_(ledger), store_(store), most_(most), rows_per_step_(rows_per_step) {
  ledger_.TellRows(
      [this](PageId page, const ledger::HistoryRow& row) {
        if (walking_ || whole_) Take(page, row);
      },
      [this] { Forget(); });
}

GreatPages::~GreatPages() { ledger_.TellRows(nullptr, nullptr); }

absl::Status GreatPages::Step() {
  if (whole_) return absl::OkStatus();
  if (!walking_) {
    walking_ = true;
    next_key_.assign(1, '\0');
    ++walks_;
  }
  absl::Status walked = Walk();
  if (!walked.ok()) Forget();
  return walked;
}

absl::Status GreatPages::Walk() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, next_key_);
  for (size_t seen = 0; rows->Valid(); rows->Next()) {
    if (++seen > rows_per_step_) {
      next_key_ = std::string(rows->key());
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    if (!ledger_.books().table().Find(page)) continue;
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    Take(page, row);
  }
  RETURN_IF_ERROR(rows->status());
  walking_ = false;
  whole_ = true;
  return absl::OkStatus();
}

// A page that was never visited has a history of 0.
int64_t GreatPages::outside_most() const { return std::max<int64_t>(floor_, 0); }

void GreatPages::Take(PageId page, const ledger::HistoryRow& row) {
  const auto history = static_cast<int64_t>(row.history.sum);
  if (history <= floor_ || AnotherStandsFor(row)) {
    histories_.erase(page);
    return;
  }
  histories_[page] = history;
  if (histories_.size() > most_) KeepTheBest();
}

// Half of them, so that it is rare.
void GreatPages::KeepTheBest() {
  std::vector<int64_t> all;
  all.reserve(histories_.size());
  for (const auto& [page, history] : histories_) all.push_back(history);
  const auto last = all.begin() + static_cast<ptrdiff_t>(most_ / 2);
  std::nth_element(all.begin(), last, all.end(), std::greater<>());
  floor_ = *last;
  absl::erase_if(histories_, [this](const auto& entry) { return entry.second <= floor_; });
}

void GreatPages::Forget() {
  walking_ = whole_ = false;
  floor_ = std::numeric_limits<int64_t>::min();
  histories_.clear();
}

}  // namespace opic::node
