// One record of the journal: everything a commit group did to the money (docs/design.md section 5,
// docs/formats/journal.md).
//
// Table::kJournal, key: the dense log number, big-endian. Replaying the records after a checkpoint
// gives the same table. Within a record the order is: departing shards are forgotten and moved
// pages arrive; visits take cash; reopened pages become unread; the virtual page pays its
// instalments; credits are paid in their order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "importance/push.h"
#include "ledger/rows.h"
#include "page_table/page_table.h"

namespace opic::ledger {

// How credits and instalments of a record are rounded to cells. The choice is made once a record,
// from the virtual page's balance, so that each shard replays alone whatever the others did.
enum class Rounding : uint8_t {
  kUnbiased = 0,  // the virtual page's account can pay for any draw
  kDown = 1,  // it may not: up only with what was rounded down before in the same shard and call
};

struct JournalVisit {
  PageId page;
  VisitKind kind = VisitKind::kFetched;
  bool settled = false;  // along kept links, without a request
  cash::Amount taken;    // all of its cash; by ledger push it may record more, or less
};

// The virtual page pays `each` to every page of `shard` with first <= id < last.
struct Instalment {
  ShardId shard;
  uint64_t first = 0, last = 0;
  bool unread_only = false;
  cash::Amount each;
};

// The shard left for another node, with all its pages.
struct Departure {
  ShardId shard;
  uint64_t pages = 0;
  cash::Sum cash = 0;
};

// A page of a shard that moves here.
struct ArrivedPage {
  PageId page;
  cash::Cell cash;
  bool done = false;
};

struct Balances {
  cash::Amount virtual_page;
  cash::Sum clock = 0;        // G
  cash::Sum fetch_clock = 0;  // G at the last visit that was a fetch
  cash::Sum origin = 0;       // of the window: G when the graph last came to stand still
  // Running mean of (importance * known pages) of recently introduced pages.
  double newcomer_importance = 0;
  uint64_t pages = 0;  // known, in all shards
  // Of ledger push, own pages: the cash they ever recorded, and what of it the virtual page took.
  cash::Sum history = 0, kept = 0;
  // Cash that ever came from peers and was sealed for them.
  cash::Sum received = 0, sealed = 0;
  // Visited pages by the VisitKind of their last visit.
  std::array<uint64_t, kVisitKinds> by_kind{};
  std::vector<std::pair<ShardId, cash::Sum>> shards;  // sum of the cells, of each shard touched
};

struct JournalRecord {
  importance::Method method = importance::Method::kWindow;  // whose balances these are
  Rounding rounding = Rounding::kUnbiased;
  std::vector<JournalVisit> visits;
  // Sorted by page, one a page; zero amounts discover pages.
  std::vector<page_table::Credit> credits;
  std::vector<Instalment> instalments;
  std::vector<PageId> reopened;  // become unread again
  std::vector<Departure> departures;
  std::vector<ArrivedPage> arrivals;  // sorted by page
  Balances after;

  bool moves() const { return !departures.empty() || !arrivals.empty(); }
  bool empty() const {
    return visits.empty() && credits.empty() && instalments.empty() && reopened.empty() && !moves();
  }
};

std::string Encode(const JournalRecord& record);
// DataLoss: not a whole record.
absl::StatusOr<JournalRecord> DecodeJournalRecord(std::string_view bytes);

}  // namespace opic::ledger
