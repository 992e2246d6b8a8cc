// Which of a host's pages is taken next while its delay allows less than what is due of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "schedule/refresh_cash.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

constexpr double kAlpha = 0.95;  // refresh::kObsolescenceExponent

// The pages of one host, and how a node plans them (refresh::NextDue).
class RefreshOrderTest : public testing::Test {
 protected:
  struct Refreshed {
    double importance, rate, period;
    absl::Time read, due;
    bool offered = false;
    double waited = 0;  // at most, in its periods
  };
  struct Found {
    double cost = 0;          // by that of the best plan for what the host allows
    double longest_wait = 0;  // in periods of the page
  };

  // The plan wants `wanted` times what the host allows, which is a page a second. Importance and
  // change rate are log-normal, with this deviation.
  void Plan(double wanted, double deviation) {
    std::mt19937_64 draw(7);
    std::normal_distribution<double> normal;
    double sum = 0;
    pages_.assign(100, {});
    for (Refreshed& page : pages_) {
      page.importance = std::exp(deviation * normal(draw));
      page.rate = std::exp(deviation * normal(draw));
      sum += Weight(page);
    }
    best_ = 0;
    for (Refreshed& page : pages_) {
      const double allowed = Weight(page) / sum;
      best_ += CostOf(page, 1 / allowed) * allowed;
      page.period = 1 / (wanted * allowed);
      page.read = node_.now -
                  std::uniform_real_distribution<double>(0, 1)(draw) * absl::Seconds(page.period);
      page.due = page.read + absl::Seconds(page.period);
    }
  }
  // The cost from after a quarter of the time on.
  Found Crawl(int seconds) {
    const absl::Time begin = node_.now + absl::Seconds(seconds / 4);
    const absl::Time end = node_.now + absl::Seconds(seconds);
    Found found;
    for (; node_.now < end; node_.now += absl::Seconds(1)) {
      OfferDue();
      for (const uint64_t number : node_.Ordered()) {
        node_.Done(number);
        if (number > pages_.size()) {
          ++discovered_;
          continue;
        }
        Refreshed& page = pages_[number - 1];
        found.cost += CostUntil(node_.now, page, begin);
        Read(page);
        ++refreshed_;
      }
    }
    for (Refreshed& page : pages_) {
      found.cost += CostUntil(end, page, begin);
      const double waits = absl::ToDoubleSeconds(end - page.due) / page.period;
      found.longest_wait = std::max({found.longest_wait, page.waited, waits});
    }
    found.cost /= absl::ToDoubleSeconds(end - begin) * best_;
    return found;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  std::vector<Refreshed> pages_;  // page n is number n + 1
  double best_ = 0;
  int refreshed_ = 0, discovered_ = 0;

 private:
  static double Weight(const Refreshed& page) {
    return std::pow(page.importance * std::pow(page.rate, kAlpha), 1 / (kAlpha + 1));
  }
  // Thesis (3.1), from a reading on for so many seconds.
  static double CostOf(const Refreshed& page, double seconds) {
    return page.importance * std::pow(page.rate, kAlpha) * std::pow(seconds, kAlpha + 1) /
           (kAlpha + 1);
  }
  static double CostUntil(absl::Time now, const Refreshed& page, absl::Time begin) {
    if (now < begin) return 0;
    const double before = std::max(0.0, absl::ToDoubleSeconds(begin - page.read));
    return CostOf(page, absl::ToDoubleSeconds(now - page.read)) - CostOf(page, before);
  }
  void Read(Refreshed& page) {
    const absl::Duration period = absl::Seconds(page.period);
    page.waited = std::max(page.waited, absl::ToDoubleSeconds(node_.now - page.due) / page.period);
    page.due = std::max(std::min(page.due, node_.now) + period, node_.now + period / 2);
    page.read = node_.now;
    page.offered = false;
  }
  void OfferDue() {
    for (size_t n = 0; n < pages_.size(); ++n) {
      Refreshed& page = pages_[n];
      if (page.offered || page.due > node_.now) continue;
      page.offered = true;
      const auto cash = static_cast<uint64_t>(schedule::CashOfFrequency(1 / page.period).units());
      node_.Offer("a", {n + 1}, cash, /*favoured=*/false, page.due);
    }
  }
};

TEST_F(RefreshOrderTest, WhatAHostCannotBearIsSharedByItsPagesInTheBestWay) {
  for (const double wanted : {2.0, 5.0}) {
    for (const double deviation : {1, 2}) {
      const size_t in_memory = deviation == 1 ? 1'000'000 : 64;
      node_.Reconfigure({.queued_in_memory_max = in_memory});
      node_.Hello(4);
      Plan(wanted, deviation);
      const Found found = Crawl(8000);
      EXPECT_LT(found.cost, 1.1) << wanted << " " << deviation << " " << in_memory;
      EXPECT_LT(found.longest_wait, 5 * wanted) << "of its least important page, in its periods";
    }
  }
}

// Where there is room for all, nothing waits for a deadline.
TEST_F(RefreshOrderTest, AHostThatBearsThePlanIsReadByThePlan) {
  node_.Hello(4);
  Plan(0.9, 1);
  EXPECT_LT(Crawl(8000).longest_wait, 1);
}

TEST_F(RefreshOrderTest, WhatIsToBeDiscoveredOfTheHostHasItsShareOfThePlaces) {
  for (const double share : {0.5, 0.75, 0.9, 1.0}) {
    discovered_ = refreshed_ = 0;
    node_.Reconfigure({});
    node_.Hello(4);
    node_.scheduler().Handle(schedule::Capacity{.fetches_max = 4, .refresh_share = share},
                             node_.now);
    Plan(3, 1);
    std::vector<uint64_t> unread(1000);
    for (size_t n = 0; n < unread.size(); ++n) unread[n] = 1001 + n;
    node_.Offer("a", unread, /*cash=*/10);
    Crawl(1000);
    const double part = std::min(share, 63.0 / 64);  // discovery has some at least
    EXPECT_NEAR(discovered_, 1000 * (1 - part), 2) << share;
    EXPECT_NEAR(refreshed_, 1000 * part, 2) << share;
  }
}

// Such pages are due since 1970.
TEST_F(RefreshOrderTest, PagesThatAreToBeReadAtOnceDoNotMakeTheHostLate) {
  node_.Hello(4);
  Plan(1.2, 1);
  Crawl(2000);
  std::vector<uint64_t> at_once(32);
  for (size_t n = 0; n < at_once.size(); ++n) at_once[n] = 1001 + n;
  const auto cash = static_cast<uint64_t>(schedule::CashOfFrequency(1).units());
  node_.Offer("a", at_once, cash, /*favoured=*/false, absl::FromUnixSeconds(1));
  for (Refreshed& page : pages_) page.waited = 0;
  EXPECT_LT(Crawl(4000).longest_wait, 4);
  EXPECT_EQ(discovered_, 32);
}

TEST_F(RefreshOrderTest, ThePeriodIsInTheCash) {
  for (const double seconds : {1.0, 3600.0, 90 * 86'400.0}) {
    EXPECT_NEAR(absl::ToDoubleSeconds(schedule::PeriodOf(schedule::CashOfFrequency(1 / seconds))),
                seconds, 1e-6 * seconds);
  }
  EXPECT_EQ(schedule::PeriodOf(schedule::CashOfFrequency(1e9)), absl::Seconds(1));
  const absl::Duration unknown = absl::Seconds(schedule::kPeriodSecondsMax);
  for (const double none : {0.0, -1.0, 1e-300, std::nan("")})
    EXPECT_EQ(schedule::PeriodOf(schedule::CashOfFrequency(none)), unknown) << none;
  EXPECT_EQ(schedule::PeriodOf(cash::Amount(-5)), unknown);
}

}  // namespace
}  // namespace opic::scheduler
