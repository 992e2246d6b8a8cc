#include "process/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "absl/time/clock.h"

namespace opic::process {
namespace {

// The default action would end the test.
TEST(SignalsTest, AHangUpThatComesFirstIsSeenLater) {
  CatchHangUp();
  ASSERT_EQ(raise(SIGHUP), 0);
  CatchSignals();
  EXPECT_TRUE(ReopenLogWhenAsked());
  EXPECT_FALSE(ReopenLogWhenAsked());
  EXPECT_FALSE(SignalCaught());
}

// It would wait for ever.
TEST(SignalsTest, ASignalEndsTheWait) {
  CatchHangUp();
  std::thread other([] { EXPECT_EQ(kill(getpid(), SIGHUP), 0); });
  AwaitSignal(absl::InfiniteDuration());
  other.join();
  EXPECT_TRUE(ReopenLogWhenAsked());
}

TEST(SignalsTest, ASignalBeforeTheWaitEndsItAtOnce) {
  CatchHangUp();
  ASSERT_EQ(raise(SIGHUP), 0);
  AwaitSignal(absl::InfiniteDuration());
  EXPECT_TRUE(ReopenLogWhenAsked());
}

TEST(SignalsTest, WithoutASignalTheWaitIsAsLongAsAsked) {
  CatchHangUp();
  const absl::Time before = absl::Now();
  AwaitSignal(absl::Milliseconds(20));
  EXPECT_GE(absl::Now() - before, absl::Milliseconds(19));
  AwaitSignal(-absl::Seconds(1));
}

}  // namespace
}  // namespace opic::process
