#include "url/trap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/url/trap_urls.h"
#include "url/dates_in_url.h"

namespace opic::url {
namespace {

Trap Of(std::string_view text, const TrapLimits& limits = {}) {
  const std::optional<Url> url = Parse(text);
  EXPECT_TRUE(url.has_value()) << text;
  return url ? TrapOf(*url, kTrapYear, limits) : Trap::kNone;
}

// All that is refused of the first list is wrong: a bound of 0, because a page that is not fetched
// is lost, and a page of a trap costs one fetch.
TEST(TrapTest, NoPageThatPeopleReadIsATrap) {
  for (const std::string_view url : kPagesPeopleRead) EXPECT_EQ(Of(url), Trap::kNone) << url;
}

// The list has each kind as it looks when it begins; of those found none may be a guess.
TEST(TrapTest, PagesOfTrapsAreFound) {
  for (const std::string_view url : kPagesOfTraps)
    EXPECT_TRUE(IsCertain(Of(url))) << url << ": " << Name(Of(url));
}

TEST(TrapTest, EachRuleHoldsAtItsThreshold) {
  const std::pair<std::string_view, Trap> cases[] = {
      {"http://h/a/a/a", Trap::kNone},
      {"http://h/a/a/a/a", Trap::kRepeatedSegments},
      {"http://h/a/b/a/b", Trap::kNone},
      {"http://h/a/b/a/b/a/b", Trap::kRepeatedSegments},
      {"http://h/x/a/b/c/a/b/c/a/b/c/y.html", Trap::kRepeatedSegments},
      {"http://h/ab/cd/x/ab/cd/y/ab/cd/z/ab/cd", Trap::kNone},
      {"http://h/ab/cd/x/ab/cd/y/ab/cd/z/ab/cd/q/ab", Trap::kReturningSegments},
      {"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20", Trap::kNone},
      {"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21", Trap::kDeepPath},
      {"http://h/?a=1&a=1&a=1", Trap::kNone},
      {"http://h/?a=1&b=2&a=1&a=1&a=1", Trap::kNone},
      {"http://h/?a=x&b=2&a=x&a=x&a=x", Trap::kRepeatedParameter},
      {"http://h/?a=%252525", Trap::kNestedEscapes},
      {"http://h/?a=%2525", Trap::kNone},
      {"http://h/cal/2029/12/", Trap::kNone},
      {"http://h/cal/2030/01/", Trap::kFutureDate},
      {"http://h/cal/2226/01/", Trap::kFutureDate},
      {"http://h/cal/2227/01/", Trap::kNone},
      {"http://h/0/0/0/0/0", Trap::kNone},
      {"http://h/?a=x&a=x&a=x&a=x", Trap::kRepeatedParameter},
      {"http://h/1926/01/", Trap::kNone},
      {"http://h/1925/12/", Trap::kPastDate},
      {"http://h/2001-01/2001-02/2001-03/", Trap::kNone},
      {"http://h/2001-01/2001-02/2001-03/2001-04", Trap::kManyDates},
  };
  for (const auto& [url, trap] : cases) EXPECT_EQ(Name(Of(url)), Name(trap)) << url;
  EXPECT_EQ(Of("http://h/?" + std::string(1'000, 'x')), Trap::kNone);
  EXPECT_EQ(Of("http://h/?" + std::string(1'001, 'x')), Trap::kLongQuery);
}

TEST(TrapTest, TheLimitsAreTheCallers) {
  EXPECT_EQ(Of("http://h/a/b/c", {.segments = 2}), Trap::kDeepPath);
  EXPECT_EQ(Of("http://h/a/a", {.repeats = 1}), Trap::kRepeatedSegments);
  EXPECT_EQ(Of("http://h/?a=1&b=1", {.parameters = 1}), Trap::kManyParameters);
  EXPECT_EQ(Of("http://h/cal/2027/01", {.years_ahead = 0}), Trap::kFutureDate);
}

TEST(TrapTest, WhatSomeSitesHaveIsNotCertain) {
  EXPECT_FALSE(IsCertain(Trap::kNone));
  EXPECT_FALSE(IsCertain(Of("http://h/newspapers/1863/07/04/")));
  EXPECT_FALSE(IsCertain(Of("http://h/?code=" + std::string(1'500, 'x'))));
}

// A rule that everything breaks would find all traps, too.
TEST(TrapTest, EveryRuleHasANameAndWordsOfItsOwn) {
  std::vector<std::string> told;
  for (int trap = 1; trap < kTraps; ++trap) {
    told.emplace_back(Name(static_cast<Trap>(trap)));
    told.push_back(Describe(static_cast<Trap>(trap)));
  }
  EXPECT_EQ(std::count(told.begin(), told.end(), ""), 0);
  std::sort(told.begin(), told.end());
  EXPECT_EQ(std::unique(told.begin(), told.end()), told.end());
}

// Also by those who count bytes behind its end.
TEST(TrapTest, TheLongestUrlIsJudgedToo) {
  int traps = 0;
  for (const char* part : {"a/", "/", "ab/c/", "2001-01-", "%25", "a=1&", "&", "="}) {
    for (const char* begin : {"http://h/", "http://h/?", "http://h/x?"}) {
      std::string text = begin;
      while (text.size() + std::string_view(part).size() <= kUrlBytesMax) text += part;
      const std::optional<Url> url = Parse(text);
      if (url && TrapOf(*url, kTrapYear) != Trap::kNone) ++traps;
    }
  }
  EXPECT_GT(traps, 12);
}

TEST(TrapTest, UsesHaveNames) {
  for (const TrapUse use : {TrapUse::kOff, TrapUse::kShow, TrapUse::kSkip})
    EXPECT_EQ(TrapUseFromName(Name(use)), use);
  EXPECT_EQ(TrapUseFromName("all"), std::nullopt);
}

TEST(DatesInUrlTest, MonthsAreFoundOnce) {
  const auto of = [](std::string_view text) { return DatesIn(*Parse(text), 2200).months; };
  EXPECT_EQ(of("http://h/2026/11/23/at-2026-11-23_10-00.html"), (std::vector<Month>{{2026, 11}}));
  EXPECT_EQ(of("http://h/cal?Year=2026&x=1&Month=3"), (std::vector<Month>{{2026, 3}}));
  EXPECT_EQ(of("http://h/?from=2026-01-02&to=2026-02-01"),
            (std::vector<Month>{{2026, 1}, {2026, 2}}));
  EXPECT_EQ(of("http://h/?endDate=20261123"), (std::vector<Month>{{2026, 11}}));
  EXPECT_TRUE(of("http://h/2026/13/2026/00/2201/01/0999/01/12026-01/2026-011").empty());
  EXPECT_TRUE(of("http://h/?year=2026&month=").empty());
  EXPECT_TRUE(of("http://h/LM2026-11").empty());
}

TEST(DatesInUrlTest, TheUrlSaysThatItIsOfACalendar) {
  const auto of = [](std::string_view text) { return DatesIn(*Parse(text), 2200).of_calendar; };
  for (const char* url : {"http://h/Calendar/2026/11/", "http://h/x/cal.php?y=2026&m=11",
                          "http://h/?year=2026&month=11", "http://h/?m=202611",
                          "http://h/?startDate=2026-11-01", "http://h/events/"})
    EXPECT_TRUE(of(url)) << url;
  for (const char* url : {"http://h/2026/11/23/", "http://h/?y=2026&m=11", "http://h/?q=2026-11",
                          "http://h/calculus/2026/11", "http://h/?m=3", "http://h/?date=today"})
    EXPECT_FALSE(of(url)) << url;
}

TEST(DatesInUrlTest, MonthsBelowMonthsAreCounted) {
  const auto of = [](std::string_view text) { return DatesIn(*Parse(text), 2200).nested; };
  EXPECT_EQ(of("http://h/2024/01/2024/02/2024-03-01/2024/01/"), 3u);
  EXPECT_EQ(of("http://h/2020-01_2020-06_2021-01_2021-06.pdf"), 1u);
  EXPECT_EQ(of("http://h/?a=2020-01&b=2020-02"), 0u);
}

}  // namespace
}  // namespace opic::url
