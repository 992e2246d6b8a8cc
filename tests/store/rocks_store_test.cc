// What only a store on disk can promise: what was synced is there again, and damage is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/file.h"
#include "store/value_tail.h"
#include "tests/store/opened_store.h"

namespace opic::store {
namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

class RocksStoreTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Store>> Open(RocksOptions options = SmallRocks()) {
    return OpenRocksStore(folder_, options);
  }
  // 1,000 of them fill a memtable, and then a table file.
  void Fill(int rows) {
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < rows; ++i) PutRow(**store, i, rows);
  }
  // The same in a process that is killed then: what was written last lies in the log only. Unless
  // `synced`, the last row was not acknowledged: a cut may tear it off.
  void FillAndDie(int rows, bool synced = true) {
    // Made here: a child has none of RocksDB's threads.
    if (!fs::exists(folder_)) {
      ASSERT_TRUE(Open().ok());
    }
    const pid_t writer = fork();
    if (writer == 0) {
      auto store = Open();
      for (int i = 0; store.ok() && i < rows; ++i) PutRow(**store, i, rows + (synced ? 0 : 1));
      _exit(store.ok() ? 0 : 1);
    }
    int code = -1;
    ASSERT_EQ(waitpid(writer, &code, 0), writer);
    ASSERT_EQ(code, 0);
  }
  static void PutRow(Store& store, int i, int rows) {
    const Sync sync = i + 1 == rows ? Sync::kYes : Sync::kNo;
    Put(store, Table::kPage, RowKey(i), std::string(1000, 'a' + i % 26), sync);
  }
  static std::string RowKey(int i) { return std::to_string(100'000 + i); }

  std::vector<fs::path> FilesEndingIn(const std::string& suffix) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.size() >= suffix.size() && name.ends_with(suffix) && entry.file_size() > 0) {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  fs::path Manifest() {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().starts_with("MANIFEST")) return entry.path();
    }
    return {};
  }
  static void Flip(const fs::path& path, uint64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 0x55);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  // The log with most of the rows.
  fs::path Log() {
    const std::vector<fs::path> logs = FilesEndingIn(".log");
    return logs.empty() ? fs::path() : logs.back();
  }

  const std::string folder_ = FreshFolder();
};

TEST_F(RocksStoreTest, WhatWasWrittenIsThereAfterReopening) {
  Fill(10);
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 10u);
}

TEST_F(RocksStoreTest, BytesWrittenCountTheLog) {
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  PutRow(**store, 0, 1);
  EXPECT_GE((*store)->bytes_written(), 1000u);
}

TEST_F(RocksStoreTest, AnAbsentFolderIsNotFoundUnlessItIsToBeMade) {
  EXPECT_TRUE(absl::IsNotFound(Open({.create = false}).status()));
  EXPECT_TRUE(absl::IsNotFound(Open({.read_only = true, .create = false}).status()));
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(Open().ok());
}

TEST_F(RocksStoreTest, AFolderInUseIsRefused) {
  const auto first = Open();
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Open().status())) << Open().status();
}

TEST_F(RocksStoreTest, AFolderInUseByAnotherProcessIsRefused) {
  int ready[2], ended[2];
  ASSERT_EQ(pipe(ready) + pipe(ended), 0);
  ASSERT_TRUE(Open().ok());  // a child has none of RocksDB's threads
  const pid_t other = fork();
  if (other == 0) {
    close(ended[1]);
    const auto store = Open();
    char byte = store.ok() ? 'y' : 'n';
    const bool heard = write(ready[1], &byte, 1) == 1 && read(ended[0], &byte, 1) == 0;
    _exit(heard ? 0 : 1);
  }
  close(ended[0]);
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_TRUE(absl::IsFailedPrecondition(Open().status())) << Open().status();
  close(ended[1]);
  waitpid(other, nullptr, 0);
}

TEST_F(RocksStoreTest, AReaderSeesTheLogAndChangesNothing) {
  FillAndDie(10);
  const auto listing = [&] {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      files.push_back(entry.path().filename().string() + " " + std::to_string(entry.file_size()));
    }
    std::sort(files.begin(), files.end());
    return files;
  };
  const std::vector<std::string> before = listing();
  {
    auto store = Open({.read_only = true, .create = false});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 10u);
    Batch batch;
    batch.Put(Table::kPage, "x", "y");
    EXPECT_FALSE((*store)->Write(batch, Sync::kYes).ok());
  }
  EXPECT_EQ(listing(), before);
}

// kill -9 or a power cut in the middle of a write: the last record is a stump.
TEST_F(RocksStoreTest, ATornTailOfTheLogIsACrashAndIsTolerated) {
  FillAndDie(100, /*synced=*/false);
  const fs::path log = Log();
  fs::resize_file(log, fs::file_size(log) - 500);
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 99u);
  EXPECT_EQ(KeysFrom(**store, Table::kPage, "").back(), RowKey(98));
}

// Logs of several crashes stand beside each other until their rows are flushed, each with its
// stump.
TEST_F(RocksStoreTest, CrashAfterCrashIsTolerated) {
  FillAndDie(100, /*synced=*/false);
  fs::resize_file(Log(), fs::file_size(Log()) - 500);
  FillAndDie(50, /*synced=*/false);
  fs::resize_file(Log(), fs::file_size(Log()) - 500);
  FillAndDie(10);
  EXPECT_GT(FilesEndingIn(".log").size(), 1u);
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 99u);
}

TEST_F(RocksStoreTest, ACleanEndLeavesNoLogToReplay) {
  Fill(100);
  EXPECT_THAT(FilesEndingIn(".log"), testing::IsEmpty());
  EXPECT_THAT(FilesEndingIn(".sst"), testing::Not(testing::IsEmpty()));
}

// RocksDB's own log aborts the process on a full disk.
TEST_F(RocksStoreTest, RocksHasNoLogFileOfItsOwn) {
  Fill(10);
  EXPECT_FALSE(fs::exists(folder_ + "/LOG"));
}

TEST_F(RocksStoreTest, DamageInTheMiddleOfTheLogIsRefused) {
  FillAndDie(100);
  const fs::path log = Log();
  Flip(log, fs::file_size(log) / 3);
  EXPECT_TRUE(absl::IsDataLoss(Open().status())) << Open().status();
}

TEST_F(RocksStoreTest, ADamagedManifestIsRefused) {
  Fill(10);
  Flip(Manifest(), 20);
  EXPECT_TRUE(absl::IsDataLoss(Open().status())) << Open().status();
}

TEST_F(RocksStoreTest, AMissingTableFileIsRefused) {
  Fill(3000);
  const std::vector<fs::path> files = FilesEndingIn(".sst");
  ASSERT_FALSE(files.empty());
  fs::remove(files.front());
  EXPECT_TRUE(absl::IsDataLoss(Open().status())) << Open().status();
}

// Found when the block is read, at the latest: never a wrong or missing row.
TEST_F(RocksStoreTest, DamageInATableFileIsDataLossToWhoReadsIt) {
  Fill(3000);
  for (const fs::path& file : FilesEndingIn(".sst")) Flip(file, fs::file_size(file) / 4);
  auto store = Open();
  if (!store.ok()) {
    EXPECT_TRUE(absl::IsDataLoss(store.status())) << store.status();
    return;
  }
  const std::unique_ptr<Cursor> at = (*store)->Scan(Table::kPage, "");
  while (at->Valid()) at->Next();
  EXPECT_TRUE(absl::IsDataLoss(at->status())) << at->status();
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back(RowKey(i));
  std::vector<std::optional<std::string>> values;
  EXPECT_TRUE(absl::IsDataLoss((*store)->MultiGet(Table::kPage, keys, &values)));
}

// Heads and tails lie in different files, until a compaction joins them.
TEST_F(RocksStoreTest, TailsOutliveTheirProcessAndMeetTheirHeads) {
  const std::string head(200, 'h');
  const auto value = [&](const std::string& tail) {
    std::string whole = head;
    AppendTail(whole, tail);
    return whole;
  };
  for (int start = 0; start < 4; ++start) {
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < 3000; ++i) {
      Batch batch;
      if (start == 0) batch.Put(Table::kHistory, RowKey(i), value("none"));
      batch.ReplaceTail(Table::kHistory, RowKey(i), std::to_string(start + i));
      ASSERT_TRUE((*store)->Write(batch, Sync::kNo).ok());
    }
  }
  auto store = Open({.read_only = true, .create = false});
  ASSERT_TRUE(store.ok()) << store.status();
  int i = 0;
  for (auto at = (*store)->Scan(Table::kHistory, ""); at->Valid(); at->Next(), ++i) {
    ASSERT_EQ(at->key(), RowKey(i));
    ASSERT_EQ(at->value(), value(std::to_string(3 + i)));
  }
  EXPECT_EQ(i, 3000);
}

// Damage of one row, which must not end all writing: flushes and compactions go on.
TEST_F(RocksStoreTest, ATailWithoutAHeadIsAnEmptyValue) {
  {
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    Put(**store, Table::kHistory, "short", "x");
    Batch batch;
    batch.DeleteRange(Table::kHistory, "a", "b");
    batch.ReplaceTail(Table::kHistory, "absent", "tail");
    batch.ReplaceTail(Table::kHistory, "short", "tail");
    ASSERT_TRUE((*store)->Write(batch, Sync::kYes).ok());
  }
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  std::vector<std::optional<std::string>> values;
  ASSERT_TRUE((*store)->MultiGet(Table::kHistory, {"absent", "short"}, &values).ok());
  EXPECT_THAT(values, ElementsAre("", ""));
  PutRow(**store, 0, 1);
}

TEST_F(RocksStoreTest, OnlyHistoriesHaveTails) {
  auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  Batch batch;
  batch.ReplaceTail(Table::kPage, "a", "tail");
  EXPECT_FALSE((*store)->Write(batch, Sync::kYes).ok());
  PutRow(**store, 0, 1);
}

// Bytes that this process has read from files, as the kernel counts them.
uint64_t BytesRead() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  uint64_t bytes = 0;
  counters >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

// A cache that does not hold all filters and indexes must not make each row cost a whole one.
TEST_F(RocksStoreTest, ARowCostsAFewBlocksWhereTheCacheIsSmall) {
  constexpr int kRows = 200'000, kReads = 1000;
  const auto Shuffled = [](int i) { return RowKey(static_cast<int>(i * 7919LL % kRows)); };
  const RocksOptions options{.cache_bytes = 64 << 10, .write_buffer_bytes = 1 << 20};
  auto store = Open(options);
  ASSERT_TRUE(store.ok()) << store.status();
  // In no order, so that small files are joined to one, which has a large filter.
  for (int i = 0; i < kRows;) {
    Batch batch;
    for (int end = i + 1000; i < end; ++i) {
      batch.Put(Table::kPage, Shuffled(i), std::string(60, 'a' + i % 26));
    }
    ASSERT_TRUE((*store)->Write(batch, Sync::kYes).ok());
  }
  store->reset();
  store = Open(options);
  ASSERT_TRUE(store.ok()) << store.status();
  (*store)->Get(Table::kPage, RowKey(0)).IgnoreError();
  const uint64_t before = BytesRead();
  for (int i = 0; i < kReads; ++i) {
    const auto row = (*store)->Get(Table::kPage, Shuffled(i));
    ASSERT_TRUE(row.ok() && row->has_value());
  }
  // A block of data, one of the index, one of the filter, 4 KB each; the filter as a whole has 250.
  EXPECT_LT((BytesRead() - before) / kReads, 25'000u);
}

}  // namespace
}  // namespace opic::store
