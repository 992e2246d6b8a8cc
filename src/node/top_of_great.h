// The most important pages of all, as TopScan finds them, without a look at every row: of the pages
// that recorded the most (great_pages.h), and those whose cash alone may bring them among the best,
// which a sweep of the page table finds in some milliseconds a ten million pages. Exact at any
// moment, however much has changed since the walk that GreatPages began with.
//
// Where that is not possible (GreatPages forgets meanwhile, or more pages are wanted than it is
// good for) a TopScan looks at all. While GreatPages has not met all rows yet, its walk is brought
// to its end first.
//
// Thread safety: confined to one thread at a time, Step to the ledger's (PageSearch).
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "node/great_pages.h"
#include "node/ranking.h"

namespace opic::node {

class TopOfGreat final : public PageSearch {
 public:
  // All must outlive it. REQUIRES: Method::kPush.
  TopOfGreat(const ledger::Ledger& ledger, store::Store& store, GreatPages& great, size_t count);
  absl::StatusOr<bool> Step() override;
  std::vector<PageImportance> TakeResult() override;
  uint64_t matching() const override;

 private:
  enum class Stage : uint8_t { kWalk, kGreat, kRich, kRows, kDescribing };
  absl::Status StepWalk();
  void StepGreat();
  void StepRich();
  void KeepTheRichest();
  absl::Status StepRows();
  void Offer(PageId page, int64_t history, BestPages& best) const;
  void Choose();
  void LookAtAll() { scan_.emplace(ledger_, store_, count_); }

  const ledger::Ledger& ledger_;
  store::Store& store_;
  GreatPages& great_;
  const size_t count_;
  Stage stage_ = Stage::kWalk;
  std::optional<uint64_t> walk_;  // of great_, that was under way
  BestPages best_;                // of what was looked at so far, by H + C in units
  page_table::Cursor cursor_;
  page_table::Filter filter_;
  std::vector<std::pair<int64_t, PageId>> rich_;       // not among the great ones, by cash
  int64_t left_out_most_ = 0;                          // no page was left out of rich_ with more
  size_t next_ = 0;                                    // of rich_
  std::vector<std::pair<int64_t, PageId>> looked_at_;  // of rich_, by H + C
  PageDescriptions descriptions_;
  std::optional<TopScan> scan_;  // does it all instead
};

}  // namespace opic::node
