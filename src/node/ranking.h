// Importance, asked for live: of one URL, and of the top pages (paper section 3.3;
// docs/algorithm.md sections 2 and 3).
//
// Every known page has an estimate, never-fetched ones too. In a cluster a node estimates its own
// pages, by the clock, pages and cash of all nodes, as it knows them. The functions read the ledger
// and the store and so run on the ledger's thread; searches go in steps so that they never hold it
// up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ledger/ledger.h"
#include "node/best_pages.h"
#include "node/page_filter.h"
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
  // The first page of its site that was read with the same content (desk/duplicate.h), as far as
  // this node has it; empty: none. ImportanceOf tells it, rankings do not.
  std::string duplicate_of;
  // Likewise the page that it is a near duplicate of, or else similar to (desk/near_text.h), as
  // it was found when this one was read.
  std::string near_duplicate_of, similar_to;
  int64_t fetched_at = 0;  // Unix seconds, 0: never
  uint32_t depth = 0;
  std::string referrer;  // the page whose link it was found by; empty: a seed, or not kept
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

// A search for the most important pages, in steps: ReadAhead and Step by turns, until Step says
// true.
//
// Thread safety: confined to one thread at a time.
class PageSearch {
 public:
  virtual ~PageSearch() = default;
  // What need not be done on the ledger's thread, and must not hold it up.
  virtual absl::Status ReadAhead() { return absl::OkStatus(); }
  // It does something in ReadAhead; if not, Steps may follow each other.
  virtual bool reads_ahead() const { return false; }
  // Looks at some thousand pages more, or describes some hundred. True: finished. REQUIRES: the
  // ledger's thread.
  virtual absl::StatusOr<bool> Step() = 0;
  // REQUIRES: finished. Best first; taken once.
  virtual std::vector<PageImportance> TakeResult() = 0;
  virtual uint64_t matching() const = 0;  // of the pages seen, those that were asked for
};

// Describes pages, some hundred at a time. REQUIRES: the ledger's thread, but for TakeSorted.
class PageDescriptions {
 public:
  // Both must outlive it.
  PageDescriptions(const ledger::Ledger& ledger, store::Store& store)
      : ledger_(ledger), store_(store) {}
  void Begin(std::vector<PageId> pages);  // instead of those before
  absl::StatusOr<bool> Step();  // true: all are described. Pages that are gone are left out
  std::vector<PageImportance> TakeSorted();  // best first

 private:
  const ledger::Ledger& ledger_;
  store::Store& store_;
  std::vector<PageId> pages_;
  size_t next_ = 0;
  std::vector<PageImportance> described_;
};

// The `count` most important pages: all visited ones are looked at, and of those that were never
// visited the ones with the most cash. Those that AnotherStandsFor (node/stand_in.h) are left out.
class TopScan final : public PageSearch {
 public:
  // `filter` was checked, and names no site.
  TopScan(const ledger::Ledger& ledger, store::Store& store, size_t count, PageFilter filter = {});
  absl::StatusOr<bool> Step() override;
  std::vector<PageImportance> TakeResult() override { return descriptions_.TakeSorted(); }
  uint64_t matching() const override { return matching_; }

 private:
  enum class Stage : uint8_t { kUnread, kVisited, kCandidates, kDescribing };
  struct Rich {
    double cash;
    PageId page;
  };
  absl::Status StepUnread();
  bool MetAllUnread() const;
  void MeetUnread(const Rich& page);
  absl::Status OfferNeverVisited(const std::vector<Rich>& pages);
  absl::Status StepVisited();
  absl::Status StepCandidates();

  const ledger::Ledger& ledger_;
  store::Store& store_;
  const PageFilter filter_;
  Stage stage_ = Stage::kUnread;
  BestPages best_, unread_;         // the latter by cash, four times as many; never visited
  std::vector<PageId> candidates_;  // of the unread pages, those to be looked at yet
  page_table::Cursor cursor_;
  std::optional<uint64_t> visited_before_;  // pages that had been visited when the walk began
  uint64_t moves_before_ = 0;               // Placements::changes then
  uint64_t met_ = 0;                        // pages that it met and that were never visited then
  std::string next_key_;                    // of Table::kHistory
  PageDescriptions descriptions_;
  uint64_t matching_ = 0;
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
