// Opens the parts of a ledger: the first write of an empty folder, or what a folder holds, brought
// together and checked (docs/design.md section 5). What it finds damaged it refuses.
//
// Thread safety: confined to the owner thread.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ledger/accounting.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/held_cash.h"
#include "ledger/options.h"
#include "ledger/peers.h"
#include "ledger/persistence.h"
#include "ledger/restate_duty.h"
#include "ledger/shard_moves.h"
#include "store/store.h"

namespace opic::ledger {

class Recovery {
 public:
  // What is filled from the folder; all of it is new, and outlives the recovery.
  struct Parts {
    const Charter& charter;
    store::Store& store;
    Books& books;
    Peers& peers;
    Accounting& accounting;
    ShardMoves& moves;
    HeldCash& held;
    RestateDuty& restating;
    Persistence& persistence;
  };
  explicit Recovery(Parts parts) : parts_(parts) {}

  // Makes the first write. A folder that takes the place of a lost one goes on from what passed the
  // channels of that one; its first journal record says so.
  absl::Status Genesis();
  // Loads what the folder holds. DataLoss: it is damaged.
  absl::StatusOr<RecoveryReport> Recover();

 private:
  Balances TakeOver(store::Batch& batch);
  absl::Status CheckBooks() const;

  const Parts parts_;
};

}  // namespace opic::ledger
