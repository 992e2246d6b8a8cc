#include "cli/cluster_secret.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/program_run.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

class SecretFileTest : public InOwnFolder {
 protected:
  std::string Cluster() const { return Path("cluster.json"); }
  std::string Refusal() const {
    const absl::Status status = ReadSecret(Cluster()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
};

TEST_F(SecretFileTest, IsMadeForItsOwnerAndReadAgain) {
  EXPECT_EQ(*ReadSecret(Cluster()), "") << "the cluster has none";
  ASSERT_TRUE(MakeSecret(Cluster()).ok());
  const auto secret = ReadSecret(Cluster());
  ASSERT_TRUE(secret.ok()) << secret.status();
  EXPECT_EQ(secret->size(), 64u);
  ASSERT_EQ(::chmod(SecretFileOf(Cluster()).c_str(), 0644), 0);
  EXPECT_THAT(Refusal(), HasSubstr("chmod 600"));
}

// A pipe made the start hang without a word.
TEST_F(SecretFileTest, IsARegularFile) {
  ASSERT_EQ(::mkfifo(SecretFileOf(Cluster()).c_str(), 0600), 0);
  EXPECT_THAT(Refusal(), HasSubstr("is not a regular file"));
}

// The node went on without a secret, and any process of the machine was a peer.
TEST_F(SecretFileTest, ALinkThatLeadsNowhereIsNotNone) {
  ASSERT_EQ(::symlink(Path("gone").c_str(), SecretFileOf(Cluster()).c_str()), 0);
  const absl::Status gone = ReadSecret(Cluster()).status();
  EXPECT_TRUE(absl::IsNotFound(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("the cluster's secret: cannot open"));
}

TEST_F(SecretFileTest, AShortOneIsRefused) {
  Write("cluster.json.secret", "");
  ASSERT_EQ(::chmod(SecretFileOf(Cluster()).c_str(), 0600), 0);
  EXPECT_THAT(Refusal(), HasSubstr("at least 32 characters"));
}

}  // namespace
}  // namespace opic::cli
