// A restatement that nobody goes on with.
#include "node/running_restatement.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "base/clock.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

class RunningRestatementTest : public testing::Test {
 protected:
  RunningRestatementTest() {
    ledger::Charter charter = ledger::Charter::ForNewCrawl();
    charter.cluster_id = 7;
    ledger_ = ledger::Ledger::Open({}, *store_, &charter).value();
    ledger_->Seed({{PageId(ShardId{0}, 1), "http://host/"}});
    EXPECT_TRUE(ledger_->Commit().ok());
  }
  void Prepare() {
    auto restating = ledger_->restating().Prepare(kEpoch).value();
    kept_ = restating;
    ledger_->EnterEpoch(kEpoch);
    running_.Prepare(std::move(restating));
  }
  void AwaitRead() {
    while (absl::IsUnavailable(running_.At(kEpoch).value()->ClaimsFor(NodeId{0}, 0).status()))
      std::this_thread::yield();
  }

  static constexpr uint64_t kEpoch = 3;
  static constexpr absl::Duration kIdle = absl::Milliseconds(4);  // looked at each millisecond
  base::ManualClock clock_;
  const std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<ledger::Ledger> ledger_;
  std::weak_ptr<ledger::Restating> kept_;
  absl::Notification given_up_;
  RunningRestatement running_{[](const std::function<void()>& work) {
                                work();
                                return absl::OkStatus();
                              },
                              clock_,
                              [this](uint64_t epoch) {
                                EXPECT_EQ(epoch, kEpoch);
                                ledger_->restating().Forget(epoch);
                                given_up_.Notify();
                              },
                              kIdle};
};

// Its client was killed, and the copy of the cells stayed until the next one.
TEST_F(RunningRestatementTest, IsGivenUpWhenNobodyGoesOnWithIt) {
  Prepare();
  AwaitRead();
  for (int i = 0; i < 20'000 && !given_up_.WaitForNotificationWithTimeout(kIdle / 4); ++i)
    clock_.Advance(2 * kIdle);  // its reader may have ended just now
  ASSERT_TRUE(given_up_.HasBeenNotified());
  EXPECT_TRUE(absl::IsFailedPrecondition(running_.At(kEpoch).status()));
  EXPECT_TRUE(kept_.expired());
}

TEST_F(RunningRestatementTest, IsKeptWhileSomebodyAsks) {
  Prepare();
  AwaitRead();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(running_.At(kEpoch).ok());
    clock_.Advance(kIdle / 2);
    given_up_.WaitForNotificationWithTimeout(kIdle);  // which is looked at meanwhile
  }
  EXPECT_FALSE(given_up_.HasBeenNotified());
  EXPECT_FALSE(kept_.expired());
}

// Of a cluster's nodes the one with few pages is asked again when all others are done.
TEST_F(RunningRestatementTest, WhatIsCorrectedKeepsNoCopyAndIsNotGivenUp) {
  Prepare();
  AwaitRead();
  const auto is_done = [this] {
    const auto part = running_.End(kEpoch, *ledger_, /*correct=*/true, /*per_second=*/0);
    EXPECT_TRUE(part.ok()) << part.status();
    return !part.ok() || part->done;
  };
  while (!is_done()) std::this_thread::yield();
  EXPECT_TRUE(kept_.expired());
  clock_.Advance(100 * kIdle);
  EXPECT_FALSE(given_up_.WaitForNotificationWithTimeout(kIdle));
  EXPECT_TRUE(is_done());
  EXPECT_TRUE(running_.Forget(kEpoch));
  EXPECT_FALSE(running_.Forget(kEpoch));
}

}  // namespace
}  // namespace opic::node
