#include "base/fork_join.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "tests/support/sleeping_thread.h"

namespace opic::base {
namespace {

using Worker = ForkJoin::Worker;

TEST(ForkJoinTest, EachPieceIsDoneOnceAndSeenByTheOwner) {
  ForkJoin fork_join("opic-test");
  for (const size_t pieces : {0, 1, 2, 7, 100}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<int> done(pieces);
      fork_join.Run(pieces, [&](Worker, size_t piece) { ++done[piece]; });
      ASSERT_EQ(done, std::vector<int>(pieces, 1));
    }
  }
}

// Either waits in its piece for the other to come to one.
TEST(ForkJoinTest, BothWork) {
  ForkJoin fork_join("opic-test");
  std::promise<void> come[2];
  const std::thread::id owner = std::this_thread::get_id();
  fork_join.Run(2, [&](Worker worker, size_t) {
    EXPECT_EQ(worker == Worker::kOwner, std::this_thread::get_id() == owner);
    come[static_cast<int>(worker)].set_value();
    come[1 - static_cast<int>(worker)].get_future().wait();
  });
}

TEST(ForkJoinTest, TheOwnerWaitsForThePieceThatTheHelperIsAt) {
  std::promise<void> come[2], owner_is_done, go_on;
  bool done = false;
  support::SleepingThread owner([&] {
    ForkJoin fork_join("opic-test");
    fork_join.Run(2, [&](Worker worker, size_t) {
      come[static_cast<int>(worker)].set_value();
      come[1 - static_cast<int>(worker)].get_future().wait();
      if (worker == Worker::kOwner) return owner_is_done.set_value();
      go_on.get_future().wait();
      done = true;
    });
    EXPECT_TRUE(done);
  });
  owner_is_done.get_future().wait();
  EXPECT_TRUE(owner.AwaitSleep());
  go_on.set_value();
}

// It sleeps as the system would put it aside: for a time.
TEST(ForkJoinTest, AHelperThatWasPutAsideIsLeftAloneForAWhile) {
  ForkJoin fork_join("opic-test");
  for (int round = 0; round < 2; ++round) {
    std::promise<void> come[2];
    fork_join.Run(2, [&](Worker worker, size_t) {
      come[static_cast<int>(worker)].set_value();
      come[1 - static_cast<int>(worker)].get_future().wait();
      if (worker == Worker::kHelper)
        std::this_thread::sleep_for(absl::ToChronoNanoseconds(20 * ForkJoin::kAsideMax));
    });
    for (uint32_t call = 0; call < ForkJoin::kCallsAlone; ++call) {
      std::vector<int> done(3);
      fork_join.Run(3, [&](Worker worker, size_t piece) {
        EXPECT_EQ(worker, Worker::kOwner);
        ++done[piece];
      });
      EXPECT_EQ(done, std::vector<int>(3, 1));
    }
  }
}

TEST(ForkJoinTest, TheHelpersProcessorTimeIsTold) {
  ForkJoin fork_join("opic-test");
  const absl::Duration before = fork_join.helper_cpu();
  EXPECT_LT(before, absl::Seconds(5));
  std::promise<void> come[2];
  fork_join.Run(2, [&](Worker worker, size_t) {
    come[static_cast<int>(worker)].set_value();
    come[1 - static_cast<int>(worker)].get_future().wait();
    if (worker == Worker::kHelper) {
      while (fork_join.helper_cpu() < before + absl::Milliseconds(2)) {
      }
    }
  });
  EXPECT_GE(fork_join.helper_cpu(), before + absl::Milliseconds(2));
}

}  // namespace
}  // namespace opic::base
