#include "base/check.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(CheckTest, WhatHoldsCostsNothingAndReadsNoMessage) {
  int messages = 0;
  const auto message = [&] { return ++messages; };
  OPIC_CHECK(messages == 0) << message();
  EXPECT_EQ(messages, 0);
}

TEST(CheckDeathTest, WhatFailsSaysConditionPlaceAndMessage) {
  EXPECT_DEATH(OPIC_CHECK(1 + 1 == 3) << "the sum is " << 1 + 1,
               "check_test.cc:[0-9]+.*1 \\+ 1 == 3.*the sum is 2");
}

// An expression: it takes no `else` that belongs to an `if` around it.
TEST(CheckTest, BindsNoElse) {
  bool reached = false;
  if (reached)
    OPIC_CHECK(false) << "never";
  else
    reached = true;
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace opic::base
