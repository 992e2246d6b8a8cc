#include "cli/table_file.h"

#include <fmt/core.h>

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

TEST_F(TableFileTest, AFullDiskIsTold) {
  const absl::Status status = WriteTable("/dev/full", TwoRows);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

}  // namespace
}  // namespace opic::cli
