// RocksDB's files on a machine whose power fails: what was not synced may be gone. (kill -9 cannot
// find a missing sync: the kernel keeps what a dead process wrote.)
//
// All passes through to real files below one folder. Of each file it is remembered how many bytes
// were synced, of each folder which names were made, replaced, renamed or removed since it was
// synced. What a name stood for before lies in an attic until then.
//
//   files.StopAt(7, Stop::kBefore);   // all stops at the 7th change from now on
//   ...                               // RocksDB passes it, and its database is dropped
//   files.Forget(rng);                // the power was cut, or
//   files.Restart();                  // it was only the process that died
//
// What RocksDB does after that moment goes well, as far as it can see, and is taken back whole: a
// process whose machine has stopped sees nothing more. (To fail its calls instead would test how it
// bears a bad disk; on some Debian's build aborts.)
//
// Of the unsynced bytes of a file a prefix of random length stays; of the unsynced changes of names
// in a folder the first few do, in the order in which they were made, as in a file system's own
// journal. A file with all its bytes synced may still lose its name, as POSIX allows.
//
// Thread safety: synchronised inside; StopAt, Restart and Forget while nobody has a file open.
#pragma once

#include <rocksdb/file_system.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/rng.h"

namespace opic {

class ForgetfulFiles final : public rocksdb::FileSystemWrapper {
 public:
  enum class Stop {
    kBefore,  // the change was not made
    kAfter,   // the change was made, nobody heard of it
  };

  // `attic` is a folder of the same device, apart from all that is watched.
  explicit ForgetfulFiles(const std::string& attic);

  // All stops at the `change`-th change from now on, counted from 1. Appends, syncs and changes of
  // names count. 0: never.
  void StopAt(uint64_t change, Stop stop);
  void StopNow();
  bool stopped() const;
  // All files are again as at the moment of the stop, or as they are if there was none. What was
  // not synced then still is not.
  void Restart();
  // The same after a power cut.
  void Forget(base::Rng& rng);

  // What was gone, all told: for tests that would be worthless without.
  uint64_t forgotten_bytes() const { return forgotten_bytes_; }
  uint64_t forgotten_names() const { return forgotten_names_; }

  const char* Name() const override { return "ForgetfulFiles"; }
  using Result = rocksdb::IOStatus;
  Result NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                         std::unique_ptr<rocksdb::FSWritableFile>* file,
                         rocksdb::IODebugContext* debug) override;
  Result ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                            std::unique_ptr<rocksdb::FSWritableFile>* file,
                            rocksdb::IODebugContext* debug) override;
  Result NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                      std::unique_ptr<rocksdb::FSDirectory>* folder,
                      rocksdb::IODebugContext* debug) override;
  Result DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                    rocksdb::IODebugContext* debug) override;
  Result RenameFile(const std::string& from, const std::string& to,
                    const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override;
  // Ways around what is remembered.
  Result Truncate(const std::string&, size_t, const rocksdb::IOOptions&,
                  rocksdb::IODebugContext*) override {
    return Result::NotSupported("truncation by name");
  }
  Result LinkFile(const std::string&, const std::string&, const rocksdb::IOOptions&,
                  rocksdb::IODebugContext*) override {
    return Result::NotSupported("links");
  }
  Result ReuseWritableFile(const std::string&, const std::string&, const rocksdb::FileOptions&,
                           std::unique_ptr<rocksdb::FSWritableFile>*,
                           rocksdb::IODebugContext*) override {
    return Result::NotSupported("recycled files");
  }
  Result NewRandomRWFile(const std::string&, const rocksdb::FileOptions&,
                         std::unique_ptr<rocksdb::FSRandomRWFile>*,
                         rocksdb::IODebugContext*) override {
    return Result::NotSupported("writes in the middle of a file");
  }

 private:
  class File;
  class Folder;
  struct Length {
    uint64_t written = 0, synced = 0;  // bytes, until the stop
  };
  // A change of a name in a folder, and how to take it back.
  struct NameChange {
    enum Kind { kMade, kRenamed, kRemoved } kind;
    std::string path;
    std::string before;  // kRenamed: the name before
    std::string attic;   // where the file lies that `path` stood for before; empty: there was none
  };

  // The changes of names in a folder since it was synced, in the order in which they were made.
  struct Names {
    std::vector<NameChange> unsynced;
    size_t before_stop = 0;  // of them
  };

  // Counts a change and makes it; `counts`: it happens before the stop.
  template <typename Change>
  Result Make(const Change& change);
  void TakeBackWhatFollowedTheStop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakeBackTo(size_t kept, Names& names) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Result OpenForAppending(const std::string& path, bool anew, const rocksdb::FileOptions& options,
                          std::unique_ptr<rocksdb::FSWritableFile>* file,
                          rocksdb::IODebugContext* debug);
  void SyncNames(const std::string& folder) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Remember(NameChange change, bool counts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakeBack(const NameChange& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Brings what lies at `path` to the attic; returns where, empty when nothing lies there.
  std::string ToAttic(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Move(const std::string& from, const std::string& to) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string attic_;
  mutable absl::Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  uint64_t stop_in_ ABSL_GUARDED_BY(mu_) = 0;  // changes; 0: never
  Stop stop_ ABSL_GUARDED_BY(mu_) = Stop::kBefore;
  // By path, also in the attic; what has no entry was there before and is durable.
  std::map<std::string, std::shared_ptr<Length>> lengths_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Names> names_ ABSL_GUARDED_BY(mu_);  // by folder
  uint64_t in_attic_ ABSL_GUARDED_BY(mu_) = 0;               // ever
  uint64_t forgotten_bytes_ = 0, forgotten_names_ = 0;
};

}  // namespace opic
