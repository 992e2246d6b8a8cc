// A crawler process that starts and stops while others ask it questions.
#include "cli/crawl_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/log.h"
#include "rpc/node_client.h"

namespace opic::cli {
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
    if (what == 2) node->Pause(false).IgnoreError(), node->Shards().IgnoreError();
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
  ProcessOptions options_{.data = testing::TempDir() + "/opic_crawl_process"};
};

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

}  // namespace
}  // namespace opic::cli
