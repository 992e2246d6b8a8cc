// A store that came back with less than was synced is refused, and left as it is.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/store/opened_store.h"

namespace opic::store {
namespace {

namespace fs = std::filesystem;

class RefusedStoreTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Store>> Open(RocksOptions options = SmallRocks()) {
    return OpenRocksStore(folder_, options);
  }
  static void PutRows(Store& store, int rows) {
    for (int i = 0; i < rows; ++i) {
      Put(store, Table::kPage, std::to_string(100'000 + i), std::string(100, 'a'), Sync::kYes);
    }
  }
  void Fill(int rows, bool killed) {
    if (killed) return FillAndDie(rows);
    auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    PutRows(**store, rows);
  }
  // In a process that is killed then: all lies in the log.
  void FillAndDie(int rows) {
    // Made here: a child has none of RocksDB's threads.
    ASSERT_TRUE(Open().ok());
    const pid_t writer = fork();
    if (writer == 0) {
      auto store = Open();
      if (store.ok()) PutRows(**store, rows);
      _exit(store.ok() ? 0 : 1);
    }
    int code = -1;
    ASSERT_EQ(waitpid(writer, &code, 0), writer);
    ASSERT_EQ(code, 0);
  }
  fs::path FileLike(const std::string& part) {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.find(part) != std::string::npos && entry.file_size() > 0) return entry.path();
    }
    ADD_FAILURE() << "no file " << part;
    return {};
  }
  static std::string ContentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
  }
  std::map<std::string, std::string> Everything() {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder_).parent_path())) {
      if (!entry.is_regular_file() || entry.path().filename() == "LOCK") continue;
      files[entry.path().string()] = ContentOf(entry.path());
    }
    return files;
  }
  // The ends of the records of a file of RocksDB's log format, below one block of it.
  static std::vector<size_t> RecordEnds(const std::string& bytes) {
    std::vector<size_t> ends;
    for (size_t at = 0; at + 7 <= bytes.size() && bytes[at + 6] != 0;) {
      at += 7 + static_cast<uint8_t>(bytes[at + 4]) + 256 * static_cast<uint8_t>(bytes[at + 5]);
      ends.push_back(at);
    }
    return ends;
  }
  void ExpectRefusedAsItIs() {
    const auto before = Everything();
    EXPECT_TRUE(absl::IsDataLoss(Open().status())) << Open().status();
    EXPECT_TRUE(absl::IsDataLoss(Open({.read_only = true, .create = false}).status()));
    EXPECT_EQ(Everything() == before, true) << "the refusal changed the folder";
  }

  const std::string folder_ = FreshFolder();
};

// RocksDB made the tables anew that the list did not name, and deleted their files as obsolete.
TEST_F(RefusedStoreTest, AManifestCutAtAnyRecordIsRefusedAndNothingDeleted) {
  Fill(10, /*killed=*/false);
  const fs::path manifest = FileLike("MANIFEST");
  const std::string whole = ContentOf(manifest);
  const std::vector<size_t> ends = RecordEnds(whole);
  ASSERT_GT(ends.size(), 5u);
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    fs::resize_file(manifest, ends[i]);
    SCOPED_TRACE(i);
    ExpectRefusedAsItIs();
    std::ofstream(manifest, std::ios::binary) << whole;
  }
  EXPECT_TRUE(Open().ok());
}

TEST_F(RefusedStoreTest, ALogCutBeforeASyncedWriteIsRefused) {
  Fill(10, /*killed=*/true);
  const fs::path log = FileLike(".log");
  const std::string whole = ContentOf(log);
  const std::vector<size_t> ends = RecordEnds(whole);
  ASSERT_GT(ends.size(), 9u);
  for (size_t end : {ends[0], ends[5], ends[ends.size() - 2], ends[ends.size() - 2] + 40}) {
    fs::resize_file(log, end);
    SCOPED_TRACE(end);
    ExpectRefusedAsItIs();
    std::ofstream(log, std::ios::binary) << whole;
  }
  EXPECT_TRUE(Open().ok());
}

TEST_F(RefusedStoreTest, ALogThatIsGoneIsRefused) {
  Fill(10, /*killed=*/true);
  fs::remove(FileLike(".log"));
  ExpectRefusedAsItIs();
}

// RocksDB aborted the process: it found the same operation twice.
TEST_F(RefusedStoreTest, ALogThatIsThereTwiceIsRefused) {
  Fill(10, /*killed=*/true);
  fs::copy_file(FileLike(".log"), folder_ + "/000999.log");
  ExpectRefusedAsItIs();
}

// It was begun anew, with every row forgotten.
TEST_F(RefusedStoreTest, AStoreWithoutItsCurrentIsRefused) {
  Fill(10, /*killed=*/true);
  fs::remove(folder_ + "/CURRENT");
  ExpectRefusedAsItIs();
}

TEST_F(RefusedStoreTest, AStoreThatIsGoneIsRefused) {
  Fill(10, /*killed=*/false);
  fs::remove_all(folder_);
  ExpectRefusedAsItIs();
}

TEST_F(RefusedStoreTest, AStoreWithoutItsMarkIsRefused) {
  Fill(10, /*killed=*/false);
  fs::remove(folder_ + ".mark");
  ExpectRefusedAsItIs();
}

TEST_F(RefusedStoreTest, AnotherStoresMarkIsRefused) {
  Fill(10, /*killed=*/false);
  const std::string other = folder_ + "-other";
  { ASSERT_TRUE(OpenRocksStore(other, SmallRocks()).ok()); }
  fs::copy_file(other + ".mark", folder_ + ".mark", fs::copy_options::overwrite_existing);
  ExpectRefusedAsItIs();
}

TEST_F(RefusedStoreTest, EveryDamagedTableFileIsFoundWhenItIsOpened) {
  Fill(10, /*killed=*/false);
  const fs::path table = FileLike(".sst");
  std::string bytes = ContentOf(table);
  bytes[30] = static_cast<char>(bytes[30] ^ 1);
  std::ofstream(table, std::ios::binary) << bytes;
  ExpectRefusedAsItIs();
}

// RocksDB reads the properties before it compares their checksum, and an assertion ended the
// process.
TEST_F(RefusedStoreTest, DamagedPropertiesOfATableFileAreRefused) {
  constexpr size_t kFooterBytes = 53;
  Fill(10, /*killed=*/false);
  const fs::path table = FileLike(".sst");
  const std::string whole = ContentOf(table);
  const size_t begin = whole.find("rocksdb.");
  ASSERT_LT(begin, whole.size() - kFooterBytes);
  for (size_t i = begin; i <= whole.size() - kFooterBytes; ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x80);
    std::ofstream(table, std::ios::binary) << bytes;
    EXPECT_TRUE(absl::IsDataLoss(Open({.read_only = true, .create = false}).status())) << i;
  }
  std::ofstream(table, std::ios::binary) << whole;
  EXPECT_TRUE(Open().ok());
}

// A power cut in the middle of an append.
TEST_F(RefusedStoreTest, ATornMarkHoldsAsFarAsItIsWhole) {
  Fill(10, /*killed=*/true);
  std::ofstream(folder_ + ".mark", std::ios::binary | std::ios::app) << "torn";
  EXPECT_TRUE(Open().ok());
}

TEST_F(RefusedStoreTest, NothingIsWrittenBeforeItIsAskedFor) {
  Fill(10, /*killed=*/true);
  const auto before = Everything();
  RocksOptions options = SmallRocks();
  options.read_first = true;
  {
    auto store = Open(options);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 10u);
    Batch batch;
    batch.Put(Table::kPage, "x", "y");
    EXPECT_FALSE((*store)->Write(batch, Sync::kYes).ok());
  }
  EXPECT_EQ(Everything() == before, true);
  auto store = Open(options);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE((*store)->BeginWriting().ok());
  Put(**store, Table::kPage, "x", "y", Sync::kYes);
  EXPECT_EQ(KeysFrom(**store, Table::kPage, "").size(), 11u);
}

// A crash while a store is made leaves a folder beside it, which is nobody's.
TEST_F(RefusedStoreTest, AStoreThatWasBeingMadeIsMadeAnew) {
  fs::create_directories(folder_ + ".new");
  std::ofstream(folder_ + ".new/CURRENT") << "MANIFEST-000001\n";
  EXPECT_TRUE(Open().ok());
  EXPECT_FALSE(fs::exists(folder_ + ".new"));
}

}  // namespace
}  // namespace opic::store
