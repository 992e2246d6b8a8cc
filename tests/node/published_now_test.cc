// Publications that have a page read now, once, in the plan of refreshes.
#include <set>

#include "tests/node/published_plan_fixture.h"

namespace opic::node {
namespace {

using PublishedNowTest = PublishedPlanTest;

// A page that is published "now" comes before all that are overdue, with all importance there is,
// and once.
TEST_F(PublishedNowTest, NowIsOnceAndBeforeAllOthers) {
  OpenWithBook();
  ReadAll();
  now_ += absl::Hours(24 * 90);
  CountAll();
  Publish(Treatment::kNow, 0, Target::kUrl, UrlOf(77));
  EXPECT_EQ(DueOf(77), PagePlan::kAtOnce);
  const std::vector<schedule::Candidate> first = plan_->TakeDue(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(number_.at(first[0].page), 77);
  EXPECT_EQ(first[0].cash, ledger_->charter().supply);
  Turn({Reading(77)});
  EXPECT_GT(DueOf(77), absl::ToUnixSeconds(now_));
  Turn({});
  EXPECT_TRUE(plan_->publications().empty()) << "it is done";
  for (int page : TakeDue()) EXPECT_NE(page, 77);
  OpenWithBook();
  EXPECT_TRUE(plan_->publications().empty()) << "durably";
}

TEST_F(PublishedNowTest, NowHoldsOverLostOffersAndRestarts) {
  OpenWithBook();
  ReadAll();
  now_ += absl::Seconds(10);
  Publish(Treatment::kNow, 0, Target::kUrl, UrlOf(77));
  EXPECT_EQ(TakeDue(), std::vector<int>{77});
  plan_->OffersWereLost();
  EXPECT_EQ(TakeDue(), std::vector<int>{77});
  OpenWithBook();
  EXPECT_EQ(TakeDue(), std::vector<int>{77});
  now_ += absl::Seconds(10);
  EXPECT_TRUE(TakeDue().empty()) << "offered once";
  Turn({Reading(77)});
  OpenWithBook();
  EXPECT_TRUE(TakeDue().empty());
}

// Pages that were never read, are gone, or of which nothing can be read, are asked for, once.
TEST_F(PublishedNowTest, NowIsForPagesThatWereNotReadOrAreGone) {
  OpenWithBook();
  Turn({Reading(1, 0, VisitKind::kGone)});
  Turn({Reading(3)});
  now_ += absl::Seconds(10);
  for (const int page : {1, 2, 3}) Publish(Treatment::kNow, 0, Target::kUrl, UrlOf(page));
  const std::vector<int> due = TakeDue();
  EXPECT_EQ(std::set<int>(due.begin(), due.end()), (std::set<int>{1, 2, 3}));
  ledger::Visit forbidden = Reading(2, 0, VisitKind::kForbidden);
  forbidden.at = 0;
  Turn({Reading(1, 0, VisitKind::kGone), forbidden, Reading(3, 0, VisitKind::kFailed)});
  now_ += absl::Seconds(10);
  EXPECT_TRUE(TakeDue().empty());
  EXPECT_TRUE(plan_->publications().empty());
}

TEST_F(PublishedNowTest, NowOfAPrefixIsForAllThatWereReadBefore) {
  OpenWithBook();
  ReadAll();
  Turn({Reading(13, 0, VisitKind::kGone)});
  now_ += absl::Seconds(10);
  Turn({Reading(23)});
  Publish(Treatment::kNow, 0, Target::kHost, "host3.test");
  EXPECT_EQ(DueOf(3), PagePlan::kAtOnce);
  std::vector<int> due = TakeDue();
  EXPECT_EQ(due.size(), 18u) << "neither the one that is gone nor the one that was read since";
  for (const int page : due) {
    EXPECT_EQ(page % kHosts, 3);
    Turn({Reading(page)});
  }
  EXPECT_TRUE(TakeDue().empty());
}

// The clock was two hours ahead when it was given, and when half of the pages were read: each is
// read once, and not until that time comes.
TEST_F(PublishedNowTest, NowOfAClockThatWasAheadIsOnce) {
  OpenWithBook();
  const absl::Time right = now_;
  now_ = right - absl::Hours(24);
  for (int page = 0; page < kPages / 2; ++page) Turn({Reading(page)});
  now_ = right + absl::Hours(2) - absl::Minutes(10);
  for (int page = kPages / 2; page < kPages; ++page) Turn({Reading(page)});
  now_ = right + absl::Hours(2);
  Publish(Treatment::kNow, 0, Target::kHost, "host3.test");
  now_ = right + absl::Minutes(1);
  OpenWithBook();
  CountAll();
  EXPECT_EQ(plan_->publications().all().begin()->second.given, absl::ToUnixSeconds(now_));
  EXPECT_EQ(DueOf(3), PagePlan::kAtOnce);
  EXPECT_EQ(DueOf(193), PagePlan::kAtOnce) << "its reading lies ahead";
  now_ += absl::Minutes(1);
  const std::vector<int> readings = ReadFor(absl::Minutes(30));
  for (size_t page = 3; page < kPages; page += kHosts) EXPECT_EQ(readings[page], 1) << page;
  OpenWithBook();
  CountAll();
  EXPECT_EQ(plan_->publications().all().begin()->second.given,
            absl::ToUnixSeconds(right + absl::Minutes(1)))
      << "durably";
}

}  // namespace
}  // namespace opic::node
