#include "process/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

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

}  // namespace
}  // namespace opic::process
