// The page whose link a page was found by: kept with its name where that is asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/page_name.h"
#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PageNameTest, UrlAndReferrerAreOneText) {
  const std::string url = "http://a.test/books/1";
  for (const std::string referrer : {"", "http://a.test/books/", "http://a.test/books/1",
                                     "http://a.test/books/1/more", "https://b.test/", "x"}) {
    const std::string text = JoinedName(url, referrer);
    std::string read_url, read_referrer = "of before";
    ASSERT_TRUE(SplitName(text, read_url, read_referrer)) << referrer;
    EXPECT_EQ(read_url, url);
    EXPECT_EQ(read_referrer, referrer);
    EXPECT_LE(text.size(), url.size() + 2 + referrer.size());
  }
  EXPECT_EQ(JoinedName(url, ""), url) << "as rows of earlier releases are";
  EXPECT_EQ(JoinedName(url, "http://a.test/books/").size(), url.size() + 2);
}

TEST(PageNameTest, WhatIsNoNameIsRefused) {
  const std::string_view wrong[] = {
      {"", 0},                           // no URL
      {"\0\0http://b/", 11},             // no URL before the referrer
      {"http://a/\0", 10},               // no length
      {"http://a/\0\x80", 11},           // half of one
      {"http://a/\0\x0ahttp://b/", 20},  // more alike than there is
      {"http://a/\0\0", 11},             // a referrer without a byte
  };
  std::string url, referrer;
  for (const std::string_view text : wrong) {
    EXPECT_FALSE(SplitName(text, url, referrer)) << testing::PrintToString(std::string(text));
  }
}

class ReferrersTest : public MovingLedgers {
 protected:
  void Keep(std::initializer_list<NodeId> nodes) {
    for (NodeId node : nodes) {
      referrers_[node.value] = true;
      Open(node);
    }
  }
  std::string ReferrerOf(NodeId node, uint64_t page) {
    return DecodePageRow(Row(node, store::Table::kPage, SmallCrawl::Page(page))).value().referrer;
  }
  std::string CharterOf(NodeId node) {
    return stores_[node.value]->Get(store::Table::kMeta, kCharterKey).value().value();
  }
};

TEST_F(ReferrersTest, OfOwnPagesAndOfThoseOfPeersAreKept) {
  Keep({kA, kB, kC});
  Crawl();
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(8, {1, 12})}).ok());
  Commit(kA);
  DeliverAll();
  EXPECT_EQ(ReferrerOf(kA, 0), "") << "a seed";
  EXPECT_EQ(ReferrerOf(kA, 12), SmallCrawl::UrlOf(8));
  EXPECT_EQ(ReferrerOf(kB, 1), SmallCrawl::UrlOf(0)) << "who found it first";
  EXPECT_EQ(ReferrerOf(kC, 2), SmallCrawl::UrlOf(0));
  Move(kA, kB);
  EXPECT_EQ(ReferrerOf(kB, 12), SmallCrawl::UrlOf(8));
}

TEST_F(ReferrersTest, AreNotKeptUnlessAskedFor) {
  Crawl();
  EXPECT_EQ(ReferrerOf(kB, 1), "");
  for (NodeId node : {kA, kB, kC}) EXPECT_EQ(CharterOf(node)[12], char{kFormatVersion});
}

// Its folder can be opened by an earlier release.
TEST_F(ReferrersTest, ANodeThatKeepsNoneGetsNone) {
  Keep({kA});
  Crawl();
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(8, {12, 5})}).ok());
  Commit(kA);
  DeliverAll();
  EXPECT_EQ(ReferrerOf(kA, 12), SmallCrawl::UrlOf(8));
  EXPECT_EQ(ReferrerOf(kB, 5), "");
  Move(kA, kB);
  EXPECT_EQ(ReferrerOf(kB, 12), "");
  EXPECT_THAT(Row(kB, store::Table::kPage, SmallCrawl::Page(12)), Not(HasSubstr("/8")));
  EXPECT_EQ(CharterOf(kB)[12], char{kFormatVersion});
}

TEST_F(ReferrersTest, KeptOnceTheyAreKeptForGood) {
  Crawl();
  Keep({kA});
  EXPECT_EQ(CharterOf(kA)[12], char{kFormatVersion}) << "nothing is written by a start alone";
  at(kA).Seed(SmallCrawl::Links({16}));
  Commit(kA);
  EXPECT_EQ(CharterOf(kA)[12], char{kReferrersFormatVersion});
  referrers_[0] = false;
  Open(kA);
  EXPECT_TRUE(at(kA).charter().referrers);
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(16, {20})}).ok());
  Commit(kA);
  EXPECT_EQ(ReferrerOf(kA, 20), SmallCrawl::UrlOf(16));
  EXPECT_EQ(CharterOf(kA)[12], char{kReferrersFormatVersion});
}

class RecordedImportanceTest : public MovingLedgers {
 protected:
  RecordedImportanceTest() : MovingLedgers(importance::Method::kPush) {}
};

// With what the page had, not with what the group pays to it.
TEST_F(RecordedImportanceTest, OfAVisitIsThatBeforeIt) {
  at(kA).Seed(SmallCrawl::Links({0, 4}));
  Commit(kA);
  const double before = at(kA).accounting().Estimate(
      {}, at(kA).books().table().Find(SmallCrawl::Page(0))->cash.value());
  EXPECT_FALSE(at(kA).RecordedImportance(SmallCrawl::Page(0)).has_value());
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(0, {4})}).ok());
  ASSERT_TRUE(at(kA).RecordedImportance(SmallCrawl::Page(0)).has_value());
  EXPECT_DOUBLE_EQ(before, 0.5);
  EXPECT_DOUBLE_EQ(*at(kA).RecordedImportance(SmallCrawl::Page(0)), before);
  EXPECT_FALSE(at(kA).RecordedImportance(SmallCrawl::Page(4)).has_value());
  Commit(kA);
  EXPECT_FALSE(at(kA).RecordedImportance(SmallCrawl::Page(0)).has_value());
}

}  // namespace
}  // namespace opic::ledger
