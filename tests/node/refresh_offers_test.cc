// What becomes of pages that were offered to be read again and were not read: the offers were lost,
// or their hosts are not asked.
#include <set>

#include "node/host_budgets.h"
#include "node/host_rule_book.h"
#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

using RefreshOffersTest = RefreshPlanTest;

TEST_F(RefreshOffersTest, LostOffersAreDueAgain) {
  Open();
  ReadAll();
  now_ += absl::Hours(24 * 90);
  const std::vector<int> due = TakeDue(50);
  ASSERT_EQ(due.size(), 50u);
  Turn({Reading(due[0])});
  plan_->OffersWereLost();
  const std::vector<int> again = TakeDue();
  EXPECT_EQ(std::set<int>(again.begin(), again.end()).size(), size_t{kPages - 1});
}

TEST_F(RefreshOffersTest, TheSchedulerIsToldSinceWhenTheyAreDue) {
  Open();
  ReadAll();
  now_ += absl::Hours(24 * 90);
  const absl::StatusOr<int64_t> due = plan_->DueOf(PageOf(7));
  EXPECT_EQ(plan_->OfferedSince(PageOf(7)), std::nullopt);
  EXPECT_EQ(TakeDue().size(), size_t{kPages});
  EXPECT_EQ(plan_->OfferedSince(PageOf(7)), absl::FromUnixSeconds(due.value()));
  Turn({Reading(7)});
  EXPECT_EQ(plan_->OfferedSince(PageOf(7)), std::nullopt);
}

// Hosts have turns whatever their pages are: with many pages that are due, and few left to
// discover, discovery had a tenth of the rate.
TEST_F(RefreshOffersTest, WhileThereAreUnreadPagesTheOthersHaveTheirPartOfTheRate) {
  Open({.pages_per_s = 2, .share = 0.5});
  for (int page = 0; page < kPages / 2; ++page) Turn({Reading(page)});
  now_ += absl::Hours(24 * 90);
  uint64_t requests = 2 * 90 * 24 * 3600;  // all of the rate
  plan_->NoteFetcher(requests, false);
  Turn({});
  const auto offered = [&](int seconds, int requests_a_second) {
    size_t due = 0;
    for (int tenth = 0; tenth < 10 * seconds; ++tenth) {
      now_ += absl::Milliseconds(100);
      requests += tenth % 10 < requests_a_second ? 1 : 0;
      plan_->NoteFetcher(requests, false);
      due += TakeDue().size();
    }
    return due;
  };
  EXPECT_NEAR(offered(20, 2), 20, 2) << "discovery uses the rest";
  EXPECT_GT(plan_->due(), 0u);
  offered(20, 1);
  EXPECT_NEAR(offered(20, 1), 40, 4) << "it does not";
}

// A scheduler that has many pages to discover asks for others once in hundreds of fetches.
TEST_F(RefreshOffersTest, TheyHaveTheirPartHoweverSeldomTheyAreAskedFor) {
  Open({.pages_per_s = 2, .share = 0.5});
  for (int page = 0; page < kPages / 2; ++page) Turn({Reading(page)});
  uint64_t requests = 0;
  const auto pass = [&](int seconds) {  // discovery uses the rate
    now_ += absl::Seconds(seconds);
    plan_->NoteFetcher(requests += 2 * static_cast<uint64_t>(seconds), false);
    Turn({});
  };
  pass(90 * 24 * 3600);
  EXPECT_LE(TakeDue().size(), 2u) << "nobody waited";
  for (int second = 0; second < 30; ++second) pass(1);
  EXPECT_NEAR(TakeDue().size(), 30, 2);
}

TEST_F(RefreshOffersTest, WhenNothingIsLeftToDiscoverAllOfTheRateIsTheirs) {
  Open({.pages_per_s = 2, .share = 0.5});
  for (int page = 0; page + 1 < kPages; ++page) Turn({Reading(page)});
  now_ += absl::Seconds(11);
  Turn({});
  EXPECT_NEAR(plan_->stats().bandwidth, 1, 0.6);
  Turn({Reading(kPages - 1)});
  Turn({});
  EXPECT_EQ(plan_->stats().bandwidth, 2) << "at once";
}

// They became unread, and waited for an operator.
TEST_F(RefreshOffersTest, PagesOfABlockedHostStayReadAndAreDueWhenItIsUnblocked) {
  const auto rules = HostRuleBook::Open(*store_);
  ASSERT_TRUE(rules.ok()) << rules.status();
  const auto rule = [&](const std::string& host, bool blocked) {
    ASSERT_TRUE((*rules)->Change({{.host = host, .blocked = blocked}}, "anna", now_).ok());
    ASSERT_TRUE(plan_->HostRulesChanged(now_).ok());
  };
  Open();
  plan_->AskHostRules(**rules);
  ReadAll();
  now_ += absl::Hours(24 * 90);
  rule("host3.test", true);
  const std::vector<int> due = TakeDue();
  EXPECT_EQ(due.size(), size_t{kPages - kPages / kHosts});
  for (int page : due) EXPECT_NE(page % kHosts, 3) << page;
  EXPECT_EQ(plan_->due(), 0u) << "nobody waits for them";
  for (int page : due) Turn({Reading(page)});

  rule("host4.test", true);
  EXPECT_TRUE(TakeDue().empty());
  rule("host3.test", false);
  const std::vector<int> again = TakeDue();
  EXPECT_EQ(again.size(), size_t{kPages / kHosts});
  for (int page : again) EXPECT_EQ(page % kHosts, 3) << page;
}

// They became unread, and waited for a budget.
TEST_F(RefreshOffersTest, PagesOfAHostPastItsBudgetStayReadAndAreDueWhenItIsRaised) {
  const auto rules = HostRuleBook::Open(*store_);
  ASSERT_TRUE(rules.ok()) << rules.status();
  HostBudgets budgets({}, **rules, ledger_->charter(), *store_);
  const auto rule = [&](uint64_t pages) {
    ASSERT_TRUE((*rules)->Change({{.host = "host3.test", .pages = pages}}, "anna", now_).ok());
    ASSERT_TRUE(plan_->HostRulesChanged(now_).ok());
  };
  Open();
  plan_->AskHostRules(**rules, &budgets);
  for (uint64_t page : {1, 2})
    ASSERT_EQ(budgets.Begin(PageOf(3 + kHosts * page), "host3.test").value_or("none"), "");
  ReadAll();
  now_ += absl::Hours(24 * 90);
  rule(2);
  const std::vector<int> due = TakeDue();
  EXPECT_EQ(due.size(), size_t{kPages - kPages / kHosts});
  for (int page : due) EXPECT_NE(page % kHosts, 3) << page;
  EXPECT_EQ(plan_->due(), 0u);
  for (int page : due) Turn({Reading(page)});
  rule(3);
  const std::vector<int> again = TakeDue();
  EXPECT_EQ(again.size(), size_t{kPages / kHosts});
  for (int page : again) EXPECT_EQ(page % kHosts, 3) << page;
}

// They were known to be due already.
TEST_F(RefreshOffersTest, ABlockHoldsBackWhatWasFoundToBeDueBefore) {
  const auto rules = HostRuleBook::Open(*store_);
  ASSERT_TRUE(rules.ok()) << rules.status();
  Open();
  plan_->AskHostRules(**rules);
  ReadAll();
  now_ += absl::Hours(24 * 90);
  const std::vector<int> first = TakeDue(1);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_GT(plan_->due(), 0u);
  ASSERT_TRUE((*rules)->Change({{.host = "host3.test", .blocked = true}}, "anna", now_).ok());
  const std::vector<int> rest = TakeDue();
  const int before = first[0] % kHosts == 3 ? 0 : 1;  // one that is not blocked
  EXPECT_EQ(rest.size(), static_cast<size_t>(kPages - kPages / kHosts - before));
  for (int page : rest) EXPECT_NE(page % kHosts, 3) << page;
}

// A session with the scheduler ends while offers are out: what was read all the same is not read
// twice.
TEST_F(RefreshOffersTest, WhatWasReadAfterItsOfferWasLostIsNotDue) {
  Open();
  ReadAll();
  now_ += absl::Hours(24 * 90);
  const std::vector<int> due = TakeDue(50);
  ASSERT_FALSE(due.empty());
  plan_->OffersWereLost();
  Turn({Reading(due[0])});
  const std::vector<int> again = TakeDue();
  EXPECT_EQ(again.size(), size_t{kPages - 1});
  for (int page : again) EXPECT_NE(page, due[0]);
}

}  // namespace
}  // namespace opic::node
