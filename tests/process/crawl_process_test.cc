// A crawler process that starts and stops while others ask it questions.
#include "process/crawl_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/log.h"
#include "certs/authority.h"
#include "rpc/node_client.h"
#include "tests/support/curl_client.h"
#include "tests/support/own_path.h"
#include "tests/support/process.h"

namespace opic::process {
namespace {

std::shared_ptr<const node::Membership> OneOfTwo() {
  ledger::Charter charter;
  charter.cluster_id = 7;
  charter.shards = 16;
  const cluster::ShardMap map = cluster::ShardMap::Even(
      charter, {{NodeId{0}, "a", "127.0.0.1:1"}, {NodeId{1}, "b", "127.0.0.1:2"}});
  return std::make_shared<const node::Membership>(node::Membership{map, NodeId{0}, {}});
}

class CrawlProcessTest : public testing::Test {
 protected:
  CrawlProcessTest() {
    base::StartLog("/dev/null", base::LogLevel::kError);
    std::filesystem::remove_all(options_.data);
    options_.crawl.membership = OneOfTwo();
  }
  ~CrawlProcessTest() override { std::filesystem::remove_all(options_.data); }

  void Ask(int what) {
    const auto node = rpc::NodeClient::To(options_.listen, absl::Seconds(20));
    if (what == 0) TakeCut(*node);
    if (what == 1) node->Stats().IgnoreError();
    if (what == 2)
      node->control().Pause(false).IgnoreError(), node->control().Shards().IgnoreError();
  }

  // As an audit does, of a node that forgets the epoch when it is started anew.
  void TakeCut(rpc::NodeClient& node) {
    const absl::Status cut = node.TakeCut(epoch_ + 1).status();
    if (cut.ok() || absl::IsAborted(cut)) ++epoch_;
    if (absl::IsOutOfRange(cut)) epoch_ = 0;
    cuts_ += cut.ok();
  }

  std::atomic<uint64_t> cuts_ = 0;
  uint64_t epoch_ = 0;  // of the thread that takes cuts
  ProcessOptions options_{.data = testing::TempDir() + "/opic_crawl_process-" +
                                  testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(CrawlProcessTest, ANodeInNoClusterTakesNoPartInOne) {
  options_.crawl.membership = nullptr;
  options_.crawl.seeds = {"http://a.invalid/"};
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  const auto node = rpc::NodeClient::To((*process)->address(), absl::Seconds(20));
  EXPECT_TRUE(node->Stats().ok());
  for (const absl::Status& answer :
       {node->TakeCut(1).status(), node->control().BeginCrawl({}).status(),
        node->control().Order().status(), node->control().MendEpoch().status(),
        node->control().DeclareLost({NodeId{1}}).status(),
        node->control().MoveShards({ShardId{0}}, NodeId{1}), node->control().Shards().status()}) {
    EXPECT_TRUE(absl::IsUnimplemented(answer)) << answer;
  }
}

// Another node audits the cluster while this one starts: the cut met an exchange that was not
// there.
TEST_F(CrawlProcessTest, QuestionsThatComeWhileItStartsOrStopsWaitOrAreRefused) {
  std::atomic<bool> over = false;
  std::vector<std::thread> askers;
  for (int round = 0; round < 6; ++round) {
    auto process = CrawlProcess::Start(options_);
    ASSERT_TRUE(process.ok()) << process.status();
    if (round == 0) {
      options_.listen = (*process)->address();  // a node that starts anew is found where it was
      for (int i = 0; i < 3; ++i)
        askers.emplace_back([&, i] {
          while (!over) Ask(i);
        });
    }
    const uint64_t before = cuts_;
    while (cuts_ == before) std::this_thread::yield();
    EXPECT_TRUE((*process)->Stop().ok());
  }
  over = true;
  for (std::thread& asker : askers) asker.join();
}

class HttpQuestionsTest : public CrawlProcessTest {
 protected:
  HttpQuestionsTest() {
    options_.crawl.membership = nullptr;
    options_.crawl.seeds = {"http://a.invalid/"};
    options_.http_questions = "0";
  }
  static int Ask(const CrawlProcess& process, const std::string& call,
                 const std::string& header = "X-No: token") {
    return support::Curl({.url = absl::StrCat("http://", process.gateway()->address().ToText(),
                                              "/opic.v1.", call),
                          .body = "{}",
                          .headers = {"Content-Type: application/json", header}})
        .status;
  }
};

TEST_F(HttpQuestionsTest, AreAnsweredUntilItStops) {
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(Ask(**process, "Control/GetStatus"), 200);
  EXPECT_EQ(Ask(**process, "Importance/Top"), 200);
  EXPECT_EQ(Ask(**process, "Audit/Take"), 200);
  EXPECT_EQ(Ask(**process, "PageScheduler/Status"), 200);
  EXPECT_EQ(Ask(**process, "PageScheduler/SetBudget"), 403);
  EXPECT_EQ(Ask(**process, "Control/Stop"), 403);
  EXPECT_FALSE((*process)->stop_requested());
  EXPECT_EQ(Ask(**process, "Control/GetStatus", "Host: evil.example"), 403);
  EXPECT_TRUE((*process)->Stop().ok());
  EXPECT_EQ((*process)->gateway(), nullptr);
}

TEST_F(HttpQuestionsTest, AskForATokenWhereThereAreSome) {
  const std::string token(16, 'r');
  options_.tokens[token] = rpc::Role::kReader;
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(Ask(**process, "Control/GetStatus"), 403);
  EXPECT_EQ(Ask(**process, "Control/GetStatus", "Authorization: Bearer " + token), 200);
}

TEST_F(HttpQuestionsTest, NamesOfTheNodeMayBeAsked) {
  options_.crawl.membership = OneOfTwo();
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ(Ask(**process, "Importance/Top", "Host: A:80"), 200);
  EXPECT_EQ(Ask(**process, "Importance/Top", "Host: b:80"), 403);
}

TEST_F(HttpQuestionsTest, AreRefusedWhereEverybodyOrNobodyCouldAsk) {
  options_.http_questions = "0.0.0.0:0";
  EXPECT_TRUE(absl::IsInvalidArgument(CheckOptions(options_)));
  options_.insecure_listen = true;
  EXPECT_TRUE(CheckOptions(options_).ok());
  options_.insecure_listen = false;
  const auto authority = certs::Authority::New("a cluster");
  const auto pair = authority->Issue({"a", {"127.0.0.1"}});
  options_.tls = {authority->pair().certificate, pair->certificate, pair->key};
  const absl::Status nobody = CheckOptions(options_);
  EXPECT_TRUE(absl::IsInvalidArgument(nobody));
  EXPECT_NE(nobody.message().find("--token-file"), nobody.message().npos) << nobody;
  options_.tokens[std::string(16, 'r')] = rpc::Role::kReader;
  EXPECT_TRUE(CheckOptions(options_).ok());
  options_.http_questions = "here:80";
  EXPECT_TRUE(absl::IsInvalidArgument(CheckOptions(options_)));
}

TEST_F(HttpQuestionsTest, AnAddressInUseIsRefused) {
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  ProcessOptions second = options_;
  second.data += "-second";
  second.http_questions = (*process)->gateway()->address().ToText();
  EXPECT_TRUE(absl::IsUnavailable(CrawlProcess::Start(second).status()));
  std::filesystem::remove_all(second.data);
}

// By authority, so that it can be told which certificate is shown.
TEST_F(HttpQuestionsTest, ARenewedCertificateIsShownWithoutARestart) {
  const certs::Authority old = *certs::Authority::New("old"), other = *certs::Authority::New("new");
  const std::string folder = support::OwnPath("tls");
  std::filesystem::create_directories(folder);
  const rpc::TlsFiles files{folder + "/ca.pem", folder + "/own.pem", folder + "/own.key"};
  const auto put = [&](const certs::Authority& authority) {
    const certs::Pair pair = *authority.Issue({"a", {"127.0.0.1"}});
    EXPECT_TRUE(base::WriteFileDurably(files.ca, authority.pair().certificate).ok());
    EXPECT_TRUE(base::WriteFileDurably(files.certificate, pair.certificate).ok());
    EXPECT_TRUE(base::WriteFileDurably(files.key, pair.key).ok());
  };
  put(old);
  options_.tls = *rpc::ReadTls(files);
  options_.tokens[std::string(16, 'r')] = rpc::Role::kReader;
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  const std::string url = absl::StrCat("https://", (*process)->gateway()->address().ToText(),
                                       "/opic.v1.Importance/Top");
  const auto trusts = [&](const certs::Authority& authority) {
    const std::string file = folder + "/trusted.pem";
    EXPECT_TRUE(base::WriteFileDurably(file, authority.pair().certificate).ok());
    return support::Curl({.url = url, .body = "{}", .authority = file}).status == 403;  // no token
  };
  EXPECT_TRUE(trusts(old));
  EXPECT_FALSE(trusts(other));
  put(other);
  EXPECT_TRUE(support::Eventually(absl::Minutes(1), [&] { return trusts(other); }));
  EXPECT_FALSE(trusts(old));
}

class OperatorsTest : public CrawlProcessTest {
 protected:
  OperatorsTest() {
    options_.listen = "0.0.0.0:0";
    options_.insecure_listen = true;
  }
  std::unique_ptr<rpc::NodeClient> At(const std::string& address, const std::string& token = "") {
    rpc::NodeClientOptions options;
    options.patience = absl::Seconds(20);
    options.token = token;
    return rpc::NodeClient::To(absl::StrReplaceAll(address, {{"0.0.0.0", "127.0.0.1"}}), options);
  }
};

// Whoever could reach a node in a trusted network could stop it.
TEST_F(OperatorsTest, AreHeardAtTheFoldersSocketWhereTheNodeIsNotOnLoopback) {
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  const auto network = At((*process)->address());
  EXPECT_TRUE(network->Stats().ok());
  EXPECT_TRUE(absl::IsPermissionDenied(network->control().Pause(true)));
  EXPECT_TRUE(absl::IsPermissionDenied(network->control().StopNode()));
  EXPECT_TRUE(absl::IsPermissionDenied(network->SetBudget(1, absl::Seconds(1))));
  const std::string socket = options_.data + "/control";
  EXPECT_EQ(std::filesystem::status(socket).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto here = At(node::ControlAddress(options_.data, (*process)->address()));
  EXPECT_TRUE(here->control().Pause(true).ok());
  EXPECT_TRUE(here->SetBudget(1, absl::Seconds(1)).ok());
  EXPECT_TRUE(here->control().StopNode().ok());
  EXPECT_TRUE((*process)->stop_requested());
  process->reset();
  EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST_F(OperatorsTest, AreHeardWithThePeersOnlyWhereTheyCanBeKnown) {
  options_.listen_control = kWithPeers;
  const auto refused = CrawlProcess::Start(options_);
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  const std::string token(16, 'o');
  options_.tokens[token] = rpc::Role::kOperator;
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE(absl::IsPermissionDenied(At((*process)->address())->control().Pause(true)));
  EXPECT_TRUE(At((*process)->address(), token)->control().Pause(true).ok());
  EXPECT_FALSE(std::filesystem::exists(options_.data + "/control"));
}

// Explain and budget were answered where the peers are, and not where readers and operators are.
TEST_F(OperatorsTest, AskTheSchedulerAtTheirOwnAddress) {
  options_.listen_control = "unix:" + support::OwnPath("socket");
  options_.listen_questions = "127.0.0.1:0";
  auto process = CrawlProcess::Start(options_);
  ASSERT_TRUE(process.ok()) << process.status();
  const auto control = At(options_.listen_control);
  EXPECT_TRUE(control->ExplainHost("h.example").ok());
  EXPECT_TRUE(control->SetBudget(1, absl::Seconds(1)).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(At((*process)->address())->SetBudget(1, absl::Seconds(1))));
}

}  // namespace
}  // namespace opic::process
