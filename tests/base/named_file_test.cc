#include "base/named_file.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/disk_failure.h"

namespace opic::base {
namespace {

absl::Status OfNumber(int error_number) {
  return OfNamedFile(DiskFailure(error_number, "cannot open x"));
}

TEST(NamedFileTest, AnotherNameHelpsAgainstSome) {
  for (const int number : {EACCES, EPERM, EISDIR, ENOTDIR}) {
    EXPECT_TRUE(absl::IsInvalidArgument(OfNumber(number))) << number;
    EXPECT_EQ(OfNumber(number).message(), DiskFailure(number, "cannot open x").message());
  }
}

TEST(NamedFileTest, TheOthersStayAsTheyAre) {
  EXPECT_TRUE(absl::IsNotFound(OfNumber(ENOENT)));
  EXPECT_TRUE(absl::IsResourceExhausted(OfNumber(ENOSPC)));
  for (const int number : {EIO, EROFS}) EXPECT_TRUE(IsDiskFailure(OfNumber(number))) << number;
  EXPECT_TRUE(OfNamedFile(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace opic::base
