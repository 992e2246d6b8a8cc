#include "cli/token_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

constexpr char kToken[] = "operator-operator";

class TokenFileTest : public InOwnFolder {
 protected:
  static std::string Refusal(const std::string& path) {
    const absl::Status status = ReadTokens(path).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
};

TEST_F(TokenFileTest, GivesRolesToTokens) {
  const std::string path = Write("tokens", "\xef\xbb\xbfoperator operator-operator\n");
  EXPECT_EQ(*ReadTokens(path), (rpc::Tokens{{kToken, rpc::Role::kOperator}}));
  EXPECT_EQ(*ReadBestToken(path), kToken);
  EXPECT_TRUE(ReadTokens("")->empty());
  EXPECT_EQ(*ReadBestToken(""), "");
}

// A folder had no lines and so no tokens, and the node was open to everybody; a pipe made the start
// hang without a word, /dev/zero was read until memory was full.
TEST_F(TokenFileTest, IsARegularFile) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  for (const std::string& path : {Path("pipe"), Path(""), std::string("/dev/zero")})
    EXPECT_THAT(Refusal(path), HasSubstr("is not a regular file")) << path;
  const absl::Status none = ReadTokens(Path("none")).status();
  EXPECT_TRUE(absl::IsNotFound(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("--token-file: cannot open"));
  EXPECT_THAT(Refusal(Write("large", std::string((1 << 20) + 1, '#'))),
              HasSubstr("is larger than 1 MiB"));
}

TEST_F(TokenFileTest, ARefusalNamesTheFile) {
  const std::string path = Write("tokens", "");
  EXPECT_EQ(Refusal(path), "--token-file " + path + ": there is no token in it");
}

TEST_F(TokenFileTest, NoNodeStartsAndNobodyAsksWithoutATokenInIt) {
  const std::string path = Write("tokens", "# none yet\n");
  const Said said = Opic({"status", "--node", "127.0.0.1:1", "--token-file", path});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.error, HasSubstr("there is no token in it"));
}

}  // namespace
}  // namespace opic::cli
