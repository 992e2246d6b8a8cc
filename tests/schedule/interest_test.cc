#include "schedule/interest.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::schedule {
namespace {

// The forms of a page in this directory of this host.
PageForm Form(uint64_t ending, uint64_t host, uint64_t directory) {
  const auto key = [](uint64_t level, uint64_t what) { return base::Mix64(level << 56 ^ what); };
  const uint64_t of_host = host << 8 | ending;
  return {{key(1, ending), key(2, host), key(3, of_host), key(4, of_host << 16 | directory)},
          Interest::kExpected};
}

TEST(InterestTest, WhatTheEndingSaysIsExpectedAtFirst) {
  Interest interest;
  PageForm form = Form(1, 1, 1);
  EXPECT_EQ(interest.WorthOf(form), Interest::kExpected);
  EXPECT_EQ(interest.FactorOf(form, 100), 1) << "it says nothing";
  form.expected = 0.9;
  EXPECT_EQ(interest.WorthOf(form), 0.9);
  EXPECT_GT(interest.FactorOf(form, 100), 80);
}

TEST(InterestTest, ADirectoryIsToldFromItsHostAndAHostFromOthers) {
  Interest interest;
  for (int i = 0; i < 100; ++i) {
    interest.Learn(Form(1, 1, 1), 1);
    interest.Learn(Form(1, 1, 2), 0);
    interest.Learn(Form(1, 2, 3), 0);
  }
  EXPECT_GT(interest.WorthOf(Form(1, 1, 1)), 0.9);
  EXPECT_LT(interest.WorthOf(Form(1, 1, 2)), 0.1);
  const double elsewhere = interest.WorthOf(Form(1, 1, 9)),
               on_other = interest.WorthOf(Form(1, 2, 9));
  EXPECT_GT(elsewhere, 0.3) << "a directory of a host that has some";
  EXPECT_LT(on_other, 0.1);
}

TEST(InterestTest, WorthMovesBackwardAndHalvesWithEachLink) {
  EXPECT_EQ(Interest::Worth(1, 0), 1);
  EXPECT_EQ(Interest::Worth(0, 1), 0.5);
  EXPECT_EQ(Interest::Worth(0, Interest::Worth(0, 1)), 0.25);
  EXPECT_EQ(Interest::Worth(0.4, 0.5), 0.4);
  Interest interest;
  for (int i = 0; i < 50; ++i) interest.Learn(Form(2, 1, 1), 1);  // documents
  for (int i = 0; i < 50; ++i)                                    // their index
    interest.Learn(Form(1, 1, 2), Interest::Worth(0, interest.WorthOf(Form(2, 1, 1))));
  for (int i = 0; i < 50; ++i)  // what leads to the index
    interest.Learn(Form(1, 2, 3), Interest::Worth(0, interest.WorthOf(Form(1, 1, 2))));
  EXPECT_NEAR(interest.WorthOf(Form(1, 1, 2)), 0.5, 0.1);
  EXPECT_NEAR(interest.WorthOf(Form(1, 2, 3)), 0.25, 0.1);
}

TEST(InterestTest, WhatIsUsedUpIsForgotten) {
  Interest interest;
  for (int i = 0; i < 1000; ++i) interest.Learn(Form(1, 1, 1), 1);
  for (int i = 0; i < 300; ++i) interest.Learn(Form(1, 1, 1), 0);
  EXPECT_LT(interest.WorthOf(Form(1, 1, 1)), 0.1);
}

TEST(InterestTest, TheFactorIsOneForTheMeanAndMostForCertainty) {
  Interest interest;
  for (int i = 0; i < 2000; ++i) {
    interest.Learn(Form(1, 1, 1), 1);
    interest.Learn(Form(1, 2, 2), 0);
  }
  EXPECT_EQ(interest.FactorOf(Form(1, 2, 2), 100), 1);
  EXPECT_GT(interest.FactorOf(Form(1, 1, 1), 100), 80);
  EXPECT_LE(interest.FactorOf(Form(1, 1, 1), 100), 100);
  EXPECT_EQ(interest.FactorOf(Form(1, 1, 1), 1), 1);
}

// A million hosts come by; the cells stay as many as they are, and a form that is seen often stays.
TEST(InterestTest, FormsThatAreSeenOftenStayInATableThatIsTooSmall) {
  Interest interest(1024);
  base::Rng rng(7);
  for (uint64_t i = 0; i < 100'000; ++i) {
    interest.Learn(Form(1, 1'000 + rng.Below(1'000'000), rng()), 0);
    if (i % 50 == 0) interest.Learn(Form(2, 1, 1), 1);
  }
  EXPECT_GT(interest.WorthOf(Form(2, 1, 1)), 0.5);
  EXPECT_LT(interest.WorthOf(Form(1, 5, 5)), 0.1);
}

}  // namespace
}  // namespace opic::schedule
