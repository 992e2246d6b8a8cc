// The pages that recorded the most cash, followed from commit to commit, so that the top of the
// ranking is known without a look at every row (top_of_great.h).
//
// By ledger push a page ranks by H + C: what it ever recorded, and its cash. H changes by visits
// alone, and those are told here; C is in the page table. Each page outside of this collection has
// an H of at most outside_most(), so it takes more cash than the difference to be better than a
// page inside. With the paper's windows estimates change by themselves, and this is of no use.
//
// Begins with one walk over all rows, in steps beside the ledger's work.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/ids.h"
#include "ledger/ledger.h"
#include "store/store.h"

namespace opic::node {

class GreatPages {
 public:
  static constexpr size_t kMost = 1 << 15;  // pages; about a megabyte

  static constexpr size_t kRowsPerStep = 500;  // some tenths of a millisecond, without the disk

  // Hears of the visits from now on. `ledger` and `store` must outlive it.
  GreatPages(ledger::Ledger& ledger, store::Store& store, size_t most = kMost,
             size_t rows_per_step = kRowsPerStep);
  ~GreatPages();
  GreatPages(const GreatPages&) = delete;
  GreatPages& operator=(const GreatPages&) = delete;

  size_t most() const { return most_; }

  // The walk meets some rows more of Table::kHistory, as they are in the store now; nothing is done
  // when it has met all. After an error it begins anew.
  absl::Status Step();
  // How many walks have begun: another one does when a shard has arrived.
  uint64_t walks() const { return walks_; }

  // Every page with a history above outside_most() is here, but those that AnotherStandsFor.
  bool whole() const { return whole_; }
  int64_t outside_most() const;  // in units
  const absl::flat_hash_map<PageId, int64_t>& histories() const { return histories_; }

 private:
  absl::Status Walk();
  void Take(PageId page, const ledger::HistoryRow& row);
  void KeepTheBest();
  void Forget();

  ledger::Ledger& ledger_;
  store::Store& store_;
  const size_t most_, rows_per_step_;
  uint64_t walks_ = 0;
  bool walking_ = false, whole_ = false;
  std::string next_key_;                                 // of the walk
  int64_t floor_ = std::numeric_limits<int64_t>::min();  // no page outside has more
  absl::flat_hash_map<PageId, int64_t> histories_;
};

}  // namespace opic::node
