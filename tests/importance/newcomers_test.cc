#include "importance/newcomers.h"

#include <gtest/gtest.h>

namespace opic::importance {
namespace {

TEST(Newcomers, KnowNothingAtFirst) {
  EXPECT_EQ(Newcomers().Prior(1000), 0);
  EXPECT_EQ(Newcomers(1).Prior(0), 0);
}

TEST(Newcomers, PassOnTheMeanImportanceOfRecentPages) {
  Newcomers newcomers;
  for (int i = 0; i < 20000; ++i) newcomers.Observe(i % 2 == 0 ? 0.0001 : 0.0003, 1000);
  EXPECT_NEAR(newcomers.Prior(1000), 0.0002, 1e-6);
}

// The web grew tenfold: the same kind of page is worth a tenth.
TEST(Newcomers, AreRelativeToThePresentNumberOfPages) {
  Newcomers newcomers(0.5);
  EXPECT_DOUBLE_EQ(newcomers.Prior(100), 0.005);
  EXPECT_DOUBLE_EQ(newcomers.Prior(1000), 0.0005);
}

// The first pages found by a crawl are its seeds, which hold almost everything.
TEST(Newcomers, AreNeverWorthMoreThanAnEvenShare) {
  Newcomers newcomers;
  for (int i = 0; i < 20000; ++i) newcomers.Observe(0.9, 50);
  EXPECT_LE(newcomers.Prior(1000), 0.001);
  for (int i = 0; i < 2000; ++i) newcomers.Observe(0.0001, 1000);
  EXPECT_LT(newcomers.Prior(1000), 0.0003);  // and they are forgotten soon
}

}  // namespace
}  // namespace opic::importance
