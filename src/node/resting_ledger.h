// The store and the ledger of a folder at rest.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "ledger/ledger.h"
#include "node/data_folder.h"
#include "store/store.h"

namespace opic::node {

// Thread safety: confined to one thread.
struct RestingLedger {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<ledger::Ledger> ledger;  // uses the store

  // The ledger is recovered in memory; nothing is written but what the caller does with `writing`.
  // NotFound: no crawl; DataLoss: damaged.
  static absl::StatusOr<RestingLedger> Open(const DataFolder& folder, bool writing = false);
};

}  // namespace opic::node
