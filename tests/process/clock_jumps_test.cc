// Wall clocks that jump, both ways, all the time: a step of an hour stopped channels, ends and
// shares for an hour, and a step back delayed what waited.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/log.h"
#include "process/crawl_process.h"
#include "rpc/node_client.h"
#include "sample/sample_web.h"
#include "tests/support/jumping_clock.h"
#include "tests/support/own_path.h"

namespace opic::process {
namespace {

constexpr uint32_t kPages = 120;
constexpr absl::Duration kPatience = absl::Seconds(60);

class ClockJumpsTest : public testing::Test {
 protected:
  ClockJumpsTest() {
    base::StartLog("/dev/null", base::LogLevel::kError);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ClockJumpsTest() override {
    processes_.clear();
    std::filesystem::remove_all(folder_);
  }

  // Node `n` of two, of which the first dials the second.
  void StartNode(uint16_t n) {
    ledger::Charter charter;
    charter.cluster_id = 7;
    charter.shards = 16;
    const std::string second = processes_[1] ? processes_[1]->address() : "127.0.0.1:2";
    const cluster::ShardMap map = cluster::ShardMap::Even(
        charter, {{NodeId{0}, "a", "127.0.0.1:1"}, {NodeId{1}, "b", second}});
    ProcessOptions options;
    options.data = folder_ + "/" + std::to_string(n);
    options.clock = &clocks_[n];
    options.crawl.membership =
        std::make_shared<const node::Membership>(node::Membership{map, NodeId{n}, {}});
    options.crawl.fetch.allow_private = true;
    options.crawl.fetch.loopback_only = true;
    options.crawl.fetch.connect_to = {web_->connect_to()};
    options.scheduling.delay = absl::Milliseconds(20);
    auto process = CrawlProcess::Start(options);
    ASSERT_TRUE(process.ok()) << process.status();
    processes_[n] = *std::move(process);
  }
  bool AllFinish() {
    base::Clock& clock = base::RealClock::Get();
    const absl::Time deadline = clock.Steady() + kPatience;
    for (const auto& process : processes_) {
      while (process->node().stats().loop.phase != node::Phase::kFinished) {
        if (clock.Steady() > deadline) return false;
        std::this_thread::yield();
      }
    }
    return true;
  }

  const std::string folder_ = support::OwnPath("crawl");
  std::unique_ptr<sample::SampleWeb> web_ =
      *sample::SampleWeb::Start({.pages = kPages, .hosts = 12});
  support::JumpingClock clocks_[2] = {support::JumpingClock(1), support::JumpingClock(2)};
  std::vector<std::unique_ptr<CrawlProcess>> processes_{2};
};

TEST_F(ClockJumpsTest, AClusterCrawlsAndComesToItsEnd) {
  StartNode(1), StartNode(0);
  for (const auto& process : processes_) {
    ASSERT_TRUE(process->node()
                    .operations()
                    .control()
                    .BeginCrawl({.seeds = {web_->seed_url()}, .scope = "any"})
                    .ok());
  }
  EXPECT_TRUE(AllFinish());
  uint64_t pages = 0;
  for (const auto& process : processes_) {
    const node::NodeStats stats = process->node().stats();
    pages += stats.loop.pages;
    for (const cluster::ChannelStatus& channel : stats.loop.channels) {
      EXPECT_TRUE(channel.connected) << channel.alarm;
    }
  }
  EXPECT_EQ(pages, kPages);
  const auto audit = rpc::NodeClient::To(processes_[0]->address(), absl::Seconds(20))->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->difference() == 0);
}

}  // namespace
}  // namespace opic::process
