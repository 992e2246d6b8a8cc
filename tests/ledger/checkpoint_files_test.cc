// Files of checkpoints: which of them count, which go, and which are refused
// (src/ledger/checkpoint.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "base/file.h"
#include "base/rng.h"
#include "ledger/checkpoint.h"
#include "tests/support/own_path.h"

namespace opic::ledger {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kCluster = 42;

class CheckpointFilesTest : public testing::Test {
 protected:
  CheckpointFilesTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  // Of a process that has loaded what there is.
  Checkpoints Opened() {
    Checkpoints checkpoints(folder_, kCluster);
    page_table::PageTable table(kShards);
    EXPECT_TRUE(checkpoints.LoadAll(table).ok());
    EXPECT_TRUE(checkpoints.BeginWriting().ok());
    return checkpoints;
  }
  // Of `table_`, as it is.
  void Write(Checkpoints& checkpoints, const std::vector<ShardId>& shards, uint64_t position) {
    const auto save = [&](size_t i, Checkpoints::Append append) { table_.Save(shards[i], append); };
    ASSERT_TRUE(checkpoints.Write(shards, position, save).ok());
  }
  void AddPages(uint16_t shard, uint64_t first, uint64_t count) {
    for (uint64_t id = first; id < first + count; ++id)
      table_.Add(PageId(ShardId{shard}, id << 24));
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // Pages and position of each shard, as another process finds them.
  std::map<uint16_t, std::pair<uint64_t, uint64_t>> Found() {
    page_table::PageTable table(kShards);
    Checkpoints checkpoints(folder_, kCluster);
    std::map<uint16_t, std::pair<uint64_t, uint64_t>> found;
    const auto loaded = checkpoints.LoadAll(table);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) return found;
    for (const CheckpointInfo& info : *loaded) {
      EXPECT_FALSE(found.contains(info.shard.value)) << "twice";
      found[info.shard.value] = {table.totals(info.shard).pages, info.position};
    }
    return found;
  }
  absl::Status Loaded() {
    page_table::PageTable table(kShards);
    return Checkpoints(folder_, kCluster).LoadAll(table).status();
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static constexpr uint32_t kShards = 64;
  const std::string folder_ = support::OwnPath("checkpoints");
  page_table::PageTable table_{kShards};
};

using Shards = std::map<uint16_t, std::pair<uint64_t, uint64_t>>;

TEST_F(CheckpointFilesTest, ShardsThatAreWrittenTogetherShareAFile) {
  Checkpoints checkpoints = Opened();
  EXPECT_FALSE(checkpoints.any());
  AddPages(1, 0, 10);
  AddPages(2, 0, 20);
  Write(checkpoints, {ShardId{1}, ShardId{2}, ShardId{3}}, 7);
  EXPECT_TRUE(checkpoints.any());
  EXPECT_THAT(Files(), ElementsAre("00000001.ckpt"));
  EXPECT_EQ(Found(), (Shards{{1, {10, 7}}, {2, {20, 7}}, {3, {0, 7}}}));
}

TEST_F(CheckpointFilesTest, NothingIsWrittenOfNoShard) {
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {}, 7);
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CheckpointFilesTest, AFileGoesWithTheLastShardThatCountsInIt) {
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{1}, ShardId{2}}, 7);
  AddPages(1, 0, 10);
  Write(checkpoints, {ShardId{1}}, 8);
  EXPECT_THAT(Files(), ElementsAre("00000001.ckpt", "00000002.ckpt"));
  EXPECT_EQ(Found(), (Shards{{1, {10, 8}}, {2, {0, 7}}}));
  Write(checkpoints, {ShardId{2}}, 9);
  EXPECT_THAT(Files(), ElementsAre("00000002.ckpt", "00000003.ckpt"));
  Write(checkpoints, {ShardId{1}, ShardId{2}}, 10);
  EXPECT_THAT(Files(), ElementsAre("00000004.ckpt"));
  EXPECT_EQ(Found(), (Shards{{1, {10, 10}}, {2, {0, 10}}}));
}

// A power cut may bring back what was removed.
TEST_F(CheckpointFilesTest, AnOlderFileThatComesBackDoesNotCountAndGoes) {
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{1}}, 7);
  const std::string old = base::ReadFile(Path("00000001.ckpt")).value();
  AddPages(1, 0, 10);
  Write(checkpoints, {ShardId{1}}, 8);
  ASSERT_TRUE(base::WriteFileDurably(Path("00000001.ckpt"), old).ok());
  EXPECT_EQ(Found(), (Shards{{1, {10, 8}}}));
  Checkpoints later = Opened();
  Write(later, {ShardId{2}}, 9);
  EXPECT_THAT(Files(), ElementsAre("00000002.ckpt", "00000003.ckpt"));
}

TEST_F(CheckpointFilesTest, AShardThatIsWrittenOnceMoreAsItWasLeavesItsFile) {
  Checkpoints checkpoints = Opened();
  AddPages(1, 0, 10);
  Write(checkpoints, {ShardId{1}, ShardId{2}}, 7);
  Write(checkpoints, {ShardId{1}}, 7);
  Write(checkpoints, {ShardId{2}}, 8);
  EXPECT_THAT(Files(), ElementsAre("00000002.ckpt", "00000003.ckpt"));
  EXPECT_EQ(Found(), (Shards{{1, {10, 7}}, {2, {0, 8}}}));
}

TEST_F(CheckpointFilesTest, AWriteThatFailsRemovesNothing) {
  Checkpoints checkpoints = Opened();
  AddPages(1, 0, 10);
  Write(checkpoints, {ShardId{1}}, 7);
  fs::create_directories(Path("00000002.ckpt.new"));
  AddPages(1, 10, 10);
  const auto save = [&](size_t, Checkpoints::Append append) { table_.Save(ShardId{1}, append); };
  EXPECT_FALSE(checkpoints.Write({ShardId{1}}, 8, save).ok());
  EXPECT_EQ(Found(), (Shards{{1, {10, 7}}}));
  fs::remove(Path("00000002.ckpt.new"));
  Write(checkpoints, {ShardId{1}}, 9);
  EXPECT_THAT(Files(), ElementsAre("00000002.ckpt"));
  EXPECT_EQ(Found(), (Shards{{1, {20, 9}}}));
}

TEST_F(CheckpointFilesTest, WhatWasNeverPublishedGoesAtTheNextStart) {
  for (const char* name : {"00000003.ckpt.new", "shard-00005.ckpt.new"}) {
    ASSERT_TRUE(base::WriteFileDurably(Path(name), "half of a checkp").ok());
  }
  Opened();
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(CheckpointFilesTest, AFileOfAnotherNameIsRefused) {
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{1}}, 7);
  for (const char* name : {"my backup.ckpt", "-1.ckpt", "0000000000000000001.ckpt", ".ckpt",
                           "00000001.old.ckpt", "shard-1.ckpt"}) {
    fs::copy_file(Path("00000001.ckpt"), Path(name));
    const absl::Status loaded = Loaded();
    EXPECT_TRUE(absl::IsDataLoss(loaded)) << name << ": " << loaded;
    EXPECT_THAT(std::string(loaded.message()), HasSubstr(name));
    fs::remove(Path(name));
  }
  EXPECT_TRUE(Loaded().ok());
}

// An upgrade that was cut before it could remove the older one.
TEST_F(CheckpointFilesTest, ThePositionCountsAndNotTheName) {
  std::string before = CheckpointHeader(kCluster, ShardId{5}, 7);
  table_.Save(ShardId{5}, [&](std::string_view piece) { before.append(piece); });
  AddPages(5, 0, 10);
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{5}}, 9);
  ASSERT_TRUE(base::WriteFileDurably(Path("shard-00005.ckpt"), before).ok());
  EXPECT_EQ(Found(), (Shards{{5, {10, 9}}}));
}

TEST_F(CheckpointFilesTest, AFileOfOneShardAsReleasesBeforeWroteItIsReadAndReplaced) {
  AddPages(5, 0, 10);
  std::string before = CheckpointHeader(kCluster, ShardId{5}, 7);
  table_.Save(ShardId{5}, [&](std::string_view piece) { before.append(piece); });
  ASSERT_TRUE(base::WriteFileDurably(Path("shard-00005.ckpt"), before).ok());
  EXPECT_EQ(Found(), (Shards{{5, {10, 7}}}));

  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{6}}, 8);
  EXPECT_EQ(Found(), (Shards{{5, {10, 7}}, {6, {0, 8}}}));
  AddPages(5, 10, 1);
  Write(checkpoints, {ShardId{5}}, 9);
  EXPECT_THAT(Files(), ElementsAre("00000001.ckpt", "00000002.ckpt"));
  EXPECT_EQ(Found(), (Shards{{5, {11, 9}}, {6, {0, 8}}}));

  ASSERT_TRUE(base::WriteFileDurably(Path("shard-00004.ckpt"), before).ok());
  EXPECT_TRUE(absl::IsDataLoss(Loaded())) << "the file of another shard";
}

// Some shards change all the time, and others never again.
TEST_F(CheckpointFilesTest, FilesDoNotStayForAFewShards) {
  base::Rng rng(3);
  uint64_t counts = 0;
  for (uint16_t shard = 0; shard < kShards; ++shard) {
    AddPages(shard, 0, 5000 + rng.Below(5000));
    table_.Save(ShardId{shard}, [&](std::string_view piece) { counts += piece.size(); });
  }
  ASSERT_GT(counts, uint64_t{2} << 20);
  Checkpoints checkpoints = Opened();
  Shards expected;
  uint64_t position = 0;
  const auto write = [&](std::vector<ShardId> shards) {
    ++position;
    for (const ShardId keeping : checkpoints.KeepingFiles()) {
      if (std::ranges::find(shards, keeping) == shards.end()) shards.push_back(keeping);
    }
    Write(checkpoints, shards, position);
    for (const ShardId shard : shards) {
      expected[shard.value] = {table_.totals(shard).pages, position};
    }
  };
  uint64_t bytes_max = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<ShardId> shards;
    for (uint16_t shard = 0; shard < kShards; ++shard) {
      const bool busy = shard % 16 != round % 16 ? shard % 2 == 0 : true;
      if (round == 0 || (busy && rng.Below(4) == 0)) shards.push_back(ShardId{shard});
    }
    if (shards.empty()) continue;
    write(std::move(shards));
    uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) bytes += entry.file_size();
    bytes_max = std::max(bytes_max, bytes);
    if (round % 20 == 0) {
      EXPECT_EQ(Found(), expected);
    }
  }
  EXPECT_EQ(Found(), expected);
  EXPECT_LT(bytes_max, 3 * counts) << "half as much again, what one write adds, and some slack";
}

// Nothing is moved for the sake of little.
TEST_F(CheckpointFilesTest, SmallFilesMayStay) {
  Checkpoints checkpoints = Opened();
  for (uint16_t shard = 1; shard < kShards; ++shard) {
    Write(checkpoints, {ShardId{shard}, ShardId{0}}, uint64_t{1} + shard);
    EXPECT_THAT(checkpoints.KeepingFiles(), IsEmpty());
  }
}

// Of two shards, with places that are said to be of others, or to lie elsewhere; their checksum is
// right.
TEST_F(CheckpointFilesTest, PlacesThatDoNotFitAreRefused) {
  Checkpoints checkpoints = Opened();
  AddPages(1, 0, 10);
  Write(checkpoints, {ShardId{1}, ShardId{2}}, 7);
  const std::vector<CheckpointPlace> places = ReadPlaces(Path("00000001.ckpt")).value();
  ASSERT_EQ(places.size(), 2u);
  const std::string whole = base::ReadFile(Path("00000001.ckpt")).value();
  const std::string checkpoints_alone = whole.substr(0, whole.size() - EncodePlaces(places).size());
  const auto with = [&](auto change) {
    std::vector<CheckpointPlace> changed = places;
    change(changed);
    EXPECT_TRUE(
        base::WriteFileDurably(Path("00000001.ckpt"), checkpoints_alone + EncodePlaces(changed))
            .ok());
    return Loaded();
  };
  EXPECT_TRUE(with([](auto&) {}).ok());
  const auto refused = [&](auto change) {
    const absl::Status status = with(change);
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("00000001.ckpt"));
  };
  refused([](auto& places) { std::swap(places[0].shard, places[1].shard); });
  refused([](auto& places) { places[0].position = 8; });
  refused([](auto& places) { places[1].bytes -= 1; });
  refused([](auto& places) { places[1].begin -= 1, places[1].bytes += 1; });
  refused([](auto& places) { places[0].bytes += 1, places[1].begin += 1, places[1].bytes -= 1; });
  refused([](auto& places) { places[1].bytes = UINT64_MAX; });
  refused([](auto& places) { places.pop_back(); });
  refused([](auto& places) { places[0].shard = ShardId{kShards}; });
  refused([](auto& places) { places[1].shard = places[0].shard; });
  refused([](auto& places) { places.clear(); });
  refused([](auto& places) {  // ends where it should, by way of 2^64
    places[0].bytes = UINT64_MAX - 10;
    places[1] = {ShardId{2}, 7, UINT64_MAX - 10, places[1].begin + places[1].bytes + 11};
  });
}

// Said by a few bytes, and no reason to look for memory.
TEST_F(CheckpointFilesTest, ACountBeyondTheFileOrAllShardsIsRefused) {
  Checkpoints checkpoints = Opened();
  Write(checkpoints, {ShardId{1}}, 7);
  const std::string whole = base::ReadFile(Path("00000001.ckpt")).value();
  for (const uint32_t count : {0u, 2u, 10u, 65'537u, UINT32_MAX}) {
    std::string bytes = whole;
    const size_t at = whole.size() - 17 - 8 - 4;
    for (int i = 0; i < 4; ++i) {
      bytes[at + static_cast<size_t>(i)] = static_cast<char>(count >> 8 * i);
    }
    ASSERT_TRUE(base::WriteFileDurably(Path("00000001.ckpt"), bytes).ok());
    EXPECT_TRUE(absl::IsDataLoss(Loaded())) << count;
  }
}

}  // namespace
}  // namespace opic::ledger
