#include "store/rocks_options.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>

#include "store/rocks_log.h"
#include "store/rocks_tails.h"

namespace opic::store {
namespace {

// Names of the column families, by Table.
constexpr std::array<const char*, kTableCount> kNames = {
    "meta", "page", "history", "journal", "robots", "host", "spill", "peer", "outbox"};

rocksdb::CompressionType FastCompression() {
  for (rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    if (type == rocksdb::kLZ4Compression) return type;
  }
  return rocksdb::kNoCompression;
}

constexpr size_t kMemoryOfTable = 16 << 20;  // at most, before it is written out
constexpr size_t kBlockMin = 4 << 10, kBlockMax = 1 << 20;

// What a table takes at once of the memory of all. By megabytes, as RocksDB does, the first rows of
// some tables would take all of a small one.
size_t BlockOfMemory(size_t all_bytes) {
  return std::clamp(all_bytes / 64 / kBlockMin * kBlockMin, kBlockMin, kBlockMax);
}

// Those in which a node looks for many rows that are not there, or not in memory: a filter of 2 %
// of the memory tells so. What all tables may have in memory together is these tables' mostly.
double FilterShare(Table table, size_t all_bytes) {
  if (table != Table::kMeta && table != Table::kPage && table != Table::kHistory) return 0;
  const size_t bytes = std::min(kMemoryOfTable, all_bytes / 3);
  return 0.02 * static_cast<double>(bytes) / static_cast<double>(kMemoryOfTable);
}

rocksdb::ColumnFamilyOptions FamilyOptions(Table table, size_t write_buffer_bytes,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.cache_index_and_filter_blocks = true;  // filters are part of the configured budget
  // In parts: whole they are a megabyte a file, which a cache smaller than all of them would read
  // for each row.
  blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  blocks.partition_filters = true;
  blocks.metadata_block_size = 4 << 10;
  blocks.pin_top_level_index_and_filter = true;
  blocks.pin_l0_filter_and_index_blocks_in_cache = true;
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  blocks.block_size = 4 << 10;
  blocks.checksum = rocksdb::kXXH3;  // table_files.cc knows it
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  options.compression = FastCompression();
  options.level_compaction_dynamic_level_bytes = true;
  options.write_buffer_size = kMemoryOfTable;
  options.max_write_buffer_number = 3;
  options.arena_block_size = BlockOfMemory(write_buffer_bytes);
  options.memtable_prefix_bloom_size_ratio = FilterShare(table, write_buffer_bytes);
  options.memtable_whole_key_filtering = true;
  if (table == Table::kHistory) options.merge_operator = ReplacingTails();
  // The journal is written once, read only at recovery, and trimmed from below: so that a
  // compaction finds little left to write, it is late.
  if (table == Table::kJournal) {
    options.level0_file_num_compaction_trigger = 16;
    options.level0_slowdown_writes_trigger = 32;
    options.level0_stop_writes_trigger = 48;
  }
  return options;
}

}  // namespace

rocksdb::DBOptions DatabaseOptions(const RocksOptions& options) {
  rocksdb::DBOptions database;
  if (options.env != nullptr) database.env = options.env;
  // A store is made whole in one step (rocks_making.h); what is missing later was lost.
  database.create_if_missing = false;
  database.create_missing_column_families = false;
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

std::vector<rocksdb::ColumnFamilyDescriptor> Families(const RocksOptions& options) {
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (int i = 0; i < kTableCount; ++i) {
    families.emplace_back(kNames[static_cast<size_t>(i)],
                          FamilyOptions(static_cast<Table>(i), options.write_buffer_bytes, cache));
  }
  rocksdb::ColumnFamilyOptions for_one_row;
  // RocksDB takes space for the log on disk by this; 64 KB at a time was once for every other
  // write.
  for_one_row.write_buffer_size =
      std::clamp(options.write_buffer_bytes / 16, size_t{64} << 10, size_t{4} << 20);
  for_one_row.arena_block_size = kBlockMin;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, for_one_row);
  return families;
}

}  // namespace opic::store
