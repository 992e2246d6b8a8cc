// One node's part of restating a running cluster (ledger push): what the equation
// (importance/push.h) says of every page at one consistent cut, worked out while the crawl goes on.
//
//   the ledger's thread  ledger.restating().Prepare(epoch)  ... the cut `epoch`: rows and cells are
//                                                           kept
//   any other thread     restating->Read()                  the claims of all links, page by page
//   from peer to peer    ClaimsFor(peer) -> AddClaims       what links of one node have paid pages
//                                                           of another
//   the ledger's thread  restating->Drifts()                to be corrected at any later time
//                                                           (drift.h)
//
// The cut is that of an audit: nothing that was sealed after it was applied before it. What was
// sealed before it and is applied after it is on its way, and is counted by the ledger as it comes.
// A shard that moves at that time spoils the work: then it is to be begun anew.
//
// Memory: some 40 bytes a page and a page linked to.
//
// Thread safety: synchronised inside.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "ledger/charter.h"
#include "ledger/drift.h"
#include "ledger/rows.h"
#include "page_table/page_table.h"
#include "store/store.h"

namespace opic::ledger {

class Restating {
 public:
  Restating(const Charter& charter, uint64_t epoch) : charter_(charter), epoch_(epoch) {}

  uint64_t epoch() const { return epoch_; }

  // --- The ledger's thread.

  // The cut: keeps the cells, and a view of the rows. `owners`: of each shard, then.
  // REQUIRES: nothing is in the ledger's commit group.
  void Begin(const page_table::PageTable& table,
             const std::vector<std::pair<PageId, cash::Amount>>& held, store::Store& store,
             std::vector<NodeId> owners);
  bool begun() const { return begun_; }
  // For cash of a batch that was sealed before the cut and is applied after it.
  void AddUnderWay(PageId page, cash::Amount amount) { Add(page, amount.units()); }
  // Why it cannot be right any more.
  void Spoil(const std::string& why);

  // --- Any thread.

  // Reads all rows as of the cut; seconds a million pages. Once. DataLoss: a row is damaged.
  // Cancelled: `stop` became true.
  absl::Status Read(const std::atomic<bool>& stop);
  // What the node's links have paid to pages of `peer`, by page, part by part from 0.
  // FailedPrecondition: spoiled; Unavailable: still reading.
  struct Claims {
    std::vector<Drift> part;
    bool last = false;
  };
  absl::StatusOr<Claims> ClaimsFor(NodeId peer, uint64_t part);
  // Part `index` of what a peer's links have paid to pages of this node; what was added before is
  // left out. FailedPrecondition: spoiled, or a part before it is missing.
  absl::Status AddClaims(NodeId from, uint64_t index, absl::Span<const Drift> claims);
  // By page. REQUIRES: all claims were added, and all that was under way has come.
  absl::StatusOr<std::vector<Drift>> Drifts() const;
  uint64_t pages() const { return pages_; }
  uint64_t links() const { return links_; }
  // The histories and the cash of unread pages (importance::PushFlow).
  cash::Sum flow() const { return flow_; }

 private:
  void Add(PageId page, cash::Sum amount);
  void GatherClaims(NodeId peer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Sound() const ABSL_SHARED_LOCKS_REQUIRED(mu_);

  const Charter charter_;
  const uint64_t epoch_;
  std::atomic<bool> begun_ = false, read_ = false;
  std::unique_ptr<store::Cursor> rows_;
  std::vector<NodeId> owners_;
  std::atomic<uint64_t> pages_ = 0, links_ = 0;
  cash::Sum flow_ = 0;  // written by Begin, then by Read

  mutable absl::Mutex mu_;
  // H + C - b of own pages, less what links have paid; of pages of peers, the latter alone.
  absl::flat_hash_map<PageId, cash::Sum> off_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<uint16_t, uint64_t> parts_ ABSL_GUARDED_BY(mu_);  // of claims, by sender
  std::optional<NodeId> gathered_ ABSL_GUARDED_BY(mu_);                 // whom these claims are for
  std::vector<Drift> claims_ ABSL_GUARDED_BY(mu_);
  std::string spoiled_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::ledger
