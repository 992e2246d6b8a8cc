#include "base/byte_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <tuple>

#include "base/file.h"

namespace opic::base {
namespace {

class ByteSourceTest : public testing::Test {
 protected:
  ByteSourceTest() {
    std::filesystem::create_directories(testing::TempDir());
    std::filesystem::remove(path_);
  }
  ~ByteSourceTest() override { std::filesystem::remove(path_); }

  std::unique_ptr<ByteSource> Opened(const std::string& content) const {
    EXPECT_TRUE(WriteFileDurably(path_, content).ok());
    return OpenFile(path_).value();
  }

  const std::string path_ = testing::TempDir() + "/opic_byte_source_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

// Takes pieces of sizes up to `piece_max` until nothing is left.
std::string Taken(ByteSource& source, size_t piece_max) {
  std::mt19937_64 random(7);
  std::string taken;
  while (source.left() > 0) {
    const uint64_t left = source.left();
    const size_t size = std::min<uint64_t>(left, random() % (piece_max + 1));
    taken += source.Take(size).value();
    EXPECT_EQ(source.left(), left - size);
  }
  return taken;
}

TEST_F(ByteSourceTest, AFileIsTakenInPiecesOfAnySize) {
  std::string content;
  std::mt19937_64 random(3);
  while (content.size() < 2'000'001) content.push_back(static_cast<char>(random()));
  for (const size_t piece_max : {70'000u, 600'000u}) {
    EXPECT_TRUE(Taken(*Opened(content), piece_max) == content) << piece_max;
    StringSource source(content);
    EXPECT_TRUE(Taken(source, piece_max) == content) << piece_max;
  }
}

TEST_F(ByteSourceTest, AnEmptyFileHasNothingLeft) {
  const std::unique_ptr<ByteSource> source = Opened("");
  EXPECT_EQ(source->left(), 0);
  EXPECT_EQ(source->Take(0).value(), "");
}

TEST_F(ByteSourceTest, APartOfAFileIsReadAlone) {
  ASSERT_TRUE(WriteFileDurably(path_, "0123456789").ok());
  for (const auto& [begin, most, part] : std::vector<std::tuple<uint64_t, uint64_t, std::string>>{
           {0, 4, "0123"}, {7, UINT64_MAX, "789"}, {3, 2, "34"}, {10, 5, ""}, {11, 5, ""}}) {
    const std::unique_ptr<ByteSource> source = OpenFile(path_, begin, most).value();
    ASSERT_EQ(source->left(), part.size()) << begin;
    EXPECT_EQ(source->Take(part.size()).value(), part) << begin;
  }
}

TEST_F(ByteSourceTest, AnAbsentFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(OpenFile(path_).status()));
}

TEST_F(ByteSourceTest, AFileThatBecomesShorterIsToldAsDataLoss) {
  const std::unique_ptr<ByteSource> source = Opened(std::string(1'000'000, 'x'));
  ASSERT_TRUE(source->Take(10).ok());
  ASSERT_EQ(::truncate(path_.c_str(), 500'000), 0);
  EXPECT_TRUE(source->Take(200'000).ok());
  EXPECT_TRUE(absl::IsDataLoss(source->Take(400'000).status()));
}

TEST_F(ByteSourceTest, WhatIsAppendedLaterIsNotOfTheFile) {
  const std::unique_ptr<ByteSource> source = Opened("abc");
  std::filesystem::resize_file(path_, 100);
  EXPECT_EQ(source->left(), 3);
  EXPECT_EQ(source->Take(3).value(), "abc");
  EXPECT_EQ(source->left(), 0);
}

TEST_F(ByteSourceTest, TakingMoreThanThereIsEndsTheProcess) {
  StringSource source("abc");
  EXPECT_DEATH((void)source.Take(4), "more than there is");
}

}  // namespace
}  // namespace opic::base
