#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace opic::base {
namespace {

class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_ = testing::TempDir() + "/opic_file_test";
};

TEST_F(FileTest, WhatWasWrittenIsRead) {
  const std::string content("a\0b", 3);
  ASSERT_TRUE(WriteFileDurably(Path("f"), content).ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), content);
}

TEST_F(FileTest, WritingReplacesTheWholeFileAndLeavesNothingBeside) {
  ASSERT_TRUE(WriteFileDurably(Path("f"), "a long first version").ok());
  ASSERT_TRUE(WriteFileDurably(Path("f"), "short").ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "short");
  EXPECT_FALSE(std::filesystem::exists(Path("f.new")));
}

TEST_F(FileTest, AnAbsentFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ReadFile(Path("absent")).status()));
}

TEST_F(FileTest, AFileAboveTheBoundIsRefused) {
  ASSERT_TRUE(WriteFileDurably(Path("f"), std::string(100'000, 'x')).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(ReadFile(Path("f"), 99'999).status()));
  EXPECT_TRUE(ReadFile(Path("f"), 100'000).ok());
}

TEST_F(FileTest, AFolderThatIsMissingIsAnError) {
  EXPECT_FALSE(WriteFileDurably(Path("missing/f"), "x").ok());
  EXPECT_FALSE(SyncFolder(Path("missing")).ok());
}

}  // namespace
}  // namespace opic::base
