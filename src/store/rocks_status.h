// RocksDB's codes become absl::Status here and nowhere else.
#pragma once

#include <rocksdb/status.h>

#include "absl/status/status.h"

namespace opic::store {

absl::Status FromRocks(const rocksdb::Status& status);

}  // namespace opic::store
