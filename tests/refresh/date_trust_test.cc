// Dates are believed when they have proved true.
#include "refresh/date_trust.h"

#include <gtest/gtest.h>

namespace opic::refresh {
namespace {

TEST(DateTrustTest, NobodyIsBelievedAtFirst) { EXPECT_FALSE(DateTrust().proved()); }

TEST(DateTrustTest, DatesThatProvedTrueAreBelieved) {
  DateTrust trust;
  trust.Count(DateUse::kUsed);
  EXPECT_FALSE(trust.proved());
  trust.Count(DateUse::kUsed);
  EXPECT_TRUE(trust.proved());
}

TEST(DateTrustTest, OneInFourIsTooMany) {
  DateTrust trust;
  for (int i = 0; i < 40; ++i) trust.Count(i % 4 == 0 ? DateUse::kBeforePrevious : DateUse::kUsed);
  EXPECT_FALSE(trust.proved());
  for (int i = 0; i < 400; ++i) trust.Count(DateUse::kUsed);
  EXPECT_TRUE(trust.proved()) << "it has mended its ways";
}

TEST(DateTrustTest, MissingDatesTellNothing) {
  DateTrust trust;
  for (int i = 0; i < 100; ++i) trust.Count(DateUse::kMissing);
  EXPECT_FALSE(trust.proved());
}

}  // namespace
}  // namespace opic::refresh
