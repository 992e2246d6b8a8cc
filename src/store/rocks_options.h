// How we use RocksDB: its options, and a column family for each table.
#pragma once

#include <rocksdb/db.h>

#include <string>
#include <vector>

#include "store/store.h"

namespace opic::store {

rocksdb::DBOptions DatabaseOptions(const RocksOptions& options);

// The families by Table, with a cache of their own, and at the end RocksDB's default one, which it
// insists on. That holds kStoreIdKey only.
std::vector<rocksdb::ColumnFamilyDescriptor> Families(const RocksOptions& options);

// The store's number, 8 bytes little-endian, which its mark names. There from the first opening for
// writing on.
inline constexpr char kStoreIdKey[] = "store id";

}  // namespace opic::store
