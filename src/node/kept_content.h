// Whether a page still has the content that a row of an index says it has.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "ledger/ledger.h"
#include "store/store.h"

namespace opic::node {

// Whether its row on disk has this content hash, and the page pays its links itself (MayBeFirst). A
// page whose shard has left is another node's. REQUIRES: the ledger's thread.
absl::StatusOr<bool> HasContent(PageId page, uint64_t hash, const ledger::Ledger& ledger,
                                store::Store& store);
// The same, of a page whose shard may be arriving yet.
absl::StatusOr<bool> HasContentOnDisk(PageId page, uint64_t hash, const ledger::Ledger& ledger,
                                      store::Store& store);

}  // namespace opic::node
