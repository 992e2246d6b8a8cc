#include "schedule/interest.h"

#include <gtest/gtest.h>

#include <string>

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

// One that has learnt of many pages.
Interest Learnt() {
  Interest interest;
  base::Rng rng(1);
  for (int i = 0; i < 5'000; ++i) {
    const PageForm form = Form(rng.Below(9), rng.Below(200), rng.Below(50));
    interest.Learn(form, static_cast<double>(rng.Below(100)) / 100);
  }
  return interest;
}

TEST(InterestFormatTest, WhatWasLearntComesBack) {
  for (const Interest& learnt : {Interest(), Learnt()}) {
    const std::string bytes = learnt.Encode();
    const absl::StatusOr<Interest> read = Interest::Decode(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->Encode(), bytes);
    EXPECT_EQ(read->used(), learnt.used());
    for (uint64_t host = 0; host < 300; ++host) {
      const PageForm form = Form(host % 9, host, host % 50);
      EXPECT_EQ(read->WorthOf(form), learnt.WorthOf(form));
      EXPECT_EQ(read->FactorOf(form, 100), learnt.FactorOf(form, 100));
    }
  }
}

// The example of docs/formats/interest.md, without what is the node's.
TEST(InterestFormatTest, IsWrittenAsItsDocumentSays) {
  const std::string bytes(
      "\x00\x00\x00\x00\x00\x00\xe0\x3f"
      "\x01\x01\x02\x05\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x80\x3f",
      23);
  const absl::StatusOr<Interest> read = Interest::Decode(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->used(), 1u);
  EXPECT_EQ(read->Encode(), bytes);
}

TEST(InterestFormatTest, AFullTableIsBounded) {
  Interest interest;
  base::Rng rng(2);
  for (int i = 0; i < 300'000; ++i)
    interest.Learn(Form(rng.Below(1'000'000), rng.Below(1'000'000), rng.Below(1'000)), 0.5);
  EXPECT_GT(interest.used(), Interest::kCells * 99 / 100);
  const std::string bytes = interest.Encode();
  EXPECT_LT(bytes.size(), Interest::kEncodedBytesMax);
  EXPECT_TRUE(Interest::Decode(bytes).ok());
}

// Whatever is read counts as a table that could have been learnt: no worth outside of 0 to 1.
TEST(InterestFormatTest, NothingImpossibleIsRead) {
  const std::string bytes = Learnt().Encode();
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 9)
    EXPECT_FALSE(Interest::Decode(bytes.substr(0, size)).ok()) << size;
  EXPECT_FALSE(Interest::Decode(bytes + '\0').ok());
  base::Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    damaged[rng.Below(damaged.size())] = static_cast<char>(rng.Below(256));
    const absl::StatusOr<Interest> read = Interest::Decode(damaged);
    if (!read.ok()) continue;
    const PageForm form = Form(rng.Below(9), rng.Below(200), rng.Below(50));
    EXPECT_GE(read->FactorOf(form, 100), 1);
    EXPECT_LE(read->FactorOf(form, 100), 100);
  }
  std::string nan = Interest().Encode();
  nan.replace(0, 8, std::string(8, '\xff'));
  EXPECT_FALSE(Interest::Decode(nan).ok());
}

}  // namespace
}  // namespace opic::schedule
