// RocksDB's warnings in our log.
//
// RocksDB's own log is a file in the database, and on a full disk the second line that cannot be
// appended to it fails an assertion in Debian's build: the process would abort, often before the
// failed write is logged.
//
// Thread safety: synchronised inside.
#pragma once

#include <rocksdb/env.h>

namespace opic::store {

class RocksLog final : public rocksdb::Logger {
 public:
  RocksLog() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using Logger::Logv;
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override;
  void LogHeader(const char*, va_list) override {}  // all options, at every start
};

}  // namespace opic::store
