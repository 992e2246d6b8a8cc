// The reference of the error's bound (src/ledger/push_accounting.h), by what peers tell of their
// pages: that may be far more than there can be.
#include <gtest/gtest.h>

#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

class PushOfManyTest : public MovingLedgers {
 protected:
  PushOfManyTest() : MovingLedgers(importance::Method::kPush) {}
};

TEST_F(PushOfManyTest, NoPeerMakesTheReferenceMoreThanAPageCanHold) {
  Crawl();
  NodeSums told = at(kB).Sums();
  told.pages = 1;
  for (const cash::Sum read : {cash::Sum{1} << 110, -(cash::Sum{1} << 110)}) {
    told.read_cash = read;
    at(kA).Hear(kB, told);
    Commit(kA);
    const std::optional<cash::Amount> reference = at(kA).accounting().BetterReference();
    ASSERT_TRUE(reference.has_value());
    EXPECT_EQ(reference->magnitude(), cash::kHoldingMax.magnitude());
    at(kA).table().SetReference(*reference);
  }
}

}  // namespace
}  // namespace opic::ledger
