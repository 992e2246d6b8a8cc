// How the ledger's loop takes in what peers send.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>

#include "absl/synchronization/notification.h"
#include "node/ledger_loop.h"
#include "tests/cluster/exchange_pair.h"
#include "tests/support/own_path.h"

namespace opic::node {
namespace {

struct NoScheduler final : desk::SchedulerLink {
  void Send(schedule::ToScheduler) override {}
};

// Node 0 runs a loop, node 1 sends it batches.
class PeerMessagesTest : public cluster::ExchangePair {
 protected:
  static constexpr uint64_t kBatches = 5;

  void SetUp() override {
    Meet();
    for (uint64_t i = 1; i <= kBatches; ++i) {
      ledger(1).Seed(SmallCrawl::Links({2 * i}));
      Commit(1);
    }
    options_.settle = false;
    options_.membership = std::make_shared<Membership>(Membership{map_, NodeId{0}, {}});
  }
  void Start() {
    loop_ = std::make_unique<LedgerLoop>(options_, CrawlMemory(), ledger(0), store(0), clock_);
    auto desk = desk::OrderDesk::Start(
        options_, ledger(0).window(), url::UrlHash(url::ShardBy::kHost, ledger(0).charter().shards),
        store(0), clock_, support::OwnPath("fetches.jsonl"), scheduler_, [](desk::Report) {});
    EXPECT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
    loop_->Start(*desk_, scheduler_, &exchange(0));
  }
  void TearDown() override {
    desk_->Stop();
    EXPECT_TRUE(loop_->Stop().ok());
  }
  // Within a turn of the loop.
  void WhileBusy(const std::function<void()>& work) {
    absl::Notification busy, go_on, goes_on;
    loop_->Run([&] {
      busy.Notify();
      go_on.WaitForNotification();
      goes_on.Notify();
    });
    busy.WaitForNotification();
    work();
    go_on.Notify();
    goes_on.WaitForNotification();  // the loop has left the other one
  }
  // All batches are brought to the loop, each once the one before says that it may be. How many
  // were while it was busy.
  uint64_t BroughtWhileBusy() {
    Start();
    uint64_t brought = 0;
    WhileBusy([&] {
      BringNext();
      brought = brought_;
    });
    while (AppliedByTheLoop() < kBatches) {
    }
    return brought;
  }
  void BringNext() {
    if (brought_ == kBatches) return;
    const cluster::Message& next = sent(1)[brought_++];
    loop_->TakePeerMessage(
        {.from = NodeId{1}, .message = next, .read_next = [this] { BringNext(); }});
  }
  uint64_t AppliedByTheLoop() {
    absl::Notification told;
    uint64_t seen = 0;
    loop_->Run([&] {
      seen = applied();
      told.Notify();
    });
    told.WaitForNotification();
    return seen;
  }
  uint64_t applied() { return ledger(0).peers().book(NodeId{1}).applied; }

  CrawlOptions options_;
  base::Clock& clock_ = base::RealClock::Get();
  NoScheduler scheduler_;
  uint64_t brought_ = 0;
  std::unique_ptr<LedgerLoop> loop_;
  std::unique_ptr<desk::OrderDesk> desk_;
};

// The symptom: a loop took in one batch of each peer in a turn while peers sealed more, so a crawl
// at full speed had a hundred batches on their way, and settled nothing.
TEST_F(PeerMessagesTest, TheNextIsReadWhileTheLoopIsBusy) {
  EXPECT_EQ(BroughtWhileBusy(), kBatches);
}

TEST_F(PeerMessagesTest, TheNextWaitsWhereThereIsNoRoom) {
  options_.memory.whole = 64;  // a group takes in one message
  EXPECT_EQ(BroughtWhileBusy(), 1u);
  EXPECT_EQ(brought_, kBatches);
}

// A full inbox would hold up the peers' net, and with it what does not pass the ledger.
TEST_F(PeerMessagesTest, SmallOnesDoNotFillTheInbox) {
  constexpr int kMany = 3000;
  Start();
  std::atomic<bool> read_next = true;
  int brought = 0;
  WhileBusy([&] {
    while (brought < kMany && read_next.exchange(false)) {
      ++brought;
      loop_->TakePeerMessage({.from = NodeId{1},
                              .message = cluster::Acknowledgement(),
                              .read_next = [&] { read_next = true; }});
    }
  });
  EXPECT_GT(brought, 100);
  EXPECT_LT(brought, kMany / 2);
  while (!read_next) AppliedByTheLoop();
}

// A lease message behind it would be answered before our own Hello, and the answer dropped.
TEST_F(PeerMessagesTest, WhatComesBehindHelloIsReadWhenItWasAnswered) {
  Start();
  std::atomic<bool> read = false;
  WhileBusy([&] {
    loop_->TakePeerMessage(
        {.from = NodeId{1}, .message = cluster::Hello(), .read_next = [&] { read = true; }});
    EXPECT_FALSE(read);
  });
  while (!read) AppliedByTheLoop();
}

}  // namespace
}  // namespace opic::node
