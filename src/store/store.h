// Durable tables of sorted keys and values behind one interface: RocksDB in production, memory in
// tests.
//
// Write is atomic over all tables. With Sync::kYes it returns only when its data and those of all
// writes before it would survive a power cut; of later writes a cut leaves each whole or not at
// all, perhaps a later one and not an earlier. What a store holds when it was opened survives as
// well. Reads see every finished write.
//
// Thread safety: synchronised inside.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace rocksdb {
class Env;
}

namespace opic::store {

// The tables; docs/formats/store.md tells keys and values of each.
enum class Table : uint8_t {
  kMeta,
  kPage,
  kHistory,
  kJournal,
  kRobots,
  kHost,
  kSpill,
  kPeer,
  kOutbox
};
inline constexpr int kTableCount = 9;

enum class Sync : bool { kNo, kYes };

// Operations to be written together, applied in order.
class Batch {
 public:
  struct Operation {
    enum Kind : uint8_t { kPut, kReplaceTail, kDelete, kDeleteRange } kind;
    Table table;
    std::string key;
    std::string value;  // kReplaceTail: the tail; kDeleteRange: the end of the range, exclusive
  };
  void Put(Table table, std::string key, std::string value) {
    bytes_ += key.size() + value.size();
    operations_.push_back({Operation::kPut, table, std::move(key), std::move(value)});
  }
  // The value keeps its head and gets another tail (value_tail.h): so a long row costs the bytes of
  // what changes in it. REQUIRES: the table is kHistory; the key has a value, and it has a tail.
  // Where it has none it becomes an empty value.
  void ReplaceTail(Table table, std::string key, std::string tail) {
    bytes_ += key.size() + tail.size();
    operations_.push_back({Operation::kReplaceTail, table, std::move(key), std::move(tail)});
  }
  void Delete(Table table, std::string key) {
    operations_.push_back({Operation::kDelete, table, std::move(key), {}});
  }
  // Keys k with begin <= k < end.
  void DeleteRange(Table table, std::string begin, std::string end) {
    operations_.push_back({Operation::kDeleteRange, table, std::move(begin), std::move(end)});
  }
  void Clear() { operations_.clear(), bytes_ = 0; }
  bool empty() const { return operations_.empty(); }
  size_t bytes() const { return bytes_; }  // of keys and values put
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  std::vector<Operation> operations_;
  size_t bytes_ = 0;
};

// A walk over a snapshot of one table, ascending. Confined to one thread.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool Valid() const = 0;  // false at the end, or after an error: look at status()
  virtual void Next() = 0;         // REQUIRES: Valid()
  virtual std::string_view key() const = 0;    // until Next
  virtual std::string_view value() const = 0;  // until Next
  virtual absl::Status status() const = 0;
};

// Told while files are read: bytes of them done, of all.
using FileProgress = std::function<void(uint64_t done, uint64_t all)>;

class Store {
 public:
  virtual ~Store() = default;
  // What was opened with read_first is found sound, and may be written from here on. Cursors must
  // be gone, and other threads not there yet. A store that may be written already stays so.
  virtual absl::Status BeginWriting() { return absl::OkStatus(); }
  // Reads every file on disk and compares its checksums. DataLoss names the damaged ones.
  virtual absl::Status CheckFiles(const FileProgress&) { return absl::OkStatus(); }
  virtual absl::Status Write(const Batch& batch, Sync sync) = 0;
  virtual absl::StatusOr<std::optional<std::string>> Get(Table table, std::string_view key) = 0;
  // values[i] belongs to keys[i]; `values` is resized. One random read a key, or fewer.
  virtual absl::Status MultiGet(Table table, absl::Span<const std::string> keys,
                                std::vector<std::optional<std::string>>* values) = 0;
  // From the first key >= `from`.
  virtual std::unique_ptr<Cursor> Scan(Table table, std::string_view from) = 0;
  // Bytes written to disk so far by this process, all told (log, flushes, compactions).
  virtual uint64_t bytes_written() const { return 0; }
};

struct RocksOptions {
  size_t cache_bytes = 64 << 20;         // block cache and filters
  size_t write_buffer_bytes = 32 << 20;  // memtables of all tables together
  bool read_only = false;                // for a look at a folder at rest
  // Nothing in the folder is changed before BeginWriting, but what is absent is made.
  bool read_first = false;
  bool create = true;
  // Table files are read whole and their checksums compared when a store is opened: the smallest,
  // up to so many bytes, which takes about a second a gigabyte. The others when they are read.
  uint64_t check_bytes_max = 256 << 20;
  rocksdb::Env* env = nullptr;  // its files, for tests; outlives the store; null: the machine's own
};
// Opens the RocksDB database at `folder`, for reading first: its list of tables, its files, and
// that nothing is missing which was ever synced (write_mark.h). Only then anything is written.
// FailedPrecondition: another process has it open; NotFound: absent and not `create`; DataLoss: it
// is damaged (never repaired silently); base::IsDiskFailure: it cannot be read or written now.
absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const std::string& folder,
                                                      const RocksOptions& options);

}  // namespace opic::store
