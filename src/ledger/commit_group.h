// The commit group that is being filled: what the parts of a ledger have done since the last
// Commit, and the next one writes in one piece.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ledger/journal.h"
#include "ledger/kept_rows.h"
#include "ledger/page_name.h"
#include "ledger/rows.h"
#include "ledger/shard_chunk.h"
#include "ledger/transfer.h"

namespace opic::ledger {

// A history row that the group has changed.
struct ChangedRow {
  KeptRows::Handle handle;  // of one row
  bool whole = false;       // all of it is to be written, and not the account alone (rows.h)

  HistoryRow& row() { return handle.front().row; }
  const HistoryRow& row() const { return handle.front().row; }
};

struct CommitGroup {
  std::vector<JournalVisit> visits;
  std::vector<page_table::Credit> credits;  // of own pages and of peers', in no order
  std::vector<PageId> reopened;
  std::vector<Departure> departures;
  std::vector<std::pair<NodeId, std::vector<ShardChunk>>> chunks;
  std::vector<MovedPage> moved;  // arrived
  absl::flat_hash_map<PageId, PageRow> discovered;
  absl::flat_hash_map<PageId, PageName> named;   // pages of peers that must be announced by URL
  absl::flat_hash_map<PageId, ChangedRow> rows;  // of the visited pages
  bool fetched = false;                          // a fetch is among the visits
  cash::Sum brought = 0;                         // by transfers of peers, without signs
  // Rows of the caller for Table::kMeta, in their order; nothing: the row is deleted.
  std::vector<std::pair<std::string, std::optional<std::string>>> notes;

  bool empty() const {
    return visits.empty() && credits.empty() && reopened.empty() && departures.empty() &&
           moved.empty();
  }
  // Makes it empty. Of credits and notes there is room for as many again, but for those of a huge
  // group.
  void Clear() {
    CommitGroup next;
    next.credits = Emptied(credits);
    next.notes = Emptied(notes);
    *this = std::move(next);
  }

  static constexpr size_t kRoomMax = 1 << 14;  // of each: room for more is given back

 private:
  template <typename Items>
  static Items Emptied(Items& items) {
    if (items.capacity() > kRoomMax) return Items();
    items.clear();
    return std::move(items);
  }
};

// What a ledger has counted since it was opened.
struct Counts {
  uint64_t settled = 0;     // visits without a fetch
  uint64_t collisions = 0;  // URLs discovered in one group under the id of another one
  uint64_t unnamed = 0;     // received transfers to unknown pages that came without a URL
  uint64_t forwarded = 0;   // received transfers that were posted on to another node
  LinkCounts links;
};

}  // namespace opic::ledger
