#include "importance/window.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::importance {
namespace {

constexpr uint64_t kUnit = 1'000'000'000'000'000'000;  // one supply
constexpr WindowKind kAllKinds[] = {WindowKind::kNone, WindowKind::kFixed,
                                    WindowKind::kImprovedFixed, WindowKind::kVariable,
                                    WindowKind::kInterpolation};

// Clocks and cash in tenths of a supply, so that a sequence can be followed by hand.
class Page {
 public:
  Page(WindowOptions options, int discovered, double prior = 0)
      : window_(options), history_(window_.Discovered(Tenths(discovered), prior, 0)) {}
  Page& Visit(int paid, int clock) {
    window_.Visit(history_, Tenth(paid), Tenths(clock));
    return *this;
  }
  double Estimate(int cash, int clock, int on_pages = 0) const {
    return window_.Estimate(history_, Tenth(cash), Tenths(clock), Tenths(on_pages));
  }
  const History& history() const { return history_; }

 private:
  static cash::Sum Tenths(int tenths) {
    return cash::Sum{kUnit / 10} * static_cast<uint64_t>(tenths);
  }
  static cash::Amount Tenth(int tenths) {
    return cash::Amount(static_cast<uint64_t>(Tenths(tenths)));
  }
  Window window_;
  History history_;
};

TEST(NoWindow, IsHistoryAndCashOverClockAndCashOnPages) {
  Page page({.kind = WindowKind::kNone}, 0);
  page.Visit(2, 10).Visit(4, 30);
  EXPECT_EQ(page.history().sum, kUnit / 10 * 6);
  EXPECT_DOUBLE_EQ(page.Estimate(1, 62, 8), 7.0 / 70);
}

TEST(FixedWindow, ForgetsMeasuresOlderThanT) {
  Page page({.kind = WindowKind::kFixed, .supplies = 2}, 0);
  page.Visit(5, 10).Visit(1, 20).Visit(2, 25).Visit(3, 40);
  ASSERT_EQ(page.history().measures.size(), 2u);            // 10 and 20 are not after 40 - 20
  EXPECT_DOUBLE_EQ(page.Estimate(0, 40), 5.0 / (40 - 20));  // 2 + 3, since the stamp of the second
}

TEST(FixedWindow, AgesAtQueriesToo) {
  Page page({.kind = WindowKind::kFixed, .supplies = 2}, 0);
  page.Visit(5, 10).Visit(3, 20);
  EXPECT_DOUBLE_EQ(page.Estimate(2, 35), 5.0 / 25);  // the measure of 10 has left the window
  EXPECT_DOUBLE_EQ(page.Estimate(2, 60), 2.0 / 40);  // both have: present cash since the last visit
}

TEST(FixedWindow, CountsFromDiscovery) {
  Page page({.kind = WindowKind::kFixed, .supplies = 2}, 30);
  EXPECT_DOUBLE_EQ(page.Estimate(0, 30), 0);
  EXPECT_DOUBLE_EQ(page.Estimate(1, 35), 0.2);
  page.Visit(2, 40);
  EXPECT_DOUBLE_EQ(page.Estimate(0, 40), 0.2);
}

TEST(ImprovedFixedWindow, KeepsThreeMeasuresHoweverOld) {
  Page page({.kind = WindowKind::kImprovedFixed, .supplies = 1}, 0);
  page.Visit(9, 10).Visit(1, 30).Visit(2, 50).Visit(3, 70);
  ASSERT_EQ(page.history().measures.size(), 3u);
  EXPECT_DOUBLE_EQ(page.Estimate(4, 90), 10.0 / (90 - 10));
}

TEST(ImprovedFixedWindow, KeepsAllThatAreYoung) {
  Page page({.kind = WindowKind::kImprovedFixed, .supplies = 4}, 0);
  page.Visit(9, 10).Visit(1, 30).Visit(2, 32).Visit(3, 34).Visit(1, 36).Visit(1, 50);
  EXPECT_EQ(page.history().measures.size(), 5u);
  EXPECT_DOUBLE_EQ(page.Estimate(0, 50), 8.0 / (50 - 10));
}

TEST(VariableWindow, KeepsTheLastKAndTheStampBefore) {
  Page page({.kind = WindowKind::kVariable, .measures = 2}, 0);
  page.Visit(9, 10).Visit(1, 30).Visit(2, 50);
  EXPECT_EQ(page.history().before, cash::Sum{kUnit});
  EXPECT_DOUBLE_EQ(page.Estimate(5, 90), 8.0 / (90 - 10));
}

// Equation 3.3, first case: H (T - d) / T + C, with T = 20 tenths.
TEST(Interpolation, KeepsThePartOfHistoryStillInTheWindow) {
  Page page({.supplies = 2}, 0);
  page.Visit(4, 20);  // W = 20: H = 4
  page.Visit(3, 25);  // 4 * 15/20 + 3 = 6
  EXPECT_DOUBLE_EQ(page.history().h, kUnit / 10 * 6);
  EXPECT_DOUBLE_EQ(page.Estimate(1, 35), (6.0 * 10 / 20 + 1) / 20);
}

// Equation 3.3, second case: C T / d.
TEST(Interpolation, ScalesDownCashOfMoreThanAWindow) {
  Page page({.supplies = 2}, 0);
  page.Visit(4, 20).Visit(8, 60);
  EXPECT_DOUBLE_EQ(page.history().h, kUnit / 10 * 4);  // 8 * 20/40
  EXPECT_DOUBLE_EQ(page.Estimate(3, 120), 3.0 / 60);
}

TEST(Interpolation, IsPlainHistoryUntilTheClockReachesT) {
  Page page({.supplies = 10}, 0);
  page.Visit(4, 20).Visit(2, 30).Visit(3, 80);
  EXPECT_DOUBLE_EQ(page.history().h, kUnit / 10 * 9);
  EXPECT_DOUBLE_EQ(page.Estimate(1, 90), 10.0 / 90);
}

TEST(Interpolation, PassesSmoothlyFromTheGrowingToTheFullWindow) {
  Page page({.supplies = 10}, 0);
  page.Visit(8, 80);
  page.Visit(4, 120);  // of (0, 80] the window (20, 120] keeps 60: 8 * 60/80 + 4
  EXPECT_DOUBLE_EQ(page.history().h, kUnit);
}

TEST(Interpolation, NeverFetchedPageDatesFromItsDiscovery) {
  Page page({.supplies = 2}, 50);
  EXPECT_DOUBLE_EQ(page.Estimate(1, 60), 1.0 / 20);   // nothing came before it was known
  EXPECT_DOUBLE_EQ(page.Estimate(3, 110), 3.0 / 60);  // and after T only the rate counts
}

// What a page earned while most of the graph was unknown says nothing about it.
TEST(Origin, BeginsTheWindowAnew) {
  for (WindowKind kind : {WindowKind::kFixed, WindowKind::kInterpolation}) {
    const Window window({.kind = kind, .supplies = 8});
    const auto estimate = [&](cash::Sum origin) {
      History history;
      window.Visit(history, cash::Amount(kUnit), cash::Sum{kUnit} * 3);
      window.Visit(history, cash::Amount(kUnit / 10), cash::Sum{kUnit} * 4);
      window.Visit(history, cash::Amount(kUnit / 10), cash::Sum{kUnit} * 5, origin);
      return window.Estimate(history, cash::Amount(), cash::Sum{kUnit} * 5, 0, origin);
    };
    EXPECT_NEAR(estimate(0), 1.2 / 5, 1e-9) << Name(kind);
    EXPECT_NEAR(estimate(cash::Sum{kUnit} * 4), 0.1, 1e-9) << Name(kind);
  }
}

TEST(Origin, AtThePresentClockLeavesTheRateSinceTheLastVisit) {
  const Window window{WindowOptions{}};
  History history;
  window.Visit(history, cash::Amount(kUnit), kUnit);
  EXPECT_DOUBLE_EQ(window.Estimate(history, cash::Amount(kUnit / 5), 2 * kUnit, 0, 2 * kUnit), 0.2);
}

// A window that is younger than T has room for as much of a prior as it is old.
TEST(Origin, LimitsWhatAPriorStandsFor) {
  constexpr cash::Sum kTenth = kUnit / 10;
  for (WindowKind kind : kAllKinds) {
    if (kind == WindowKind::kNone) continue;
    const Window window({.kind = kind, .supplies = 2});
    const auto estimate = [&](const History& history, int clock) {
      return window.Estimate(history, cash::Amount(), kTenth * clock, 0, kTenth * 50);
    };
    const History after = window.Discovered(kTenth * 51, 0.125, kTenth * 50);
    EXPECT_NEAR(estimate(after, 51), 0.125, 1e-12) << Name(kind);
    EXPECT_LT(estimate(after, 60), 0.125) << Name(kind);
    if (kind != WindowKind::kFixed && kind != WindowKind::kInterpolation) continue;
    EXPECT_NEAR(estimate(after, 60), 0.0125, 1e-12) << Name(kind);
    const History before = window.Discovered(kTenth * 49, 0.125, kTenth * 50);
    EXPECT_EQ(estimate(before, 60), 0) << Name(kind);
  }
}

TEST(Prior, IsTheEstimateOfAPageJustDiscovered) {
  for (WindowKind kind : kAllKinds) {
    if (kind == WindowKind::kNone) continue;
    Page page({.kind = kind, .supplies = 2}, 50, 0.125);
    EXPECT_NEAR(page.Estimate(0, 50), 0.125, 1e-12) << Name(kind);
    EXPECT_EQ(page.history().sum, 0u) << Name(kind);  // it was not recorded, so no money
  }
}

// A page that receives its share of every unit of clock is worth that share, however it is visited.
TEST(Window, EstimatesSteadyFlowByItsShareWhateverThePolicy) {
  for (WindowKind kind : kAllKinds) {
    const Window window({.kind = kind, .supplies = 3, .measures = 5});
    History history = window.Discovered(0, 0, 0);
    base::Rng rng(7);
    cash::Sum g = 0;
    uint64_t owed = 0;
    for (int i = 0; i < 400; ++i) {
      const uint64_t elapsed = 1000 * (1 + rng.Below(kUnit / 5000));
      g += elapsed;
      owed += elapsed / 1000;  // a share of 1/1000
      if (rng.Below(3) == 0) {
        window.Visit(history, cash::Amount(owed), g);
        owed = 0;
      }
      const double x = window.Estimate(history, cash::Amount(owed), g, 0);
      ASSERT_NEAR(x, 0.001, 1e-9) << Name(kind) << " after " << i;
    }
  }
}

TEST(Window, FollowsAChangedFlowWithinT) {
  for (WindowKind kind :
       {WindowKind::kFixed, WindowKind::kImprovedFixed, WindowKind::kInterpolation}) {
    Page page({.kind = kind, .supplies = 2}, 0);
    for (int clock = 10; clock <= 100; clock += 10) page.Visit(1, clock);
    for (int clock = 110; clock <= 200; clock += 10) page.Visit(4, clock);
    EXPECT_NEAR(page.Estimate(0, 200), 0.4, 0.01) << Name(kind);
  }
}

TEST(Window, MergesNeighboursOfALongHistoryWithoutLosingCash) {
  Page page({.kind = WindowKind::kFixed, .supplies = 1000}, 0);
  for (int clock = 1; clock <= 5000; ++clock) page.Visit(clock % 2, clock);
  const History& history = page.history();
  ASSERT_EQ(history.measures.size(), kMeasuresMax);
  cash::Sum kept = 0, longest = 0, start = 0;
  for (const History::Measure& measure : history.measures) {
    kept += measure.cash;
    longest = std::max(longest, measure.g - start);
    start = measure.g;
  }
  EXPECT_EQ(kept, history.sum);
  EXPECT_LE(longest, cash::Sum{kUnit / 10} * 5000 / 64 * 4);  // no stretch swallows the others
  EXPECT_DOUBLE_EQ(page.Estimate(0, 5000), 0.5);
}

TEST(Window, ClockBehindTheStampCountsAsTheStamp) {
  for (WindowKind kind : kAllKinds) {
    Page page({.kind = kind, .supplies = 2}, 0);
    page.Visit(1, 50).Visit(1, 40);
    EXPECT_EQ(page.history().stamp, cash::Sum{kUnit} * 5) << Name(kind);
    EXPECT_EQ(page.Estimate(1, 30), page.Estimate(1, 50)) << Name(kind);
  }
}

TEST(WindowOptions, RefusesWhatIsOutOfRange) {
  EXPECT_TRUE(Validate(WindowOptions{}).ok());
  EXPECT_FALSE(Validate({.supplies = 0}).ok());
  EXPECT_FALSE(Validate({.supplies = -1}).ok());
  EXPECT_FALSE(Validate({.supplies = 1e13}).ok());
  EXPECT_FALSE(Validate({.measures = 0}).ok());
  EXPECT_FALSE(Validate({.measures = 65}).ok());
  EXPECT_EQ(WindowOptions{}.T(), cash::Sum{kUnit} * 8);
}

TEST(WindowName, IsReadBack) {
  for (WindowKind kind : kAllKinds) EXPECT_EQ(WindowFromName(Name(kind)), kind);
  EXPECT_EQ(WindowFromName("sliding"), std::nullopt);
}

}  // namespace
}  // namespace opic::importance
