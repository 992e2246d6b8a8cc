// When pages are read again, over a ledger in memory and a clock that the test moves.
#include "node/refresh_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {
namespace {

using ledger::VisitKind;

constexpr int kPages = 200;
constexpr int kHosts = 10;

class RefreshPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    ledger::Charter charter;
    charter.cluster_id = 7;
    charter.shards = 64;
    auto opened = ledger::Ledger::Open({}, *store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
    std::vector<ledger::Link> links;
    for (int i = 0; i < pages(); ++i) links.push_back({PageOf(i), UrlOf(i)});
    ledger_->Seed(links);
    ASSERT_TRUE(ledger_->Commit().ok());
    for (int i = 0; i < pages(); ++i) number_[PageOf(i)] = i;
  }
  virtual int pages() const { return kPages; }

  static std::string UrlOf(int page) {
    return "http://host" + std::to_string(page % kHosts) + ".test/" + std::to_string(page);
  }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }

  void Open(const RefreshOptions& options = {.pages_per_s = 2, .share = 0.5}) {
    auto opened = RefreshPlan::Open(options, *ledger_, *store_, testing::TempDir(), now_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    plan_ = *std::move(opened);
  }
  // A turn of the ledger's loop with these visits. Each links to the next page.
  void Turn(std::vector<ledger::Visit> visits) {
    ASSERT_TRUE(plan_->Step(now_).ok());
    ASSERT_TRUE(plan_->Plan(absl::MakeSpan(visits), now_).ok());
    ASSERT_TRUE(ledger_->Record(visits).ok());
    ASSERT_TRUE(ledger_->Commit().ok());
  }
  ledger::Visit Reading(int page, uint64_t content = 1,
                        VisitKind kind = VisitKind::kFetched) const {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.kind = kind;
    visit.http_status = 200;
    visit.at = absl::ToUnixSeconds(now_);
    if (kind == VisitKind::kFetched) {
      visit.content_hash = content;
      const int next = (page + 1) % kPages;
      visit.links = {{PageOf(next), UrlOf(next)}};
    }
    return visit;
  }
  void ReadAll() {
    for (int page = 0; page < pages(); ++page) Turn({Reading(page)});
  }
  // What is due now, as pages, which are offered thereby.
  std::vector<int> TakeDue(size_t most = kPages) {
    for (int i = 0; i < 2 * kPages / 64 + 2; ++i) EXPECT_TRUE(plan_->Step(now_).ok());
    std::vector<int> due;
    for (const schedule::Candidate& candidate : plan_->TakeDue(most))
      due.push_back(number_.at(candidate.page));
    return due;
  }
  refresh::PagePlan PlanOf(int page) {
    const auto bytes = store_->Get(store::Table::kHistory, ledger::KeyOf(PageOf(page)));
    const auto row = ledger::DecodeHistoryRow(**bytes, ledger_->window());
    return refresh::PagePlan::Decode(row->plan).value();
  }

  const std::unique_ptr<store::Store> store_ = store::NewMemoryStore();
  const url::UrlHash hash_{url::ShardBy::kHost, 64};
  std::unique_ptr<ledger::Ledger> ledger_;
  std::map<PageId, int> number_;
  std::unique_ptr<RefreshPlan> plan_;
  absl::Time now_ = absl::FromUnixSeconds(1'790'000'000);
};

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

TEST_F(RefreshPlanTest, LostOffersAreDueAgain) {
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

// A session with the scheduler ends while offers are out: what was read all the same is not read
// twice.
TEST_F(RefreshPlanTest, WhatWasReadAfterItsOfferWasLostIsNotDue) {
  Open();
  ReadAll();
  now_ += absl::Hours(24 * 90);
  const std::vector<int> due = TakeDue(50);
  plan_->OffersWereLost();
  Turn({Reading(due[0])});
  for (int page : TakeDue()) EXPECT_NE(page, due[0]);
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
}

TEST_F(RefreshPlanTest, AClockThatGoesBackDoesNotStopIt) {
  Open();
  now_ += absl::Hours(24 * 365);
  Turn({Reading(1)});
  now_ -= absl::Hours(24 * 365);
  Turn({Reading(2)});
  now_ += absl::Hours(24 * 90);
  EXPECT_EQ(TakeDue(), std::vector<int>{2});
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

TEST_F(RefreshPlanTest, ADamagedPlanIsRefused) {
  ledger::Visit visit = Reading(1);
  visit.plan = "\x7f";
  ASSERT_TRUE(ledger_->Record({visit}).ok());
  ASSERT_TRUE(ledger_->Commit().ok());
  Open();
  EXPECT_TRUE(absl::IsDataLoss(plan_->Step(now_)));
}

}  // namespace
}  // namespace opic::node
