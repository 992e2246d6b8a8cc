// The near duplicates of a store, for who asks about all of them. near_pages.cc, which writes their
// rows, implements it.
//
// Thread safety: confined to the thread of the store's ledger.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/ids.h"
#include "store/store.h"

namespace opic::node {

// Of each its content hash when it was read, and that of its first page (near_pages.h).
absl::Status ForEachNearDuplicate(
    store::Store& store,
    absl::FunctionRef<void(PageId page, uint64_t hash, uint64_t first_hash)> take);

}  // namespace opic::node
