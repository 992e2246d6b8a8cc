// A plan whose hosts allow less than it wants: what they leave is used by the pages of others.
#include <deque>

#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

using schedule::RefreshDemand;

// A scheduler with a rate of one page a second; of the slower half of the pages at most one in
// `slow_pause` seconds is read.
class BornePlanTest : public RefreshPlanTest {
 protected:
  static constexpr int kRate = 1;

  void Begin() {
    Open({.pages_per_s = kRate, .share = 1, .shortest = absl::Seconds(10)});
    ReadAll();
    now_ += absl::Seconds(1);
  }
  bool IsSlow(int page) const { return page < pages() / 2; }
  // Fetches a second.
  double Crawl(int seconds) {
    int fetches = 0;
    uint64_t waiting = 0;
    for (int second = 0; second < seconds; ++second, now_ += absl::Seconds(1)) {
      for (const int page : TakeDue()) (IsSlow(page) ? slow_ : fast_).push_back(page);
      std::vector<ledger::Visit> visits;
      if (!slow_.empty() && now_ >= slow_next_) {
        visits.push_back(Reading(slow_.front()));
        slow_.pop_front();
        slow_next_ = now_ + slow_pause_;
      } else if (!fast_.empty()) {
        visits.push_back(Reading(fast_.front()));
        fast_.pop_front();
      }
      fetches += static_cast<int>(visits.size());
      waiting += fast_.size();
      Turn(std::move(visits));
    }
    waiting_ = static_cast<double>(waiting) / seconds;
    return static_cast<double>(fetches) / seconds;
  }

  absl::Duration slow_pause_ = absl::Seconds(8);  // they want some four times as much
  absl::Time slow_next_ = absl::InfinitePast();
  std::deque<int> slow_, fast_;
  double waiting_ = 0;  // pages of the faster half that were due, on average
};

TEST_F(BornePlanTest, WhatHostsDoNotAllowIsReadOfOthers) {
  Begin();
  Crawl(20 * pages());
  EXPECT_GT(Crawl(5 * pages()), 0.9) << "0.63 would be by the plan alone";
  EXPECT_GT(plan_->stats().planned_rate, 1.4);
  EXPECT_LT(waiting_, 15) << "they hardly wait for the rate";
}

TEST_F(BornePlanTest, HostsThatAllowAllAgainEndThat) {
  Begin();
  Crawl(20 * pages());
  slow_pause_ = absl::ZeroDuration();
  Crawl(20 * pages());
  EXPECT_NEAR(plan_->stats().planned_rate, kRate, 0.1);
}

TEST_F(BornePlanTest, APauseIsNotTheHosts) {
  Begin();
  for (int minute = 0; minute < 600; ++minute) {
    now_ += absl::Minutes(1);
    Turn({});
  }
  EXPECT_NEAR(plan_->stats().planned_rate, kRate, 1e-3);
}

// A slow machine: more of the plan would not help.
TEST_F(BornePlanTest, FetchesThatAreAllInUseAreNotTheHosts) {
  Begin();
  for (int round = 0; round < 20 * pages(); ++round) {
    plan_->NoteFetcher(0, /*all_in_use=*/true);
    Crawl(1);
  }
  EXPECT_NEAR(plan_->stats().planned_rate, kRate, 1e-3);
}

// A third of the requests are robots.txt and tries that failed: the rate is used up.
TEST_F(BornePlanTest, RequestsWithoutAVisitAreNotTheHosts) {
  slow_pause_ = absl::ZeroDuration();
  Begin();
  uint64_t requests = 0;
  for (int round = 0; round < 10 * pages(); ++round) {
    Crawl(1);
    plan_->NoteFetcher(++requests, /*all_in_use=*/false);
    if (round % 2 == 1) now_ += absl::Seconds(1), plan_->NoteFetcher(++requests, false);
  }
  EXPECT_NEAR(plan_->stats().planned_rate, kRate, 0.02);
}

// Due times are still of the smaller rate: for a while less is fetched than there might be.
TEST_F(BornePlanTest, AGreaterRateIsNotTheHosts) {
  slow_pause_ = absl::ZeroDuration();
  Open({.pages_per_s = 0.1, .share = 1, .shortest = absl::Seconds(10)});
  ReadAll();
  ASSERT_TRUE(plan_->Tune({.pages_per_s = kRate}, now_).ok());
  for (int part = 0; part < 20; ++part) {
    Crawl(pages() / 4);
    EXPECT_LT(plan_->stats().planned_rate, 1.2 * kRate) << part;
  }
}

// The plan itself asks for less than the rate: every page is at its cap.
TEST_F(BornePlanTest, APlanWithTooFewPagesIsNotTheHosts) {
  Begin();
  ASSERT_TRUE(plan_->Tune({.pages_per_s = 1000}, now_).ok());
  Crawl(5 * pages());
  ASSERT_TRUE(plan_->Tune({.pages_per_s = kRate}, now_).ok());
  EXPECT_NEAR(plan_->stats().planned_rate, kRate, 1e-3);
}

TEST_F(BornePlanTest, WithAnotherRateItIsFoundAnew) {
  Begin();
  Crawl(10 * pages());
  ASSERT_GT(plan_->stats().planned_rate, 1.1);
  ASSERT_TRUE(plan_->Tune({.pages_per_s = 0.5}, now_).ok());
  EXPECT_NEAR(plan_->stats().planned_rate, 0.5, 1e-3);
}

// Peers are told what is fetched for a multiplier, so that the parts of all add up to what is used.
TEST_F(BornePlanTest, PeersAreToldWhatIsFetched) {
  Begin();
  Crawl(20 * pages());
  plan_->ShareRate(true, {});
  const RefreshDemand told = plan_->ShareRate(true, {});
  const double planned = plan_->stats().planned_rate;
  EXPECT_LT(told.planned[RefreshDemand::kPoints / 2 - 2], kRate);
  EXPECT_GT(told.planned[RefreshDemand::kPoints / 2 + 2], kRate);
  EXPECT_LT(told.planned[RefreshDemand::kPoints / 2], planned - 0.2);
  EXPECT_NEAR(plan_->stats().borrowed, 0, 1e-9);
}

}  // namespace
}  // namespace opic::node
