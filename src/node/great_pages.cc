#include "node/great_pages.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "node/stand_in.h"

namespace opic::node {

GreatPages::GreatPages(ledger::Ledger& ledger, size_t most) : ledger_(ledger), most_(most) {
  ledger_.TellRows(
      [this](PageId page, const ledger::HistoryRow& row) {
        if (walking_ || whole_) Take(page, row);
      },
      [this] { Forget(); });
}

GreatPages::~GreatPages() { ledger_.TellRows(nullptr, nullptr); }

uint64_t GreatPages::BeginWalk() {
  Forget();
  walking_ = true;
  return ++walks_;
}

void GreatPages::Met(uint64_t walk, PageId page, const ledger::HistoryRow& row) {
  if (walking_ && walk == walks_) Take(page, row);
}

void GreatPages::EndWalk(uint64_t walk) {
  if (!walking_ || walk != walks_) return;
  walking_ = false;
  whole_ = true;
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
