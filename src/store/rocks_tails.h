// Batch::ReplaceTail as RocksDB merges it: it keeps the last tail that was written, and joins it to
// the head when the value is read, or when both meet in a compaction.
//
// Thread safety: pure; the operator may be used by any thread.
#pragma once

#include <memory>

namespace rocksdb {
class MergeOperator;
}

namespace opic::store {

std::shared_ptr<rocksdb::MergeOperator> ReplacingTails();

}  // namespace opic::store
