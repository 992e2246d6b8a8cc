// Making a new store, and finding out whether there is one.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/store.h"

namespace opic::store {

// Where the mark of the store at `folder` lies (write_mark.h).
inline std::string MarkPath(const std::string& folder) { return folder + ".mark"; }

// Whether there is a store at `folder`. DataLoss: there was one, and what is left of it cannot be
// opened.
absl::StatusOr<bool> HoldsStore(const std::string& folder);

// Makes an empty store with all its families. A crash leaves nothing or all of it: it is made
// beside, and renamed. REQUIRES: HoldsStore is false.
absl::Status MakeStore(const std::string& folder, const RocksOptions& options);

}  // namespace opic::store
