// Visited pages made unread again: those that came into the scope, or all of them for another
// round. It walks the history in steps, so that it never holds the ledger up.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "ledger/ledger.h"
#include "store/store.h"

namespace opic::node {

class Reopening {
 public:
  // Whether a page whose last visit ended as `row` is to be fetched.
  using Which = std::function<absl::StatusOr<bool>(PageId, const ledger::HistoryRow& row)>;
  // `ledger` and `store` must outlive it.
  Reopening(ledger::Ledger& ledger, store::Store& store, Which which)
      : ledger_(ledger), store_(store), which_(std::move(which)) {}

  // Looks at some thousand pages more; they are reopened with the present commit group. True:
  // finished.
  absl::StatusOr<bool> Step();

 private:
  ledger::Ledger& ledger_;
  store::Store& store_;
  const Which which_;
  std::string next_key_;  // of Table::kHistory
};

}  // namespace opic::node
