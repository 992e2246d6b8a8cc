// opic cluster: the files that a cluster begins with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "absl/time/clock.h"
#include "base/file.h"
#include "certs/certificate_folder.h"
#include "certs/inspection.h"
#include "cli/cluster_listing.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cluster/shard_map.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

class ClusterCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/cluster-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    file_ = folder_ + "/cluster.json";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The exit code; what was printed is in `out_` and `err_`.
  int Run(std::vector<std::string> arguments) {
    CLI::App app;
    const Command command = AddCluster(app);
    arguments.insert(arguments.begin(), "cluster");
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = command.run();
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  int Init(const std::vector<std::string>& more, const std::string& nodes = "4") {
    std::vector<std::string> arguments{"init", "--nodes", nodes, "--out", file_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
  cluster::ShardMap Map() {
    absl::StatusOr<cluster::ShardMap> map = cluster::ShardMap::Read(file_);
    EXPECT_TRUE(map.ok()) << map.status();
    return *std::move(map);
  }
  std::string folder_, file_, out_, err_;
};

TEST_F(ClusterCommandTest, InitMakesAFileThatEveryNodeReads) {
  ASSERT_EQ(Init({"--base-port", "9000", "--shards", "64"}), kOk) << err_;
  const cluster::ShardMap map = Map();
  ASSERT_EQ(map.nodes().size(), 4u);
  EXPECT_EQ(map.nodes()[3].name, "node3");
  EXPECT_EQ(map.nodes()[3].address, "127.0.0.1:9003");
  EXPECT_EQ(map.CharterOf(NodeId{0}).shards, 64u);
  EXPECT_EQ(map.OwnerOf(ShardId{63}), NodeId{3});
  EXPECT_THAT(out_, HasSubstr("opic-node --cluster " + file_));
}

TEST_F(ClusterCommandTest, NamesAndAddressesAreTaken) {
  ASSERT_EQ(Init({"--name", "a", "--name", "b", "--address", "10.0.0.1:1", "--address",
                  "crawler.example:2"},
                 "2"),
            kOk)
      << err_;
  EXPECT_EQ(Map().nodes()[1].name, "b");
  EXPECT_EQ(Map().nodes()[1].address, "crawler.example:2");
}

TEST_F(ClusterCommandTest, AClusterIsNotOverwrittenUnlessForced) {
  ASSERT_EQ(Init({}), kOk);
  const uint64_t first = Map().CharterOf(NodeId{0}).cluster_id;
  EXPECT_EQ(Init({}), kFolderRefused);
  EXPECT_EQ(Map().CharterOf(NodeId{0}).cluster_id, first);
  EXPECT_EQ(Init({"--force"}), kOk);
  EXPECT_NE(Map().CharterOf(NodeId{0}).cluster_id, first);
}

TEST_F(ClusterCommandTest, WhatNoNodeWouldReadIsNotWritten) {
  const std::vector<std::vector<std::string>> wrong{
      {"--name", "one"},
      {"--address", "127.0.0.1:1"},
      {"--shards", "100"},
      {"--shards", "2"},
      {"--epsilon", "2"},
      {"--window", "square"},
      {"--base-port", "65534"},
      {"--h-url", "other"},
      {"--name", "a", "--name", "a", "--name", "b", "--name", "c"}};
  for (const std::vector<std::string>& flags : wrong) {
    EXPECT_EQ(Init(flags), kUsage) << flags[0] << " " << flags[1] << ": " << err_;
    EXPECT_FALSE(std::filesystem::exists(file_)) << flags[0];
  }
}

TEST_F(ClusterCommandTest, CertsMakesOneForEachNodeAndOneForOperators) {
  ASSERT_EQ(Init({}, "2"), kOk);
  const std::string certs = folder_ + "/certs";
  ASSERT_EQ(Run({"certs", "--cluster", file_, "--out", certs}), kOk) << err_;
  for (const std::string holder : {"ca", "node0", "node1", "operator"}) {
    EXPECT_TRUE(std::filesystem::exists(certs::CertificateFile(certs, holder))) << holder;
    EXPECT_TRUE(std::filesystem::exists(certs::KeyFile(certs, holder))) << holder;
  }
  ASSERT_EQ(Run({"certs", "--cluster", file_, "--out", certs}), kOk);
  EXPECT_THAT(out_, HasSubstr("all certificates exist already"));
}

TEST_F(ClusterCommandTest, CertsMakesOneForAHostBesideTheNodes) {
  ASSERT_EQ(Init({}, "2"), kOk);
  const std::string certs = folder_ + "/certs";
  ASSERT_EQ(Run({"certs", "--cluster", file_, "--out", certs, "--also", "scheduler0"}), kOk);
  EXPECT_TRUE(std::filesystem::exists(certs::CertificateFile(certs, "scheduler0"))) << out_;
}

// As docs/operations.md has it: the old pair is removed, and the same command makes a new one, by
// the same authority. The others stay.
TEST_F(ClusterCommandTest, ARemovedCertificateIsRenewedForAsLongAsIsSaid) {
  ASSERT_EQ(Init({}, "2"), kOk);
  const std::string certs = folder_ + "/certs";
  ASSERT_EQ(Run({"certs", "--cluster", file_, "--out", certs, "--days", "20"}), kOk) << err_;
  const auto content = [&](const std::string& file) { return *base::ReadFile(file); };
  const auto expiry = [&](const std::string& holder) {
    const certs::Pair pair{content(certs::CertificateFile(certs, holder)),
                           content(certs::KeyFile(certs, holder))};
    return certs::Inspect(pair).value().expires;
  };
  EXPECT_LT(expiry("node0"), absl::Now() + absl::Hours(24 * 20 + 1));
  const std::string authority = content(certs::AuthorityFile(certs));
  const std::string other = content(certs::CertificateFile(certs, "node1"));
  std::filesystem::remove(certs::CertificateFile(certs, "node0"));
  std::filesystem::remove(certs::KeyFile(certs, "node0"));
  ASSERT_EQ(Run({"certs", "--cluster", file_, "--out", certs, "--days", "90"}), kOk) << err_;
  EXPECT_GT(expiry("node0"), absl::Now() + absl::Hours(24 * 89));
  EXPECT_EQ(content(certs::AuthorityFile(certs)), authority);
  EXPECT_EQ(content(certs::CertificateFile(certs, "node1")), other);
  for (const char* days : {"0", "-3", "4000", "x"}) {
    EXPECT_THROW(Run({"certs", "--cluster", file_, "--days", days}), CLI::ValidationError) << days;
  }
}

TEST_F(ClusterCommandTest, CertsNeedsTheClustersFile) {
  EXPECT_EQ(Run({"certs", "--cluster", file_, "--out", folder_}), kNotFound);
  EXPECT_THAT(err_, HasSubstr(file_));
}

TEST(AuditExitCodeTest, PartialIsNeitherGoodNorBad) {
  node::Audit audit;
  EXPECT_EQ(ExitCodeOf(audit), kOk);
  audit.table = 1;
  EXPECT_EQ(ExitCodeOf(audit), kFailed);
  audit.missing = {"node1"};
  EXPECT_EQ(ExitCodeOf(audit), kPartial);
  EXPECT_EQ(AuditJson(audit)["difference"], nullptr);
}

// A node whose own books differ is known to, whoever else answers.
TEST(AuditExitCodeTest, BooksThatDifferAreBadThoughSomebodyIsMissing) {
  node::Audit audit;
  audit.missing = {"node1"};
  audit.nodes.push_back({.node = "node0", .difference = -1});
  EXPECT_EQ(ExitCodeOf(audit), kFailed);
}

}  // namespace
}  // namespace opic::cli
