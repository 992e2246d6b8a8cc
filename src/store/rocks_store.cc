#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "base/status_macros.h"
#include "store/rocks_log.h"
#include "store/rocks_status.h"
#include "store/store.h"

namespace opic::store {
namespace {

// Names of the column families, by Table.
constexpr std::array<const char*, kTableCount> kNames = {
    "meta", "page", "history", "journal", "robots", "host", "spill", "peer", "outbox"};

rocksdb::Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view ViewOf(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

rocksdb::CompressionType FastCompression() {
  for (rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    if (type == rocksdb::kLZ4Compression) return type;
  }
  return rocksdb::kNoCompression;
}

rocksdb::ColumnFamilyOptions FamilyOptions(Table table,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.cache_index_and_filter_blocks = true;  // filters are part of the configured budget
  blocks.pin_l0_filter_and_index_blocks_in_cache = true;
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  blocks.block_size = 4 << 10;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.compression = FastCompression();
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = 16 << 20;
  options.max_write_buffer_number = 3;
  // The journal is written once, read only at recovery, and trimmed from below.
  if (table == Table::kJournal) options.level0_file_num_compaction_trigger = 8;
  return options;
}

rocksdb::DBOptions DatabaseOptions(const RocksOptions& options) {
  rocksdb::DBOptions database;
  if (options.env != nullptr) database.env = options.env;
  database.create_if_missing = options.create && !options.read_only;
  database.create_missing_column_families = true;
  database.paranoid_checks = true;
  // A torn last record is a crash; damage before it is refused, never skipped.
  database.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  database.track_and_verify_wals_in_manifest = true;
  database.db_write_buffer_size = options.write_buffer_bytes;
  // A start after a crash replays the log, some 12 ms a megabyte, and leaves it at that: to write
  // it out as table files first would take half as long again. So the log has to be short.
  database.avoid_flush_during_recovery = true;
  database.max_total_wal_size = 2 * options.write_buffer_bytes;
  database.bytes_per_sync = 1 << 20;
  database.manifest_preallocation_size = 64 << 10;  // not 4 MB for some kilobytes
  database.max_background_jobs = 2;
  database.max_open_files = 512;
  database.max_file_opening_threads = 2;  // not 16 for each table in turn
  database.info_log = std::make_shared<RocksLog>();
  database.statistics = rocksdb::CreateDBStatistics();
  database.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  return database;
}

// RocksDB syncs a log only as long as the process lives that wrote it. What the next one finds in
// it and builds upon has to survive a power cut too, with all that was written across tables.
rocksdb::Status SyncLogs(const std::string& folder, rocksdb::Env& env) {
  std::vector<std::string> names;
  env.GetChildren(folder, &names).PermitUncheckedError();  // no folder: no logs
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

class RocksStore final : public Store {
 public:
  RocksStore(std::unique_ptr<rocksdb::DB> database,
             std::vector<rocksdb::ColumnFamilyHandle*> families,
             std::shared_ptr<rocksdb::Statistics> statistics, bool read_only)
      : statistics_(std::move(statistics)),
        database_(std::move(database)),
        families_(std::move(families)),
        read_only_(read_only) {}

  // Leaves no log that the next start, or each look at the folder at rest, would have to replay. A
  // flush that fails costs only that: the log has everything.
  ~RocksStore() override {
    if (!read_only_) database_->Flush(rocksdb::FlushOptions(), families_).PermitUncheckedError();
    for (rocksdb::ColumnFamilyHandle* family : families_)
      database_->DestroyColumnFamilyHandle(family);
    database_->Close();
  }

  absl::Status Write(const Batch& batch, Sync sync) override {
    rocksdb::WriteBatch writes(batch.bytes() + 24 * batch.operations().size() + 64);
    for (const Batch::Operation& operation : batch.operations()) {
      RETURN_IF_ERROR(FromRocks(Append(operation, writes)));
    }
    rocksdb::WriteOptions options;
    options.sync = sync == Sync::kYes;
    return FromRocks(database_->Write(options, &writes));
  }

  absl::StatusOr<std::optional<std::string>> Get(Table table, std::string_view key) override {
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
    std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator({}, Family(table)));
    at->Seek(SliceOf(from));
    return std::make_unique<RocksCursor>(std::move(at));
  }

  uint64_t bytes_written() const override {
    return statistics_->getTickerCount(rocksdb::WAL_FILE_BYTES) +
           statistics_->getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           statistics_->getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
  }

 private:
  rocksdb::ColumnFamilyHandle* Family(Table table) const {
    return families_[static_cast<size_t>(table)];
  }

  rocksdb::Status Append(const Batch::Operation& operation, rocksdb::WriteBatch& writes) const {
    rocksdb::ColumnFamilyHandle* family = Family(operation.table);
    switch (operation.kind) {
      case Batch::Operation::kPut:
        return writes.Put(family, operation.key, operation.value);
      case Batch::Operation::kDelete:
        return writes.Delete(family, operation.key);
      case Batch::Operation::kDeleteRange:
        return writes.DeleteRange(family, operation.key, operation.value);
    }
    return rocksdb::Status::InvalidArgument("unknown operation");
  }

  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // by Table
  const bool read_only_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenRocksStore(const std::string& folder,
                                                      const RocksOptions& options) {
  if (!options.create && !std::filesystem::exists(folder + "/CURRENT")) {
    return absl::NotFoundError(absl::StrCat("no database in ", folder));
  }
  // RocksDB complains in the log of a folder that it makes itself. What fails here fails there too.
  std::error_code told_by_rocks;
  const bool made = options.create && !options.read_only &&
                    std::filesystem::create_directory(folder, told_by_rocks);
  if (made) {
    RETURN_IF_ERROR(base::SyncFolder(std::filesystem::path(folder).parent_path().string()));
  }
  const rocksdb::DBOptions database_options = DatabaseOptions(options);
  if (!options.read_only) {
    RETURN_IF_ERROR(base::WithContext(FromRocks(SyncLogs(folder, *database_options.env)),
                                      "syncing the log of " + folder));
  }
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (int i = 0; i < kTableCount; ++i) {
    descriptors.emplace_back(kNames[i], FamilyOptions(static_cast<Table>(i), cache));
  }
  // RocksDB insists on its default family; it stays empty.
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* database = nullptr;
  const rocksdb::Status opened =
      options.read_only
          ? rocksdb::DB::OpenForReadOnly(database_options, folder, descriptors, &families,
                                         &database)
          : rocksdb::DB::Open(database_options, folder, descriptors, &families, &database);
  RETURN_IF_ERROR(base::WithContext(FromRocks(opened), "opening the store " + folder));
  return std::make_unique<RocksStore>(std::unique_ptr<rocksdb::DB>(database), std::move(families),
                                      database_options.statistics, options.read_only);
}

}  // namespace opic::store
