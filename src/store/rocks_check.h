// What a store on disk must be before anything of it is believed, found out by reading alone.
#pragma once

#include <rocksdb/db.h>

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/store.h"

namespace opic::store {

// DataLoss: the list of its files cannot be read, or does not name every table. RocksDB would make
// the missing ones anew when it opens a store for writing, and delete what they held.
absl::Status CheckFamilies(const std::string& folder, const RocksOptions& options);

// DataLoss: one log is a copy of another. Replaying both fails an assertion in Debian's RocksDB:
// the process would abort.
absl::Status CheckLogs(const std::string& folder, rocksdb::Env& env);

// Reads table files whole and compares every checksum: the smallest first, as many as `bytes_max`
// allows. DataLoss names those that are damaged.
absl::Status CheckTableFiles(rocksdb::DB& database, rocksdb::Env& env, uint64_t bytes_max,
                             const FileProgress& progress);

}  // namespace opic::store
