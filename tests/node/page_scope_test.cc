#include "node/page_scope.h"

#include <gtest/gtest.h>

#include "desk/desk_counters.h"

namespace opic::node {
namespace {

constexpr char kFar[] = "http://a.test/calendar/2040/01/";
constexpr char kOld[] = "http://a.test/newspapers/1800/01/01/";

class PageScopeTest : public testing::Test {
 protected:
  PageScopeTest() { crawl_.seeds = {"http://a.test/"}; }
  PageScope::Verdict Judge(const std::string& url, uint32_t depth = 1) const {
    return PageScope(crawl_, now_).Judge({.url = url, .depth = depth}, now_);
  }

  CrawlMemory crawl_;
  const absl::Time now_ = absl::FromCivil(absl::CivilDay(2026, 11, 23), absl::UTCTimeZone());
};

TEST_F(PageScopeTest, WhatIsCertainIsSkipped) {
  EXPECT_FALSE(Judge(kFar).url);
  EXPECT_EQ(Judge(kFar).trap, url::Trap::kFutureDate);
  EXPECT_TRUE(Judge(kOld).url);
  EXPECT_EQ(Judge(kOld).trap, url::Trap::kPastDate);
  EXPECT_TRUE(Judge("http://a.test/calendar/2026/12/").url);
}

TEST_F(PageScopeTest, OrShown) {
  crawl_.traps = url::TrapUse::kShow;
  EXPECT_TRUE(Judge(kFar).url);
  EXPECT_EQ(Judge(kFar).trap, url::Trap::kFutureDate);
  crawl_.traps = url::TrapUse::kOff;
  EXPECT_TRUE(Judge(kFar).url);
  EXPECT_EQ(Judge(kFar).trap, url::Trap::kNone);
}

TEST_F(PageScopeTest, WhatIsOutOfScopeAnywayIsNoTrap) {
  EXPECT_EQ(Judge("http://b.test/calendar/2040/01/").trap, url::Trap::kNone);
  crawl_.depth_max = 2;
  EXPECT_FALSE(Judge(kFar, 3).url);
  EXPECT_EQ(Judge(kFar, 3).trap, url::Trap::kNone);
}

TEST_F(PageScopeTest, AHostOrADomainMayHaveADepthOfItsOwn) {
  crawl_.scope.kind = url::ScopeKind::kAny;
  crawl_.host_depths = {
      {{false, "deep.b.test"}, 0}, {{false, "www.b.test"}, 2}, {{true, "b.test"}, 4}};
  const auto reaches = [this](const std::string& url, uint32_t depth) {
    return Judge(url, depth).url.has_value() && !Judge(url, depth + 1).url.has_value();
  };
  EXPECT_TRUE(reaches("http://www.b.test/x", 2)) << "its own line";
  EXPECT_TRUE(reaches("http://WWW.b.test./x", 2));
  EXPECT_TRUE(reaches("http://any.b.test/x", 4)) << "its domain's";
  EXPECT_TRUE(Judge("http://deep.b.test/x", 1000).url) << "0 is any number";
  EXPECT_TRUE(Judge("http://other.test/x", 1000).url);
  crawl_.depth_max = 3;
  EXPECT_TRUE(reaches("http://www.b.test/x", 2));
  EXPECT_TRUE(reaches("http://deep.b.test/x", 3)) << "--depth holds as well";
}

TEST_F(PageScopeTest, ASeedIsTaken) {
  crawl_.seeds.emplace_back(kFar);
  EXPECT_TRUE(Judge(kFar).url);
  EXPECT_EQ(Judge(kFar).trap, url::Trap::kNone);
  EXPECT_FALSE(Judge("http://a.test/calendar/2040/02/").url);
}

TEST_F(PageScopeTest, WhatIsFarAwayToday) {
  const absl::Time later = now_ + absl::Hours(24 * 366 * 11);
  EXPECT_TRUE(PageScope(crawl_, now_).Judge({.url = kFar, .depth = 1}, later).url);
}

TEST(TrapCounterTest, EveryRuleHasItsCounter) {
  for (int trap = 1; trap < url::kTraps; ++trap) {
    const auto rule = static_cast<url::Trap>(trap);
    EXPECT_EQ(desk::kCounterKeys[static_cast<size_t>(desk::CounterOf(rule))],
              "traps." + std::string(url::Name(rule)));
  }
}

}  // namespace
}  // namespace opic::node
