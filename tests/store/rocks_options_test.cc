// How we use RocksDB.
#include "store/rocks_options.h"

#include <gtest/gtest.h>

namespace opic::store {
namespace {

// RocksDB makes a filter as soon as its table has memory, however little there is.
TEST(RocksOptionsTest, FiltersTakeAFiftiethOfTheMemoryForRows) {
  for (const size_t bytes : {size_t{256} << 10, size_t{4} << 20, size_t{64} << 20}) {
    RocksOptions options;
    options.write_buffer_bytes = bytes;
    double filters = 0;
    for (const rocksdb::ColumnFamilyDescriptor& family : Families(options)) {
      filters += family.options.memtable_prefix_bloom_size_ratio *
                 static_cast<double>(family.options.write_buffer_size);
      // Nine tables, most of them with a row or none.
      EXPECT_LE(family.options.arena_block_size, bytes / 64) << bytes;
    }
    EXPECT_GT(filters, 0.01 * static_cast<double>(bytes)) << bytes;
    EXPECT_LT(filters, 0.021 * static_cast<double>(bytes)) << bytes;
  }
}

// It is laid out on disk by the memory of the default table, which has one row.
TEST(RocksOptionsTest, TheLogIsLaidOutInLargeSteps) {
  const rocksdb::ColumnFamilyDescriptor of_one_row = Families(RocksOptions()).back();
  EXPECT_EQ(of_one_row.name, rocksdb::kDefaultColumnFamilyName);
  EXPECT_GE(of_one_row.options.write_buffer_size, size_t{2} << 20);
  EXPECT_LE(of_one_row.options.arena_block_size, size_t{4} << 10);
}

}  // namespace
}  // namespace opic::store
