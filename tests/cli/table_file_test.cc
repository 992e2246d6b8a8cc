#include "cli/table_file.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using TableFileTest = InOwnFolder;

absl::Status TwoRows(std::FILE* out) {
  fmt::print(out, "1\n2\n");
  return absl::OkStatus();
}

absl::Status HalfOfTwoRows(std::FILE* out) {
  fmt::print(out, "1\n");
  return absl::UnavailableError("the node has gone");
}

TEST_F(TableFileTest, ReplacesAFile) {
  const std::string path = Write("table", "what was there before\n");
  EXPECT_TRUE(WriteTable(path, TwoRows).ok());
  EXPECT_EQ(Read("table"), "1\n2\n");
  EXPECT_FALSE(std::filesystem::exists(Path("table.new")));
}

// Ctrl-C left half of the new table, and the old one was gone.
TEST_F(TableFileTest, TheOldTableStaysUntilTheNewOneIsWhole) {
  const std::string path = Write("table", "old\n");
  const absl::Status written = WriteTable(path, [&](std::FILE* out) {
    fmt::print(out, "1\n");
    std::fflush(out);
    EXPECT_EQ(Read("table"), "old\n");
    return TwoRows(out);
  });
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_EQ(Read("table"), "1\n1\n2\n");
  EXPECT_FALSE(WriteTable(path, HalfOfTwoRows).ok());
  EXPECT_EQ(Read("table"), "1\n1\n2\n");
}

TEST_F(TableFileTest, WhatAKilledProcessHasLeftIsOverwritten) {
  Write("table.new", "half of an older table\n");
  EXPECT_TRUE(WriteTable(Path("table"), TwoRows).ok());
  EXPECT_EQ(Read("table"), "1\n2\n");
  EXPECT_FALSE(std::filesystem::exists(Path("table.new")));
}

TEST_F(TableFileTest, LinksAndPermissionsStay) {
  using std::filesystem::perms;
  Write("table", "old\n");
  std::filesystem::permissions(Path("table"), perms::owner_read | perms::owner_write);
  std::filesystem::create_symlink("table", Path("link"));
  EXPECT_TRUE(WriteTable(Path("link"), TwoRows).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(Read("table"), "1\n2\n");
  EXPECT_EQ(std::filesystem::status(Path("table")).permissions(),
            perms::owner_read | perms::owner_write);
}

// A job of root's locked the table's reader out.
TEST_F(TableFileTest, TheOwnerStays) {
  const std::string path = Write("table", "old\n");
  if (chown(path.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_TRUE(WriteTable(path, TwoRows).ok());
  struct stat found = {};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 65534u);
  EXPECT_EQ(found.st_gid, 65534u);
  EXPECT_EQ(Read("table"), "1\n2\n");
}

// The program was killed by SIGXFSZ, and left an empty file.
TEST_F(TableFileTest, AFileThatMayGrowNoMoreIsTold) {
  const std::string path = Write("table", "old\n");
  const std::string list = Write("list", "0 9999\n");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{2048, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Said said = Opic({"rank", list, "--quiet", "--out", path});
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(said.code, kStoreFailed);
  EXPECT_THAT(said.error, testing::HasSubstr("cannot write " + path + ": File too large"));
  EXPECT_EQ(Read("table"), "old\n");
  EXPECT_FALSE(std::filesystem::exists(Path("table.new")));
}

// A table without its end looked like a whole one.
TEST_F(TableFileTest, HalfATableIsRemoved) {
  EXPECT_TRUE(absl::IsUnavailable(WriteTable(Path("table"), HalfOfTwoRows)));
  EXPECT_FALSE(std::filesystem::exists(Path("table")));
}

TEST_F(TableFileTest, WhatALinkLeadsToIsRemoved) {
  std::filesystem::create_symlink(Path("table"), Path("link"));
  EXPECT_FALSE(WriteTable(Path("link"), HalfOfTwoRows).ok());
  EXPECT_FALSE(std::filesystem::exists(Path("table")));
}

TEST_F(TableFileTest, AnotherNameIsAskedForWhereNoneCanBe) {
  for (const std::string& path : {Path(""), Write("plain", "") + "/table"}) {
    const absl::Status status = WriteTable(path, TwoRows);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(status.message().find("--out: cannot write " + path), 0u) << status;
  }
  EXPECT_TRUE(absl::IsNotFound(WriteTable(Path("none/table"), TwoRows)));
}

TEST_F(TableFileTest, AFullDiskIsTold) {
  const absl::Status status = WriteTable("/dev/full", TwoRows);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

}  // namespace
}  // namespace opic::cli
