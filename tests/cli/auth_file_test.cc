#include "cli/auth_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/log.h"
#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class AuthFileTest : public InOwnFolder {
 protected:
  static std::string Refusal(const std::string& path) {
    const absl::Status status = ReadAuthFile(path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
};

TEST_F(AuthFileTest, IsBytesWithoutAMark) {
  EXPECT_EQ(*ReadAuthFile(Write("plain", "a.test basic u p\n")), "a.test basic u p\n");
  EXPECT_EQ(*ReadAuthFile(Write("marked", "\xef\xbb\xbf# x\n")), "# x\n");
}

// A pipe made the start hang without a word, /dev/zero was read without end.
TEST_F(AuthFileTest, IsARegularFile) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), Path(""), std::string("/dev/zero")})
    EXPECT_THAT(Refusal(path), HasSubstr("is not a regular file")) << path;
}

TEST_F(AuthFileTest, HasALimit) {
  EXPECT_TRUE(ReadAuthFile(Write("full", std::string(kAuthFileBytesMax, '#'))).ok());
  EXPECT_THAT(Refusal(Write("large", std::string(kAuthFileBytesMax + 1, '#'))),
              HasSubstr("is larger than 1 MiB"));
}

TEST_F(AuthFileTest, AWarningSaysThatOthersMayReadIt) {
  using std::filesystem::perms;
  const std::string path = Write("auth", "a.test basic u hunter2\n");
  std::filesystem::permissions(path, perms::owner_read | perms::owner_write);
  EXPECT_FALSE(OthersMayRead(path));
  for (const perms more : {perms::group_read, perms::others_read}) {
    std::filesystem::permissions(path, perms::owner_read | more);
    EXPECT_TRUE(OthersMayRead(path));
  }
  EXPECT_FALSE(OthersMayRead(Path("none")));

  ASSERT_TRUE(base::StartLog(Path("log"), base::LogLevel::kInfo));
  WarnIfOthersMayRead(path, "--auth-file");
  WarnIfOthersMayRead("", "--auth-file");
  base::StartLog("", base::LogLevel::kInfo);
  EXPECT_THAT(Read("log"), HasSubstr("others than its owner may read " + path));
  EXPECT_THAT(Read("log"), Not(HasSubstr("hunter2")));
}

TEST_F(AuthFileTest, AFileThatIsNotThereIsNotFound) {
  const Said said = Opic({"crawl", "http://127.0.0.1/", "--data", Path("data"), "--check-config",
                          "--auth-file", Path("none")});
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.error, HasSubstr("--auth-file: cannot open"));
  EXPECT_THAT(said.error, Not(HasSubstr("in order")));
}

}  // namespace
}  // namespace opic::cli
