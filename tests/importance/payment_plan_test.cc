// What pages pay by a plan (src/importance/payment_plan.h), on graphs of all kinds: they pay once,
// in any order, and no more cash is left than was to be.
#include "importance/payment_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/rng.h"
#include "importance/push.h"

namespace opic::importance {
namespace {

constexpr double kCash = 10'000'000;

// Pages with links between them, and a number of links each to pages elsewhere, of which some are
// away.
struct Web {
  struct Page {
    std::vector<uint32_t> inside;
    size_t away = 0, unread = 0;
    size_t links() const { return inside.size() + away + unread; }
  };
  std::vector<Page> pages;
  std::vector<double> cash;

  size_t links() const {
    size_t links = 0;
    for (const Page& page : pages) links += page.inside.size() + page.away;
    return links;
  }
  double Held() const {
    double held = 0;
    for (double c : cash) held += std::abs(c);
    return held;
  }
  // Its pages pay, a group of them at a time as a ledger does it, in whatever order.
  void Pay(std::vector<PaymentPlan::Payment> payments, cash::SmallEdge epsilon, base::Rng& rng) {
    std::shuffle(payments.begin(), payments.end(), rng);
    for (const auto& [page, amount] : payments) {
      cash[page] -= static_cast<double>(amount.units());
      const cash::Amount each = PaidToEach(amount.units(), pages[page].links(), epsilon);
      for (uint32_t link : pages[page].inside) cash[link] += static_cast<double>(each.units());
    }
  }
};

// Every tenth page has no links, another pays nobody here; cash is a debt on every fifth.
Web RandomWeb(size_t pages, uint64_t seed) {
  base::Rng rng(seed);
  Web web;
  for (size_t n = 0; n < pages; ++n) {
    Web::Page page;
    const size_t links = n % 10 == 0 ? 0 : 1 + rng.Below(12);
    for (size_t l = 0; l < links; ++l)
      page.inside.push_back(static_cast<uint32_t>(std::min(rng.Below(pages), rng.Below(pages))));
    std::sort(page.inside.begin(), page.inside.end());
    page.inside.erase(std::unique(page.inside.begin(), page.inside.end()), page.inside.end());
    std::erase(page.inside, n);
    if (n % 10 == 1) page.inside.clear();
    page.away = rng.Below(4) == 0 ? rng.Below(5) : 0;
    page.unread = n % 10 == 0 ? 0 : rng.Below(2);
    web.pages.push_back(page);
    web.cash.push_back(kCash * rng.Uniform() * (n % 5 == 0 ? -3 : 2));
  }
  return web;
}

// Circles of `around` pages: what over-relaxation makes grow for ever.
Web WebOfCircles(size_t circles, size_t around) {
  Web web;
  for (size_t n = 0; n < circles * around; ++n) {
    web.pages.push_back({{static_cast<uint32_t>(n / around * around + (n + 1) % around)}});
    web.cash.push_back(kCash);
  }
  return web;
}

class PaymentPlanTest : public testing::Test {
 protected:
  void Describe(const Web& web) {
    plan_ = PaymentPlan(epsilon_);
    for (const Web::Page& page : web.pages)
      plan_.AddPage(page.links(), page.inside, std::vector<uint32_t>(page.away));
  }
  // How many calls it takes.
  int Work(size_t links_max) {
    int calls = 1;
    while (!plan_.Work(links_max)) ++calls;
    return calls;
  }
  // What is left when all of a plan's payments were made, as a share of what may be.
  void ExpectAtRest(Web web, double left_max) {
    Describe(web);
    EXPECT_EQ(plan_.pages(), web.pages.size());
    EXPECT_EQ(plan_.links(), web.links());
    plan_.Begin(web.cash, left_max);
    Work(1'000'000);
    const auto payments = plan_.Payments(0);
    web.Pay(payments, epsilon_, rng_);
    EXPECT_LE(web.Held(), left_max + static_cast<double>(web.pages.size() + 2 * web.links()))
        << "with what amounts in whole units leave";
  }

  cash::SmallEdge epsilon_;
  PaymentPlan plan_{epsilon_};
  base::Rng rng_{3};
};

TEST_F(PaymentPlanTest, PagesThatPayOnceInAnyOrderAreLeftWithNothing) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    ExpectAtRest(RandomWeb(1 + 37 * seed, seed), kCash / 100);
  }
}

TEST_F(PaymentPlanTest, CirclesComeToRest) {
  ExpectAtRest(WebOfCircles(8, 5), kCash / 1000);
  ExpectAtRest(WebOfCircles(20, 2), kCash / 1000);
}

TEST_F(PaymentPlanTest, AnEpsilonOfNextToNothingEndsToo) {
  epsilon_ = cash::SmallEdge::FromShare(1e-6);
  Web web = WebOfCircles(3, 2);
  web.cash = {kCash, -kCash / 2, kCash, 0, 0, kCash / 3};
  Describe(web);
  plan_.Begin(web.cash, 1);
  EXPECT_LE(Work(web.links() + web.pages.size()), PaymentPlan::kPassesMax + 2);
}

TEST_F(PaymentPlanTest, WorkInSmallStepsMakesTheSamePlan) {
  const Web web = RandomWeb(200, 9);
  Describe(web);
  plan_.Begin(web.cash, kCash / 100);
  EXPECT_EQ(Work(10'000'000), 1);
  const auto at_once = plan_.Payments(0);
  plan_.Begin(web.cash, kCash / 100);
  EXPECT_GT(Work(50), 100);
  const auto in_steps = plan_.Payments(0);
  ASSERT_EQ(in_steps.size(), at_once.size());
  for (size_t i = 0; i < at_once.size(); ++i) {
    EXPECT_EQ(in_steps[i].page, at_once[i].page);
    EXPECT_EQ(in_steps[i].amount, at_once[i].amount) << i;
  }
}

TEST_F(PaymentPlanTest, TheSmallestPaymentsAreLeftOutWithinTheLimit) {
  const Web web = RandomWeb(300, 4);
  Describe(web);
  plan_.Begin(web.cash, kCash / 1000);
  Work(1'000'000);
  const auto all = plan_.Payments(0);
  size_t fewest = all.size();
  for (double share : {0.01, 0.1, 0.5}) {
    const double without = share * web.Held();
    const auto payments = plan_.Payments(without);
    EXPECT_LT(payments.size(), fewest) << share;
    fewest = payments.size();
    uint64_t least = UINT64_MAX, most_left_out = 0;
    for (const auto& payment : payments) least = std::min(least, payment.amount.magnitude());
    auto next = payments.begin();
    for (const auto& payment : all) {
      if (next != payments.end() && next->page == payment.page) {
        ++next;
      } else {
        most_left_out = std::max(most_left_out, payment.amount.magnitude());
      }
    }
    EXPECT_TRUE(next == payments.end()) << "ascending, and a part of all";
    EXPECT_LE(most_left_out, least);
    Web paid = web;
    paid.Pay(payments, epsilon_, rng_);
    EXPECT_LE(paid.Held(), without + kCash / 1000 + static_cast<double>(2 * web.links()));
    EXPECT_GT(paid.Held(), without / 4) << "no more is paid than has to be";
  }
}

TEST_F(PaymentPlanTest, ASecondPlanHasTheSameLinks) {
  Web web = RandomWeb(100, 6);
  ExpectAtRest(web, kCash / 100);
  for (double& c : web.cash) c = -c / 2;
  plan_.Begin(web.cash, kCash / 100);
  Work(1'000'000);
  web.Pay(plan_.Payments(0), epsilon_, rng_);
  EXPECT_LE(web.Held(), kCash / 100 + static_cast<double>(2 * web.links() + web.pages.size()));
}

TEST_F(PaymentPlanTest, WhatGoesAwayIsCounted) {
  plan_.AddPage(4, {{1}}, {{0, 1}});
  plan_.AddPage(0, {}, {});
  plan_.Begin({1000, 0}, 1);
  Work(100);
  EXPECT_NEAR(plan_.Away(), 0.85 * 1000 * 2 / 4, 1e-3);
  plan_.Begin({-1000, 0}, 1);
  Work(100);
  EXPECT_NEAR(plan_.Away(), 0.85 * 1000 * 2 / 4, 1e-3) << "without signs";
}

// Each has a part of the pages, in turn; what they pay each other is told in rounds.
TEST_F(PaymentPlanTest, PlansThatTellEachOtherComeToOneOfAllPages) {
  constexpr size_t kPlans = 3;
  Web web = RandomWeb(400, 12);
  for (Web::Page& page : web.pages) page.away = 0;
  std::vector<PaymentPlan> plans(kPlans, PaymentPlan(epsilon_));
  std::vector<std::vector<double>> cash(kPlans);
  for (size_t page = 0; page < web.pages.size(); ++page) {
    std::vector<uint32_t> inside, others;  // the number of a page elsewhere is that in the web
    for (uint32_t link : web.pages[page].inside)
      link % kPlans == page % kPlans ? inside.push_back(link / kPlans) : others.push_back(link);
    plans[page % kPlans].AddPage(web.pages[page].links(), inside, others);
    cash[page % kPlans].push_back(web.cash[page]);
  }
  constexpr double kLeftMax = kCash / 100;
  for (size_t n = 0; n < kPlans; ++n) plans[n].Begin(cash[n], kLeftMax / 10);
  int rounds = 0;
  for (double left = kLeftMax + 1; left > kLeftMax && rounds < 200; ++rounds) {
    left = 0;
    std::vector<std::vector<double>> outgoing;
    for (PaymentPlan& plan : plans) {
      while (!plan.Work(100)) continue;
      left += plan.Left();
      outgoing.push_back(plan.TakeOutgoing());
    }
    for (const std::vector<double>& payments : outgoing) {
      for (size_t page = 0; page < payments.size(); ++page) {
        left += std::abs(payments[page]);
        plans[page % kPlans].Add(static_cast<uint32_t>(page / kPlans), payments[page]);
      }
    }
    for (PaymentPlan& plan : plans) plan.WorkAgain(kLeftMax / 10);
  }
  EXPECT_GT(rounds, 3);
  EXPECT_LT(rounds, 60);
  std::vector<PaymentPlan::Payment> payments;
  for (size_t n = 0; n < kPlans; ++n) {
    for (const auto& [page, amount] : plans[n].Payments(0))
      payments.push_back({static_cast<uint32_t>(page * kPlans + n), amount});
  }
  EXPECT_LE(payments.size(), web.pages.size()) << "each pays once";
  web.Pay(payments, epsilon_, rng_);
  EXPECT_LE(web.Held(), 2 * kLeftMax + static_cast<double>(web.pages.size() + 2 * web.links()));
}

TEST_F(PaymentPlanTest, NoMoreIsPaidThanPagesMayOwe) {
  const Web web = WebOfCircles(1, 2);
  Describe(web);
  const auto supply = static_cast<double>(cash::kSupply.units());
  plan_.Begin({supply / 5, 0}, 1e9);
  Work(1'000'000);
  EXPECT_TRUE(plan_.Payments(0).empty()) << "they would pay 1.3 of the supply";
  plan_.Begin({supply / 40, 0}, 1e9);
  Work(1'000'000);
  EXPECT_EQ(plan_.Payments(0).size(), 2u);
}

TEST_F(PaymentPlanTest, NoPagesNeedNoPlan) {
  plan_.Begin({}, 0);
  EXPECT_TRUE(plan_.Work(1));
  EXPECT_TRUE(plan_.Payments(0).empty());
}

}  // namespace
}  // namespace opic::importance
