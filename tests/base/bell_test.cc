#include "base/bell.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace opic::base {
namespace {

TEST(BellTest, IsHeardOnceByWhoWaitsNext) {
  Bell bell;
  bell.Ring();
  bell.Ring();
  EXPECT_TRUE(bell.Await(absl::InfiniteDuration()));
  EXPECT_FALSE(bell.Await(absl::ZeroDuration()));
  EXPECT_FALSE(bell.Await(-absl::Seconds(1)));
}

TEST(BellTest, WakesWhoWaits) {
  Bell bell;
  std::atomic<int> heard = 0;
  std::thread waits([&] {
    while (heard < 100) heard += bell.Await(absl::Hours(1)) ? 1 : 0;
  });
  for (int i = 0; i < 100; ++i) {
    while (heard < i) std::this_thread::yield();
    bell.Ring();
  }
  waits.join();
  EXPECT_EQ(heard, 100);
}

}  // namespace
}  // namespace opic::base
