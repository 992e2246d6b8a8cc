// Whether the pages of this node are to be restated, and the restating that is under way: what the
// ledger's other parts must tell it (ledger/restating.h).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/held_cash.h"
#include "ledger/peer_book.h"
#include "ledger/peers.h"
#include "ledger/placements.h"
#include "ledger/restating.h"
#include "store/store.h"

namespace opic::ledger {

// Table::kMeta: a folder of the cluster was lost, and the pages here were not restated since.
inline constexpr char kRestateDueKey[] = "restate";
inline constexpr char kRoundingsKey[] = "roundings";

class RestateDuty {
 public:
  // All must outlive it.
  RestateDuty(const Charter& charter, store::Store& store, Books& books, const Peers& peers,
              const Placements& placements, const HeldCash& held, const Cut& cut);

  // DataLoss: what is stored is damaged.
  absl::Status Load();

  // The cut `epoch`, when it comes, is one to restate this node's pages at. What was prepared or
  // begun before is dropped. FailedPrecondition: by windows there is no equation; Aborted: a later
  // epoch has begun.
  absl::StatusOr<std::shared_ptr<Restating>> Prepare(uint64_t epoch);
  // What was recorded of some pages is lost, mostly with a folder of this cluster: their links are
  // missing in the ranking until all pages were fetched once more and restated (by windows:
  // fetched).
  bool due() const { return due_; }
  // The restating of `epoch` is over.
  void Forget(uint64_t epoch) {
    if (restating_ && restating_->epoch() == epoch) restating_.reset();
  }
  // All pages of this node were restated: what was rounded before the cut is corrected, and it is
  // no longer due, unless more was lost since the cut. Written with the next group.
  void Restated();

  // --- For the ledger.

  // A folder was lost, or rows of visited pages were dropped (ShardMoves). Written with the group.
  void RecordsWereLost() {
    ++losses_;
    SetDue(true);
  }
  // The ledger has taken its part of a cut. REQUIRES: an empty group.
  void EpochHasBegun();
  // What is under way cannot be right any more.
  void Spoil(const std::string& why);
  // A batch of another node is about to be applied.
  void CountUnderWay(const TransferBatch& batch);

  bool dirty() const { return due_changed_ || roundings_reset_; }
  void WriteTo(store::Batch& batch);
  void Committed() { due_changed_ = roundings_reset_ = false; }

 private:
  void Begin();
  void SetDue(bool due);
  void WriteRoundings(store::Batch& batch);

  const Charter& charter_;
  store::Store& store_;
  Books& books_;
  const Peers& peers_;
  const Placements& placements_;
  const HeldCash& held_;
  const Cut& cut_;
  std::shared_ptr<Restating> restating_;
  bool due_ = false, due_changed_ = false;
  uint64_t losses_ = 0, losses_at_cut_ = 0;
  page_table::Roundings roundings_at_cut_, held_at_cut_;
  uint64_t roundings_written_ = 0;  // credits that the store knows of
  bool roundings_reset_ = false;    // and it is to know at once
};

}  // namespace opic::ledger
