// Categories of pages in the plan of refreshes: factors that change while it runs, and the
// calendar.
#include <cmath>

#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

class CategoryTest : public RefreshPlanTest {
 protected:
  static constexpr auto kHtml = static_cast<size_t>(refresh::Category::kHtml);
  static constexpr auto kXml = static_cast<size_t>(refresh::Category::kXml);

  // Every second page is XML.
  ledger::Visit Typed(int page) const {
    ledger::Visit visit = Reading(page);
    visit.category = static_cast<uint8_t>(page % 2 == 0 ? kHtml : kXml);
    return visit;
  }
  void ReadAllTyped() {
    for (int page = 0; page < pages(); ++page) Turn({Typed(page)});
  }
  void SetFactor(size_t category, double factor) {
    tuning_.factors[category] = factor;
    ASSERT_TRUE(plan_->Tune(tuning_, now_).ok());
    while (plan_->stats().counting) ASSERT_TRUE(plan_->Step(now_).ok());
  }
  // Readings in so much time, by category.
  std::array<int, 2> ReadFor(absl::Duration time) {
    std::array<int, 2> readings{};
    for (const absl::Time end = now_ + time; now_ < end; now_ += absl::Minutes(1)) {
      std::vector<ledger::Visit> visits;
      for (const schedule::Candidate& candidate : plan_->TakeDue(20)) {
        const int page = number_.at(candidate.page);
        visits.push_back(Typed(page));
        ++readings[page % 2];
      }
      Turn(std::move(visits));
    }
    return readings;
  }
  DueTimes Calendar() {
    DueTimes times;
    std::string from;
    while (!plan_->AddDueTimes(from, times).value()) {
    }
    return times;
  }
  static uint64_t Due(const DueTimes& times, size_t category) {
    uint64_t sum = 0;
    for (const DueTimes::ByCategory& range : times.due) sum += range[category];
    return sum;
  }

  RefreshTuning tuning_;
};

TEST_F(CategoryTest, AFactorMovesTheBandwidth) {
  Open({.pages_per_s = 0.02, .share = 1, .shortest = absl::Minutes(10)});
  ReadAllTyped();
  ReadFor(absl::Hours(48));
  const auto [html, xml] = ReadFor(absl::Hours(48));
  EXPECT_NEAR(html, xml, 0.1 * xml);
  SetFactor(kXml, 100);  // the frequency goes with its root: 10 times
  ReadFor(absl::Hours(24));
  const auto [html_after, xml_after] = ReadFor(absl::Hours(48));
  EXPECT_GT(xml_after, 5 * html_after);
  EXPECT_NEAR(html_after + xml_after, html + xml, 0.05 * (html + xml));
}

TEST_F(CategoryTest, ACategoryIsNotReadAgainAndThenIs) {
  Open({.pages_per_s = 0.02, .share = 1, .shortest = absl::Minutes(10)});
  ReadAllTyped();
  SetFactor(kHtml, 0);
  EXPECT_EQ(Calendar().stopped[kHtml], uint64_t{kPages / 2});
  EXPECT_EQ(Due(Calendar(), kHtml), 0u);
  EXPECT_EQ(plan_->DueOf(PageOf(0)).value(), refresh::PagePlan::kNever);
  const auto [html, xml] = ReadFor(absl::Hours(48));
  EXPECT_EQ(html, 0);
  EXPECT_NEAR(xml, 0.02 * 48 * 3600, 0.1 * 0.02 * 48 * 3600) << "the others have all of it";
  SetFactor(kHtml, 1);
  EXPECT_EQ(Calendar().stopped[kHtml], 0u);
  EXPECT_EQ(Due(Calendar(), kHtml), uint64_t{kPages / 2});
  EXPECT_GT(ReadFor(absl::Hours(24))[0], kPages / 2);
}

// What was read first while its category was stopped is planned, too.
TEST_F(CategoryTest, APageReadWhileItsCategoryIsStoppedIsDueWhenItIsNot) {
  Open({.pages_per_s = 0.02, .share = 1, .shortest = absl::Minutes(10)});
  SetFactor(kHtml, 0);
  ReadAllTyped();
  EXPECT_EQ(plan_->stats().categories[kHtml].planned, uint64_t{kPages / 2});
  SetFactor(kHtml, 2);
  EXPECT_EQ(Due(Calendar(), kHtml), uint64_t{kPages / 2});
  EXPECT_GT(ReadFor(absl::Hours(24))[0], 0);
}

// The due time that holds is the same after a restart, and after the same factor again.
TEST_F(CategoryTest, DueTimesFollowTheFactorAndNotThePath) {
  Open({.pages_per_s = 0.002, .share = 1, .shortest = absl::Minutes(10)});
  ReadAllTyped();
  std::vector<int64_t> before, after;
  for (int page = 0; page < kPages; ++page) before.push_back(plan_->DueOf(PageOf(page)).value());
  SetFactor(kXml, std::pow(2, 1.95));  // twice as often
  const int64_t fetched = absl::ToUnixSeconds(now_);
  constexpr int kLast = kPages - 1;  // of XML
  EXPECT_NEAR(static_cast<double>(plan_->DueOf(PageOf(kLast)).value() - fetched),
              static_cast<double>(before[kLast] - fetched) / 2, 1);
  EXPECT_EQ(plan_->DueOf(PageOf(kLast - 1)).value(), before[kLast - 1]);
  SetFactor(kXml, 1);
  for (int page = 0; page < kPages; ++page) after.push_back(plan_->DueOf(PageOf(page)).value());
  EXPECT_EQ(after, before);
}

// What was planned for a factor that is gone is within the bounds all the same.
TEST_F(CategoryTest, NoFactorLeadsOutOfTheBounds) {
  Open({.pages_per_s = 0.002, .share = 1, .shortest = absl::Hours(2), .longest = absl::Hours(48)});
  ReadAllTyped();
  const int64_t fetched = absl::ToUnixSeconds(now_);
  for (const double factor : {1e6, 1.0, 1e-3, 0.5, 0.0, 1.0}) {
    SetFactor(kXml, factor);
    for (int page = 1; page < kPages && factor > 0; page += 2) {
      Turn({Typed(page)});
      const int64_t due = plan_->DueOf(PageOf(page)).value();
      EXPECT_GE(due, fetched + 2 * 3600) << factor;
      EXPECT_LE(due, fetched + 48 * 3600) << factor;
    }
  }
  EXPECT_LE(plan_->DueOf(PageOf(1)).value(), fetched + 48 * 3600);
}

TEST_F(CategoryTest, APageThatChangesItsCategoryIsCountedOnce) {
  Open();
  ReadAllTyped();
  ledger::Visit visit = Typed(0);
  visit.category = static_cast<uint8_t>(kXml);
  Turn({visit});
  EXPECT_EQ(plan_->stats().categories[kHtml].planned, uint64_t{kPages / 2 - 1});
  EXPECT_EQ(plan_->stats().categories[kXml].planned, uint64_t{kPages / 2 + 1});
  EXPECT_EQ(PlanOf(0).category, refresh::Category::kXml);
}

TEST_F(CategoryTest, TheCalendarTellsOfEveryPageOnce) {
  Open();
  ReadAllTyped();
  Turn({Reading(2, 0, VisitKind::kGone)});
  ledger::Visit away;
  away.page = PageOf(4);
  away.kind = VisitKind::kOutOfScope;
  Turn({away});
  const DueTimes times = Calendar();
  EXPECT_EQ(Due(times, kHtml), uint64_t{kPages / 2 - 2});
  EXPECT_EQ(times.missed[kHtml], 1u);
  EXPECT_EQ(times.never[kHtml], 1u);
  EXPECT_EQ(Due(times, kXml), uint64_t{kPages / 2});
  now_ += absl::Hours(24 * 90);
  Turn({});
  EXPECT_EQ(Calendar().due[0][kXml], uint64_t{kPages / 2}) << "overdue";
}

}  // namespace
}  // namespace opic::node
