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

  // Tests run at the same time: each has a folder of its own.
  const std::string folder_ = testing::TempDir() + "/opic_file_test/" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FileTest, WhatWasWrittenIsRead) {
  const std::string content("a\0b", 3);
  ASSERT_TRUE(WriteFileDurably(Path("f"), content).ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), content);
}

TEST_F(FileTest, AFolderIsNoFile) {
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(Path("")).status()));
}

TEST_F(FileTest, WritingReplacesTheWholeFileAndLeavesNothingBeside) {
  ASSERT_TRUE(WriteFileDurably(Path("f"), "a long first version").ok());
  ASSERT_TRUE(WriteFileDurably(Path("f"), "short").ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "short");
  EXPECT_FALSE(std::filesystem::exists(Path("f.new")));
}

TEST_F(FileTest, IsReplacedByWhatIsMadePieceByPiece) {
  ASSERT_TRUE(WriteFileDurably(Path("f"), "old").ok());
  const std::string large(3 << 20, 'x');
  {
    FileToReplace file(Path("f"));
    file.Append("1");
    file.Append("2");
    for (size_t at = 0; at < large.size(); at += 1 << 16) file.Append(large.substr(at, 1 << 16));
    file.Append(large);
    EXPECT_EQ(ReadFile(Path("f")).value(), "old");
    ASSERT_TRUE(file.End().ok());
  }
  EXPECT_EQ(ReadFile(Path("f")).value(), "12" + large + large);
  EXPECT_FALSE(std::filesystem::exists(Path("f.new")));
}

TEST_F(FileTest, OfNothingIsEmpty) {
  FileToReplace file(Path("f"));
  ASSERT_TRUE(file.End().ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "");
}

TEST_F(FileTest, WhatCannotBeMadeIsToldAtTheEnd) {
  ASSERT_TRUE(WriteFileDurably(Path("f"), "old").ok());
  std::filesystem::create_directories(Path("f.new"));
  FileToReplace file(Path("f"));
  file.Append(std::string(1 << 20, 'x'));
  EXPECT_FALSE(file.End().ok());
  EXPECT_EQ(ReadFile(Path("f")).value(), "old");
}

TEST_F(FileTest, AFileThatIsNotEndedStaysAsItWas) {
  ASSERT_TRUE(WriteFileDurably(Path("a"), "old").ok());
  {
    FileToReplace file(Path("a"));
    file.Append(std::string(1 << 20, 'x'));
    EXPECT_TRUE(std::filesystem::exists(Path("a.new")));
  }
  EXPECT_EQ(ReadFile(Path("a")).value(), "old");
  EXPECT_FALSE(std::filesystem::exists(Path("a.new")));
}

TEST_F(FileTest, ADeviceThatIsFullIsToldAtTheEnd) {
  // What is written beside it goes to a device that never has room.
  std::filesystem::create_symlink("/dev/full", Path("f.new"));
  FileToReplace file(Path("f"));
  file.Append(std::string(1 << 20, 'x'));
  file.Append("more");
  EXPECT_TRUE(absl::IsResourceExhausted(file.End()));
  EXPECT_FALSE(std::filesystem::exists(Path("f")));
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
