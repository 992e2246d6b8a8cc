// How far a store was written, noted beside it: the file `FOLDER.mark`.
//
// RocksDB cannot tell a log whose end was cut off, or that was removed, from one that was never
// written. The mark says which of its sequence numbers was synced, so that a store that has come
// back with less is refused (docs/decisions/2026-11-22-marks-beside-stores.md).
//
// It never says more than what is durable: it is raised after the write's own sync. So it may be
// older, by what a power cut took of it, and needs few syncs of its own. Format:
// docs/formats/store.md.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace opic::store {

// Thread safety: synchronised inside.
class WriteMark {
 public:
  struct Reading {
    uint64_t store_id = 0;  // of the store that it belongs to
    uint64_t sequence = 0;  // synced, and all before it
  };
  // Nothing: there is no mark. DataLoss: there is one that cannot be read.
  static absl::StatusOr<std::optional<Reading>> Read(const std::string& path, rocksdb::Env& env);

  // Makes the mark anew, durably, with one reading. `env` must outlive it.
  static absl::StatusOr<std::unique_ptr<WriteMark>> Begin(const std::string& path,
                                                          rocksdb::Env& env,
                                                          const Reading& reading);
  // REQUIRES: `sequence` and all before it are synced. A mark that cannot be written stays behind,
  // which is no error: it says so in the log, and the next start makes it anew.
  void Raise(uint64_t sequence);
  // The same, durably: the store ends well.
  void Close(uint64_t sequence);

 private:
  WriteMark(std::string path, rocksdb::Env& env, const Reading& reading)
      : path_(std::move(path)), env_(env), reading_(reading) {}
  absl::Status BeginFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Append(bool sync) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void RaiseLocked(uint64_t sequence, bool sync) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string path_;
  rocksdb::Env& env_;
  absl::Mutex mu_;
  std::unique_ptr<rocksdb::WritableFile> file_ ABSL_GUARDED_BY(mu_);  // null: it failed
  Reading reading_ ABSL_GUARDED_BY(mu_);
  uint32_t records_ ABSL_GUARDED_BY(mu_) = 0, unsynced_ ABSL_GUARDED_BY(mu_) = 0;  // in the file
};

}  // namespace opic::store
