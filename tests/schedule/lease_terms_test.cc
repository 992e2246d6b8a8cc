#include "schedule/lease_terms.h"

#include <gtest/gtest.h>

namespace opic::schedule {
namespace {

class LeaseTermsTest : public ::testing::Test {
 protected:
  // A request passes now; its lease comes after `late`. The scheduler's clock is another.
  void Lend(const std::string& host, absl::Duration late) {
    const absl::Time sent = now_ + absl::Hours(3);
    terms_.OnRequests(sent, now_);
    now_ += late;
    terms_.OnLease({.host = host, .requested = sent, .term = kLeaseTerm}, now_);
  }
  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  LeaseTerms terms_;
};

TEST_F(LeaseTermsTest, AHostNotLentIsNotAsked) { EXPECT_FALSE(terms_.MayAsk("a", now_)); }

TEST_F(LeaseTermsTest, ARequestMayBeginUntilTheTermAndThePatienceAreOver) {
  Lend("a", absl::ZeroDuration());
  EXPECT_TRUE(terms_.MayAsk("a", now_ + kLeaseTerm + kOrderPatience - absl::Seconds(1)));
  EXPECT_FALSE(terms_.MayAsk("a", now_ + kLeaseTerm + kOrderPatience));
}

TEST_F(LeaseTermsTest, ATermBeginsWhenTheRequestPasses) {
  Lend("a", absl::Seconds(4));
  EXPECT_FALSE(terms_.MayAsk("a", now_ + kLeaseTerm + kOrderPatience - absl::Seconds(4)));
}

TEST_F(LeaseTermsTest, ALeaseOfAnUnknownRequestIsNone) {
  terms_.OnLease({.host = "a", .requested = now_, .term = kLeaseTerm}, now_);
  EXPECT_FALSE(terms_.MayAsk("a", now_));
}

TEST_F(LeaseTermsTest, HostsWhoseTermsAreOverAreForgotten) {
  for (int i = 0; i < 10'000; ++i) Lend("host" + std::to_string(i), absl::Seconds(1));
  EXPECT_LE(terms_.hosts(), 1100u);
}

}  // namespace
}  // namespace opic::schedule
