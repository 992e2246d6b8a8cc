// Importance, asked for live: of one URL, and of the top pages (paper section 3.3;
// docs/algorithm.md sections 2 and 3).
//
// Every known page has an estimate, never-fetched ones too. In a cluster a node estimates its own
// pages, by the clock, pages and cash of all nodes, as it knows them. The functions read the ledger
// and the store and so run on the ledger's thread; the scan for the top goes in steps so that it
// never holds the ledger up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ledger/ledger.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {

struct PageImportance {
  std::string url;
  bool known = false;     // nothing below is set for unknown pages
  double importance = 0;  // share of 1 over all known pages
  double relative = 0;    // importance times known pages: 1 is the average page
  double age = 0;         // clock passed since the last visit (or the discovery), in supplies
  std::string state;      // "unread", or ledger::Name of the last visit
  uint32_t visits = 0, fetches = 0, links = 0;
  int http_status = 0;
  std::string failure;   // why there is no HTTP status, in words; empty otherwise
  std::string left_out;  // what of it was not read, in words; empty: nothing
  // The page that it names as its canonical and pays alone (desk/canonical.h); empty: none, or one
  // of another node, whose URL is not known here.
  std::string canonical;
  int64_t fetched_at = 0;  // Unix seconds, 0: never
  uint32_t depth = 0;
  cash::Amount cash;
  std::string category;  // of its content, when it is planned (refresh/category.h)
  int64_t due = 0;       // Unix seconds, when it is to be read again; 0: it is not planned
  // What governs its visits, in words (refresh/publication.h); empty: nothing is published for it.
  std::vector<std::string> publications;
  double change_rate = 0;            // estimated, changes a second; 0: nothing is known
  double change_rate_deviation = 0;  // its standard deviation, as share of it
  // In answers of a whole cluster: the node that owns the page and did not answer. Whether the page
  // is known, only that node can tell.
  std::string unanswered_by;
};

// `url` as typed by a person; it is normalised. InvalidArgument: not an http(s) URL.
absl::StatusOr<PageImportance> ImportanceOf(const ledger::Ledger& ledger, store::Store& store,
                                            const url::UrlHash& hash, const std::string& url);

// The `count` most important pages: all visited ones are looked at, and of the unread ones those
// with the most cash. Pages that pay their canonical page alone are left out: that one stands for
// them, and gets what they pay.
//
// Thread safety: confined to the ledger's thread.
class TopScan {
 public:
  TopScan(const ledger::Ledger& ledger, store::Store& store, size_t count);
  // Looks at some thousand pages more. True: finished.
  absl::StatusOr<bool> Step();
  // REQUIRES: finished. Best first.
  absl::StatusOr<std::vector<PageImportance>> Result();

 private:
  struct Entry {
    double importance;
    PageId page;
  };
  void Offer(double importance, PageId page);
  void StepUnread();
  absl::Status StepVisited();

  const ledger::Ledger& ledger_;
  store::Store& store_;
  const size_t count_;
  std::vector<Entry> best_;    // a heap, the least important first
  std::vector<Entry> unread_;  // by cash, a heap likewise, at most 4 * count
  page_table::Cursor cursor_;
  bool unread_done_ = false;
  std::string next_key_;  // of Table::kHistory
};

// One node's part of a cluster's audit.
struct AuditPart {
  std::string node;  // its name
  uint64_t log_number = 0, pages = 0, unread = 0;
  cash::Sum table = 0, virtual_page = 0;
  cash::Sum in_flight = 0;  // sealed here and not applied by the peers that answered
  __int128 difference = 0;  // of the node's own equation: what it holds, against its own books
};

// The cluster's sum (docs/design.md section 5, audit): what there is beside what there must be.
struct Audit {
  uint64_t cluster_id = 0, log_number = 0, pages = 0, unread = 0;
  cash::Sum expected = 0, table = 0, virtual_page = 0, in_flight = 0, clock = 0;
  // For a whole cluster: the nodes that answered, and the names of those that did not.
  std::vector<AuditPart> nodes;
  std::vector<std::string> missing;
  uint64_t epoch = 0;  // of the cut
  bool partial() const { return !missing.empty(); }
  // total - expected; 0 unless cash was lost (negative) or made. Says nothing when partial.
  __int128 difference() const {
    return static_cast<__int128>(table + virtual_page + in_flight) -
           static_cast<__int128>(expected);
  }
};
// This node's own part, beside its own books. Counts every cell anew: some 10 ms a million pages.
Audit AuditOf(const ledger::Ledger& ledger);

}  // namespace opic::node
