// The pages that recorded the most cash, followed from commit to commit, so that the top of the
// ranking is known without a look at every row (top_of_great.h).
//
// By ledger push a page ranks by H + C: what it ever recorded, and its cash. H changes by visits
// alone, and those are told here; C is in the page table. Each page outside of this collection has
// an H of at most outside_most(), so it takes more cash than the difference to be better than a
// page inside. With the paper's windows estimates change by themselves, and this is of no use.
//
// Begins with one walk over all rows, which whoever makes one anyway lends it.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "ledger/ledger.h"

namespace opic::node {

class GreatPages {
 public:
  static constexpr size_t kMost = 1 << 15;  // pages; about a megabyte

  // Hears of the visits from now on. `ledger` must outlive it.
  explicit GreatPages(ledger::Ledger& ledger, size_t most = kMost);
  ~GreatPages();
  GreatPages(const GreatPages&) = delete;
  GreatPages& operator=(const GreatPages&) = delete;

  size_t most() const { return most_; }

  // A walk over all rows of Table::kHistory begins: what is known is forgotten. Its number.
  uint64_t BeginWalk();
  // The walk has met a row, as it is in the store now. Of a walk that is not the last one begun, or
  // that a shard's arrival has made incomplete, nothing is taken.
  void Met(uint64_t walk, PageId page, const ledger::HistoryRow& row);
  void EndWalk(uint64_t walk);

  // Every page with a history above outside_most() is here, but those that AnotherStandsFor.
  bool whole() const { return whole_; }
  int64_t outside_most() const;  // in units
  const absl::flat_hash_map<PageId, int64_t>& histories() const { return histories_; }

 private:
  void Take(PageId page, const ledger::HistoryRow& row);
  void KeepTheBest();
  void Forget();

  ledger::Ledger& ledger_;
  const size_t most_;
  uint64_t walks_ = 0;
  bool walking_ = false, whole_ = false;
  int64_t floor_ = std::numeric_limits<int64_t>::min();  // no page outside has more
  absl::flat_hash_map<PageId, int64_t> histories_;
};

}  // namespace opic::node
