// A store of either kind for tests, which can be closed and opened again where it is durable.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "store/store.h"
#include "tests/support/own_path.h"

namespace opic::store {

// A folder of its own for the running test, empty at first.
inline std::string FreshFolder() {
  const std::string folder = support::OwnPath("store");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder + "/db";
}

inline RocksOptions SmallRocks() {
  return RocksOptions{.cache_bytes = 1 << 20, .write_buffer_bytes = 1 << 20};
}

inline std::vector<std::string> KeysFrom(Store& store, Table table, std::string_view from) {
  std::vector<std::string> keys;
  const std::unique_ptr<Cursor> at = store.Scan(table, from);
  for (; at->Valid(); at->Next()) keys.emplace_back(at->key());
  EXPECT_TRUE(at->status().ok()) << at->status();
  return keys;
}

inline void Put(Store& store, Table table, std::string key, std::string value,
                Sync sync = Sync::kNo) {
  Batch batch;
  batch.Put(table, std::move(key), std::move(value));
  ASSERT_TRUE(store.Write(batch, sync).ok());
}

}  // namespace opic::store
