// Implements a part of store/store.h.
#include <rocksdb/db.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/statistics.h>

#include <filesystem>

#include "base/encoding.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "store/rocks_check.h"
#include "store/rocks_making.h"
#include "store/rocks_options.h"
#include "store/rocks_status.h"
#include "store/store.h"
#include "store/table_files.h"
#include "store/write_mark.h"

namespace opic::store {
namespace {

rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ViewOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// RocksDB syncs a log only as long as the process lives that wrote it. What the next one finds in
// it and builds upon has to survive a power cut too, with all that was written across tables.
rocksdb::Status SyncLogs(const std::string& folder, rocksdb::Env& env) {
  std::vector<std::string> names;
  rocksdb::Status listed = env.GetChildren(folder, &names);
  if (listed.IsNotFound() || listed.IsPathNotFound()) return rocksdb::Status::OK();  // so no logs
  if (!listed.ok()) return listed;
  bool found = false;
  for (const std::string& name : names) {
    if (!name.ends_with(".log")) continue;
    found = true;
    std::unique_ptr<rocksdb::WritableFile> log;
    rocksdb::Status synced = env.ReopenWritableFile(folder + "/" + name, &log, {});
    if (synced.ok()) synced = log->Sync();
    if (!synced.ok()) return synced;
  }
  if (!found) return rocksdb::Status::OK();
  std::unique_ptr<rocksdb::Directory> directory;
  const rocksdb::Status opened = env.NewDirectory(folder, &directory);
  return opened.ok() ? directory->Fsync() : opened;
}

// RocksDB keeps counters of what each thread does. Nobody reads them, and they take two calls for
// each comparison of keys.
void CountNothing() { rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable); }

class RocksCursor final : public Cursor {
 public:
  explicit RocksCursor(std::unique_ptr<rocksdb::Iterator> at) : at_(std::move(at)) {}
  bool Valid() const override { return at_->Valid(); }
  void Next() override { at_->Next(); }
  std::string_view key() const override { return ViewOf(at_->key()); }
  std::string_view value() const override { return ViewOf(at_->value()); }
  absl::Status status() const override { return FromRocks(at_->status()); }

 private:
  std::unique_ptr<rocksdb::Iterator> at_;
};

// RocksDB numbers every operation; of a batch that was written, its first one's number stands in
// front of its bytes.
uint64_t LastSequenceOf(const rocksdb::WriteBatch& written) {
  base::Decoder in(written.Data());
  const uint64_t first = in.Fixed64();
  return in.ok() ? first + static_cast<uint64_t>(written.Count()) - 1 : 0;
}

rocksdb::DBOptions WithEnv(rocksdb::DBOptions options, rocksdb::Env& env) {
  options.env = &env;
  return options;
}

class RocksStore final : public Store {
 public:
  RocksStore(std::string folder, const RocksOptions& options)
      : folder_(std::move(folder)),
        options_(options),
        env_(WithCheckedTables(*DatabaseOptions(options).env)),
        database_options_(WithEnv(DatabaseOptions(options), *env_)) {}

  ~RocksStore() override { End(); }

  // Opens it for reading and holds it against its mark.
  absl::Status Open() {
    if (!options_.read_only) RETURN_IF_ERROR(Lock());
    RETURN_IF_ERROR(CheckFamilies(folder_, options_));
    RETURN_IF_ERROR(CheckLogs(folder_, *env()));
    RETURN_IF_ERROR(OpenDatabase(/*writing=*/false));
    RETURN_IF_ERROR(CheckMark());
    return CheckTableFiles(*database_, *env(), options_.check_bytes_max, nullptr);
  }

  absl::Status BeginWriting() override {
    if (options_.read_only) return absl::FailedPreconditionError("the store is open for reading");
    if (mark_ != nullptr) return absl::OkStatus();
    const WriteMark::Reading reading{store_id_.value_or(base::Hash64(Identity())),
                                     database_->GetLatestSequenceNumber()};
    CloseDatabase();
    RETURN_IF_ERROR(
        base::WithContext(FromRocks(SyncLogs(folder_, *env())), "syncing the log of " + folder_));
    Unlock();
    RETURN_IF_ERROR(OpenDatabase(/*writing=*/true));
    ASSIGN_OR_RETURN(mark_, WriteMark::Begin(MarkPath(folder_), *env(), reading));
    if (store_id_) return absl::OkStatus();
    std::string id;
    base::AppendFixed64(id, reading.store_id);
    RETURN_IF_ERROR(FromRocks(database_->Put({}, families_.back(), kStoreIdKey, id)));
    // Once in a store's life; and no log has to stay for its sake.
    return FromRocks(database_->Flush(rocksdb::FlushOptions(), families_.back()));
  }

  absl::Status CheckFiles(const FileProgress& progress) override {
    return CheckTableFiles(*database_, *env(), UINT64_MAX, progress);
  }

  absl::Status Write(const Batch& batch, Sync sync) override {
    if (mark_ == nullptr) return absl::FailedPreconditionError("the store is open for reading");
    CountNothing();
    rocksdb::WriteBatch writes(batch.bytes() + 24 * batch.operations().size() + 64);
    for (const Batch::Operation& operation : batch.operations()) {
      RETURN_IF_ERROR(FromRocks(Append(operation, writes)));
    }
    rocksdb::WriteOptions options;
    options.sync = sync == Sync::kYes;
    RETURN_IF_ERROR(FromRocks(database_->Write(options, &writes)));
    if (sync == Sync::kYes && writes.Count() > 0) mark_->Raise(LastSequenceOf(writes));
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<std::string>> Get(Table table, std::string_view key) override {
    CountNothing();
    std::string value;
    const rocksdb::Status status = database_->Get({}, Family(table), SliceOf(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    RETURN_IF_ERROR(FromRocks(status));
    return value;
  }

  absl::Status MultiGet(Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    values->assign(keys.size(), std::nullopt);
    if (keys.empty()) return absl::OkStatus();
    CountNothing();
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> found(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    database_->MultiGet({}, Family(table), keys.size(), slices.data(), found.data(),
                        statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].IsNotFound()) continue;
      RETURN_IF_ERROR(FromRocks(statuses[i]));
      (*values)[i] = found[i].ToString();
    }
    return absl::OkStatus();
  }

  std::unique_ptr<Cursor> Scan(Table table, std::string_view from) override {
    CountNothing();
    std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator({}, Family(table)));
    at->Seek(SliceOf(from));
    return std::make_unique<RocksCursor>(std::move(at));
  }

  uint64_t bytes_written() const override {
    return database_options_.statistics->getTickerCount(rocksdb::WAL_FILE_BYTES) +
           database_options_.statistics->getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           database_options_.statistics->getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
  }

 private:
  rocksdb::Env* env() const { return database_options_.env; }

  // Another one for each store that was ever made.
  std::string Identity() const {
    std::string identity;
    database_->GetDbIdentity(identity).PermitUncheckedError();
    return identity;
  }

  absl::Status OpenDatabase(bool writing) {
    rocksdb::DB* database = nullptr;
    const rocksdb::Status opened =
        writing ? rocksdb::DB::Open(database_options_, folder_, Families(options_), &families_,
                                    &database)
                : rocksdb::DB::OpenForReadOnly(database_options_, folder_, Families(options_),
                                               &families_, &database);
    database_.reset(database);
    return base::WithContext(FromRocks(opened), "opening the store " + folder_);
  }

  void CloseDatabase() {
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      database_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
    }
    families_.clear();
    if (database_) database_->Close().PermitUncheckedError();
    database_.reset();
  }

  // Against other processes, until RocksDB has its own.
  absl::Status Lock() {
    return base::WithContext(FromRocks(env()->LockFile(folder_ + "/LOCK", &lock_)),
                             "opening the store " + folder_);
  }
  void Unlock() {
    if (lock_ != nullptr) env()->UnlockFile(lock_).PermitUncheckedError();
    lock_ = nullptr;
  }

  // Leaves no log that the next start, or each look at the folder at rest, would have to replay. A
  // flush that fails costs only that: the log has everything.
  void End() {
    if (mark_ != nullptr && database_ != nullptr) {
      const uint64_t last = database_->GetLatestSequenceNumber();
      if (database_->Flush(rocksdb::FlushOptions(), families_).ok()) mark_->Close(last);
    }
    CloseDatabase();
    Unlock();
  }

  rocksdb::ColumnFamilyHandle* Family(Table table) const {
    return families_[static_cast<size_t>(table)];
  }

  rocksdb::Status Append(const Batch::Operation& operation, rocksdb::WriteBatch& writes) const {
    rocksdb::ColumnFamilyHandle* family = Family(operation.table);
    switch (operation.kind) {
      case Batch::Operation::kPut:
        return writes.Put(family, operation.key, operation.value);
      case Batch::Operation::kReplaceTail:
        if (operation.table != Table::kHistory) {
          return rocksdb::Status::InvalidArgument("only histories have tails");
        }
        return writes.Merge(family, operation.key, operation.value);
      case Batch::Operation::kDelete:
        return writes.Delete(family, operation.key);
      case Batch::Operation::kDeleteRange:
        return writes.DeleteRange(family, operation.key, operation.value);
    }
    return rocksdb::Status::InvalidArgument("unknown operation");
  }

  // What was synced once must be there, and the mark itself where it was made once.
  absl::Status CheckMark() {
    std::string id;
    const rocksdb::Status got = database_->Get({}, families_.back(), kStoreIdKey, &id);
    if (!got.IsNotFound()) {
      RETURN_IF_ERROR(FromRocks(got));
      store_id_ = base::Decoder(id).Fixed64();
    }
    ASSIGN_OR_RETURN(const std::optional<WriteMark::Reading> mark,
                     WriteMark::Read(MarkPath(folder_), *env()));
    const auto damaged = [&](const std::string& what) {
      return absl::DataLossError(absl::StrCat("the store ", folder_, " is damaged: ", what,
                                              "; restore the data folder from a backup"));
    };
    if (!mark) {
      return store_id_ ? damaged("its mark " + MarkPath(folder_) + " is missing")
                       : absl::OkStatus();
    }
    if (store_id_ && mark->store_id != *store_id_) {
      return damaged(MarkPath(folder_) + " is the mark of another store");
    }
    const uint64_t last = database_->GetLatestSequenceNumber();
    if (last >= mark->sequence) return absl::OkStatus();
    return damaged(absl::StrCat("of ", mark->sequence, " operations that were synced it has ", last,
                                ": its log was cut or lost"));
  }

  const std::string folder_;
  const RocksOptions options_;
  const std::unique_ptr<rocksdb::Env> env_;
  const rocksdb::DBOptions database_options_;
  rocksdb::FileLock* lock_ = nullptr;
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // by Table, then the default one
  std::optional<uint64_t> store_id_;                    // none: never opened for writing
  std::unique_ptr<WriteMark> mark_;                     // none: open for reading
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const std::string& folder,
                                                      const RocksOptions& options) {
  ASSIGN_OR_RETURN(const bool there, HoldsStore(folder));
  if (!there) {
    if (!options.create || options.read_only) {
      return absl::NotFoundError(absl::StrCat("no database in ", folder));
    }
    RETURN_IF_ERROR(MakeStore(folder, options));
  }
  auto store = std::make_unique<RocksStore>(folder, options);
  RETURN_IF_ERROR(store->Open());
  if (!options.read_only && !options.read_first) RETURN_IF_ERROR(store->BeginWriting());
  return store;
}

}  // namespace opic::store
