#include "node/resting_ledger.h"

#include <algorithm>

#include "base/status_macros.h"
#include "ledger/peer_book.h"

namespace opic::node {
namespace {

// How many nodes the cluster has, as far as the folder's books tell.
absl::StatusOr<uint16_t> NodesKnownTo(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<ledger::Charter> charter,
                   ledger::Ledger::StoredCharter(store));
  uint16_t last = charter ? charter->node.value : 0;
  const std::unique_ptr<store::Cursor> books = store.Scan(store::Table::kPeer, "");
  for (; books->Valid(); books->Next()) {
    ASSIGN_OR_RETURN(const NodeId peer, ledger::PeerOfKey(books->key()));
    last = std::max(last, peer.value);
  }
  RETURN_IF_ERROR(books->status());
  return static_cast<uint16_t>(last + 1);
}

}  // namespace

absl::StatusOr<RestingLedger> RestingLedger::Open(const DataFolder& folder, bool writing) {
  RestingLedger opened;
  store::RocksOptions rocks;
  rocks.read_only = !writing;
  rocks.read_first = writing;  // until the ledger has found it sound
  rocks.create = false;
  rocks.check_bytes_max = 0;  // what is asked for is checked when it is read
  ASSIGN_OR_RETURN(opened.store, store::OpenRocksStore(folder.store(), rocks));
  ledger::Options options;
  options.checkpoint_folder = folder.checkpoints();
  options.read_only = !writing;
  ASSIGN_OR_RETURN(options.nodes, NodesKnownTo(*opened.store));
  ASSIGN_OR_RETURN(const std::optional<ledger::Charter> charter,
                   ledger::Ledger::StoredCharter(*opened.store));
  ASSIGN_OR_RETURN(opened.ledger, ledger::Ledger::Open(options, *opened.store,
                                                       writing && charter ? &*charter : nullptr));
  return opened;
}

}  // namespace opic::node
