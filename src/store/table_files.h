// Files as RocksDB is to see them: a table file whose properties are damaged cannot be opened.
//
// RocksDB reads the properties of a table before it compares their checksum, and what it reads
// there can fail an assertion in Debian's build: the process would abort. Here the checksum is
// compared first, of each table file that is opened, which takes a few small reads. All else is
// left to RocksDB.
#pragma once

#include <rocksdb/env.h>

#include <memory>

namespace opic::store {

// `files` must outlive it.
std::unique_ptr<rocksdb::Env> WithCheckedTables(rocksdb::Env& files);

}  // namespace opic::store
