// When pages are read again, over a ledger in memory and a clock that the test moves.
#include <set>

#include "base/rng.h"
#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

TEST_F(RefreshPlanTest, ReadPagesAreDueAfterAWhile) {
  Open();
  ReadAll();
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
  EXPECT_TRUE(TakeDue().empty());
  now_ += absl::Hours(24 * 90);
  const std::vector<int> due = TakeDue();
  EXPECT_EQ(std::set<int>(due.begin(), due.end()).size(), size_t{kPages});
  EXPECT_TRUE(TakeDue().empty()) << "offered twice";
}

// Pages whose content changes now and then, read when they are due for some days: the bandwidth is
// used, and goes to those that change.
TEST_F(RefreshPlanTest, TheBandwidthIsUsedWhereItHelps) {
  Open({.pages_per_s = 0.02, .share = 0.5, .shortest = absl::Minutes(10)});
  ReadAll();
  base::Rng rng(3);
  std::vector<uint64_t> content(kPages, 1);
  uint64_t readings = 0, of_changing = 0;
  constexpr int kDays = 20;
  for (int minute = 0; minute < kDays * 24 * 60; ++minute) {
    now_ += absl::Minutes(1);
    for (int page = 0; page < kPages / 2; ++page)  // every two hours on average
      if (rng.Below(120) == 0) ++content[static_cast<size_t>(page)];
    std::vector<ledger::Visit> visits;
    for (const schedule::Candidate& candidate : plan_->TakeDue(10)) {
      const int page = number_.at(candidate.page);
      visits.push_back(Reading(page, content[static_cast<size_t>(page)]));
      if (minute < 5 * 24 * 60) continue;
      ++readings;
      of_changing += page < kPages / 2 ? 1 : 0;
    }
    Turn(std::move(visits));
  }
  // Nothing is left to discover, so discovery's part is lent.
  const double wanted = 0.02 * (kDays - 5) * 86'400;
  EXPECT_NEAR(static_cast<double>(readings), wanted, 0.02 * wanted);
  EXPECT_GT(of_changing, 4 * (readings - of_changing));
  EXPECT_GT(plan_->changes(), 0u);
  EXPECT_NEAR(plan_->stats().planned_rate, 0.02, 0.0001);
}

TEST_F(RefreshPlanTest, ARestartKeepsThePlan) {
  Open();
  ReadAll();
  const RefreshStats before = plan_->stats();
  now_ += absl::Minutes(70);
  Turn({Reading(1, 2), Reading(2), Reading(3, 1, VisitKind::kNotModified)});
  const refresh::PagePlan of_one = PlanOf(1);
  EXPECT_GT(of_one.changes.undated_changes(), 0);
  Open();
  EXPECT_TRUE(plan_->stats().counting);
  const std::vector<int> due = TakeDue();
  EXPECT_FALSE(plan_->stats().counting);
  EXPECT_EQ(plan_->stats().planned, before.planned);
  EXPECT_EQ(PlanOf(1), of_one);
  now_ += absl::Hours(24 * 90);
  EXPECT_EQ(due.size() + TakeDue().size(), size_t{kPages});
}

TEST_F(RefreshPlanTest, PagesReadBeforeAnythingWasPlannedAreDueAfterADay) {
  for (int page = 0; page < kPages; ++page) {
    ASSERT_TRUE(ledger_->Record({Reading(page)}).ok());
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  now_ += absl::Hours(23);
  Open();
  EXPECT_TRUE(TakeDue().empty());
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
  now_ += absl::Hours(2);
  EXPECT_EQ(TakeDue().size(), size_t{kPages});
  Turn({Reading(0)});
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
}

TEST_F(RefreshPlanTest, APageThatIsGoneIsTriedEverMoreRarelyAndThenForgotten) {
  Open();
  ReadAll();
  int tries = 0;
  for (int day = 0; day < 400; ++day) {
    now_ += absl::Hours(24);
    std::vector<ledger::Visit> visits;
    for (int page : TakeDue()) {
      if (page == 5) ++tries;
      visits.push_back(page == 5 ? Reading(5, 0, VisitKind::kGone) : Reading(page));
    }
    Turn(std::move(visits));
  }
  EXPECT_EQ(tries, refresh::PagePlan::kLossesMax);
  EXPECT_EQ(PlanOf(5).due, refresh::PagePlan::kNever);
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages - 1});
}

TEST_F(RefreshPlanTest, APageThatComesBackIsPlannedAgain) {
  Open();
  ReadAll();
  Turn({Reading(5, 0, VisitKind::kGone)});
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages - 1});
  Turn({Reading(5)});
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
  EXPECT_EQ(PlanOf(5).losses, 0);
}

TEST_F(RefreshPlanTest, AnEarlyReadingMakesTheOldEntryVoid) {
  Open();
  ReadAll();
  now_ += absl::Minutes(30);
  Turn({Reading(7)});
  const int64_t due = PlanOf(7).due;
  now_ = absl::FromUnixSeconds(due - 1);
  for (int page : TakeDue()) EXPECT_NE(page, 7);
  now_ = absl::FromUnixSeconds(due);
  int times = 0;
  for (int page : TakeDue()) times += page == 7 ? 1 : 0;
  EXPECT_EQ(times, 1);
}

TEST_F(RefreshPlanTest, NothingIsReadSoonerThanItMayBe) {
  Open({.pages_per_s = 1000, .shortest = absl::Hours(2)});
  ReadAll();
  for (int round = 0; round < 3; ++round) {
    now_ += absl::Hours(7);  // all are late
    for (int page : TakeDue()) Turn({Reading(page, static_cast<uint64_t>(round))});
    for (int page = 0; page < kPages; ++page)
      EXPECT_GE(PlanOf(page).due, absl::ToUnixSeconds(now_ + absl::Hours(2))) << page;
  }
}

TEST_F(RefreshPlanTest, WhatWasNeverThereIsTriedOnceMore) {
  Open();
  Turn({Reading(3, 0, VisitKind::kGone)});
  EXPECT_EQ(PlanOf(3).due, absl::ToUnixSeconds(now_ + absl::Hours(24 * 64)));
  now_ += absl::Hours(24 * 64);
  EXPECT_EQ(TakeDue(), std::vector<int>{3});
  Turn({Reading(3, 0, VisitKind::kGone)});
  EXPECT_EQ(PlanOf(3).due, refresh::PagePlan::kNever);
}

// The first visit of the group found it, or its row is on disk.
TEST_F(RefreshPlanTest, APageThatWasThereIsLostOnceByASecondVisitOfAGroup) {
  Open();
  Turn({Reading(3), Reading(3, 0, VisitKind::kGone)});
  EXPECT_EQ(PlanOf(3).losses, 1);
  Turn({Reading(4)});
  now_ += absl::Hours(2);
  Turn({Reading(4, 0, VisitKind::kGone), Reading(4, 0, VisitKind::kGone)});
  EXPECT_EQ(PlanOf(4).losses, 2);
  EXPECT_EQ(PlanOf(4).due, absl::ToUnixSeconds(now_ + absl::Hours(48)));
  Turn({Reading(5, 0, VisitKind::kGone), Reading(5, 0, VisitKind::kGone)});
  EXPECT_EQ(PlanOf(5).losses, refresh::PagePlan::kLossesMax - 1);
}

// Nothing can be held against the date of a first reading but what others of its host were worth.
TEST_F(RefreshPlanTest, AFirstDateIsBelievedOfHostsWhoseDatesProvedTrue) {
  Open();
  const auto dated = [&](int page, uint64_t content, absl::Duration ago) {
    ledger::Visit visit = Reading(page, content);
    visit.last_modified =
        absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", now_ - ago, absl::UTCTimeZone());
    return visit;
  };
  Turn({dated(0, 1, absl::Hours(2400))});
  EXPECT_EQ(PlanOf(0).changes.dated_changes(), 0);
  for (uint64_t content = 2; content <= 3; ++content) {
    now_ += absl::Hours(2);
    Turn({dated(0, content, absl::Hours(1))});
  }
  EXPECT_GT(PlanOf(0).changes.dated_changes(), 1);
  Turn({dated(kHosts, 1, absl::Hours(2400)), dated(1, 1, absl::Hours(2400))});
  EXPECT_EQ(PlanOf(kHosts).changes.dated_changes(), 1) << "of the same host";
  EXPECT_EQ(PlanOf(1).changes.dated_changes(), 0) << "of another one";
  // The same change, told once more by the reading after one that failed.
  Turn({Reading(kHosts, 0, VisitKind::kFailed)});
  Turn({dated(kHosts, 1, absl::Hours(2400))});
  EXPECT_EQ(PlanOf(kHosts).changes.dated_changes(), 1);
}

TEST_F(RefreshPlanTest, AClockThatGoesBackDoesNotStopIt) {
  Open({.pages_per_s = 2, .share = 1});
  now_ += absl::Hours(24 * 365);
  Turn({Reading(1)});
  now_ -= absl::Hours(24 * 365);
  Turn({Reading(2)});
  Turn({});
  now_ += absl::Hours(24 * 90);
  const std::vector<int> due = TakeDue();
  EXPECT_EQ(std::set<int>(due.begin(), due.end()), (std::set<int>{1, 2}));
}

// By less than the page's pause: its time comes a little late, and it comes.
TEST_F(RefreshPlanTest, APageReadByAClockThatWasAheadIsDue) {
  const RefreshOptions options = {.pages_per_s = 2, .share = 0.5, .longest = absl::Hours(1)};
  Open(options);
  for (const absl::Duration ahead : {absl::Minutes(10), absl::Hours(3), absl::Hours(30)}) {
    now_ += ahead;
    Turn({Reading(1)});
    now_ -= ahead;
    Open(options);
    Turn({});
    int times = 0;
    for (int minute = 0; minute < 24 * 60 && times == 0; minute += 7) {
      now_ += absl::Minutes(7);
      for (int page : TakeDue()) times += page == 1 ? 1 : 0;
    }
    EXPECT_EQ(times, 1) << ahead;
    Turn({Reading(1)});
  }
}

// More rows than one step counts.
class ManyPagesTest : public RefreshPlanTest {
 protected:
  int pages() const override { return 2500; }
};

TEST_F(ManyPagesTest, VisitsWhileItCountsAreCountedOnce) {
  Open();
  ReadAll();
  std::vector<int> by_key;
  for (const auto& [page, number] : number_) by_key.push_back(number);
  Open();
  ASSERT_TRUE(plan_->Step(now_).ok());  // the first thousand
  ASSERT_TRUE(plan_->stats().counting);
  EXPECT_EQ(plan_->stats().planned, 1000u);
  now_ += absl::Hours(1);
  // The next step counts up to 2000: before that place, at it, and behind it.
  for (const VisitKind kind : {VisitKind::kFetched, VisitKind::kGone, VisitKind::kFetched}) {
    std::vector<ledger::Visit> visits;
    for (const size_t at : {0, 999, 1000, 1999, 2000, 2001, 2499})
      visits.push_back(Reading(by_key[at], 2, kind));
    Turn(std::move(visits));
  }
  while (plan_->stats().counting) ASSERT_TRUE(plan_->Step(now_).ok());
  EXPECT_EQ(plan_->stats().planned, 2500u);
  ReadAll();
  EXPECT_EQ(plan_->stats().planned, 2500u);
}

TEST_F(RefreshPlanTest, TwoVisitsOfAPageInOneGroupAreCountedOnce) {
  Open();
  Turn({Reading(1), Reading(1)});
  EXPECT_EQ(plan_->stats().planned, 1u);
  now_ += absl::Hours(3);
  Turn({Reading(1, 2), Reading(1, 3)});
  EXPECT_EQ(plan_->stats().planned, 1u);
  Open();
  TakeDue();
  EXPECT_EQ(plan_->stats().planned, 1u);
}

TEST_F(RefreshPlanTest, APageThatLeavesTheScopeLeavesThePlan) {
  Open();
  ReadAll();
  ledger::Visit visit;
  visit.page = PageOf(9);
  visit.kind = VisitKind::kOutOfScope;
  Turn({visit});
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages - 1});
  now_ += absl::Hours(24 * 90);
  EXPECT_EQ(TakeDue().size(), size_t{kPages - 1});
}

// A peer may have sent it with its shard: it ends no process, and its page is not lost.
TEST_F(RefreshPlanTest, APageWhosePlanCannotBeReadIsPlannedAnew) {
  ledger::Visit visit = Reading(1);
  visit.plan = "\x7f";
  ASSERT_TRUE(ledger_->Record({visit}).ok());
  ASSERT_TRUE(ledger_->Commit().ok());
  Open();
  now_ += absl::Hours(25);
  EXPECT_EQ(TakeDue(), std::vector<int>{1});
  Turn({Reading(1)});
  EXPECT_EQ(PlanOf(1).losses, 0);
}

// A page that was quiet while nothing was known of its like is not planned by that for long.
TEST_F(RefreshPlanTest, AnIntervalIsAtMostFourTimesTheOneBefore) {
  Open({.pages_per_s = 0.0001, .shortest = absl::Minutes(1)});
  ReadAll();
  for (const int minutes : {5, 20, 80}) {
    now_ += absl::Minutes(minutes);
    Turn({Reading(1)});
    EXPECT_EQ(PlanOf(1).due, absl::ToUnixSeconds(now_ + 4 * absl::Minutes(minutes)));
  }
}

// The text's hash and that of all bytes differ though nothing has changed.
TEST_F(RefreshPlanTest, HashesOfDifferentKindsAreNotCompared) {
  Open();
  ledger::Visit visit = Reading(1);
  Turn({visit});
  now_ += absl::Hours(2);
  visit.at = absl::ToUnixSeconds(now_);
  visit.content_hash = refresh::HashOfText(77);
  Turn({visit});
  EXPECT_EQ(plan_->readings(), 0u);
  now_ += absl::Hours(2);
  visit.at = absl::ToUnixSeconds(now_);
  visit.content_hash = refresh::HashOfText(79);
  Turn({visit});
  EXPECT_EQ(plan_->readings(), 1u);
  EXPECT_EQ(plan_->changes(), 1u);
}

// Pages that cannot be fetched stay unread: what they do not use is lent. It is taken back when all
// is in use, as due pages may keep others from being fetched.
// Of pages whose rates stay all that they have shown counts.
TEST_F(RefreshPlanTest, HowLongChangesCountIsLearntAndKept) {
  Open();
  base::Rng rng(3);
  std::vector<uint64_t> contents(pages(), 1);
  const double first = plan_->change_memory().changes;
  for (int round = 0; round < 100 && plan_->change_memory().changes == first; ++round) {
    now_ += absl::Hours(24);
    std::vector<ledger::Visit> visits;
    for (int page = 0; page < pages(); ++page) {
      contents[page] += rng.Below(100) < static_cast<uint64_t>(page % 10) * 6 + 2 ? 1 : 0;
      visits.push_back(Reading(page, contents[page]));
    }
    Turn(std::move(visits));
  }
  const double learnt = plan_->change_memory().changes;
  EXPECT_GT(learnt, first);
  Open();
  EXPECT_EQ(plan_->change_memory().changes, learnt);
}

TEST_F(RefreshPlanTest, WhatDiscoveryDoesNotUseIsLent) {
  Open({.pages_per_s = 10, .share = 0.5});
  const auto ten_seconds = [&](int fetches) {
    std::vector<ledger::Visit> visits;
    for (int page = 0; page < fetches; ++page) visits.push_back(Reading(page));
    Turn(std::move(visits));
    now_ += absl::Seconds(10);
    Turn({});
    return plan_->stats().bandwidth;
  };
  EXPECT_EQ(ten_seconds(100), 5) << "all is in use";
  EXPECT_EQ(ten_seconds(60), 7);
  EXPECT_EQ(ten_seconds(0), 10);
  for (int eighth = 1; eighth <= 8; ++eighth)
    EXPECT_EQ(ten_seconds(100), 10 - 5.0 * eighth / 8) << eighth;
  EXPECT_EQ(ten_seconds(100), 5);
}

TEST_F(RefreshPlanTest, WhenAllIsReadAllIsLent) {
  Open({.pages_per_s = 10, .share = 0.5});
  ReadAll();
  now_ += absl::Seconds(10);
  Turn({});
  EXPECT_EQ(plan_->stats().bandwidth, 10);
}

}  // namespace
}  // namespace opic::node
