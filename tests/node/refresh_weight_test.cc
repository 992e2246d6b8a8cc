// What a page weighs in the refresh plan: its importance, with all that it has recorded.
#include "desk/left_out.h"
#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

// Whatever it is worth, however often its content changes, and whatever the factor of its category.
TEST_F(RefreshPlanTest, ADuplicateIsReadAgainLast) {
  RefreshOptions options = {.pages_per_s = 2, .share = 0.5, .longest = absl::Hours(24 * 30)};
  options.factors[0] = 10;
  Open(options);
  ReadAll();
  const auto duplicate = [this](uint64_t content) {
    ledger::Visit visit = Reading(5, content);
    visit.http_status = desk::RowStatusOf(200, {.duplicate = true});
    return visit;
  };
  for (uint64_t content = 2; content < 5; ++content) {
    now_ += absl::Minutes(1);
    Turn({duplicate(content)});
    EXPECT_EQ(PlanOf(5).due, absl::ToUnixSeconds(now_ + absl::Hours(24 * 30)));
    EXPECT_EQ(plan_->DueOf(PageOf(5)).value(), PlanOf(5).due);
    EXPECT_EQ(PlanOf(5).weight, refresh::RefreshWeight());
  }
  now_ += absl::Minutes(1);
  Turn({Reading(5, 5)});
  EXPECT_LT(PlanOf(5).due, absl::ToUnixSeconds(now_ + absl::Hours(24 * 30)));
}

// With the paper's windows a page that is new has what its like had.
TEST_F(RefreshPlanTest, AFirstReadingIsWeighedAsThePageRanks) {
  Open();
  ReadAll();
  Turn({Reading(5)});  // its cash is gone
  constexpr int kNew = kPages;
  ledger::Visit visit = Reading(5);
  visit.links = {{PageOf(kNew), UrlOf(kNew)}};
  for (int other = 10; other < 150; ++other) visit.links.push_back({PageOf(other), UrlOf(other)});
  Turn({visit});
  const auto bytes = store_->Get(store::Table::kPage, ledger::KeyOf(PageOf(kNew)));
  const ledger::PageRow name = ledger::ReadPageRow(PageOf(kNew), **bytes).value();
  const double importance = Estimate(kNew, ledger_->accounting().Unvisited(name));
  ASSERT_GT(importance, 1.5 * Estimate(kNew, importance::History())) << "this would show nothing";
  Turn({Reading(kNew)});
  ExpectWeightOf(importance, PlanOf(kNew));
}

TEST_F(RefreshPlanTest, ASecondVisitOfAGroupIsWeighedWithWhatThePageRecordedBefore) {
  Open();
  ReadAll();
  Turn({Reading(1)});  // its cash is gone
  now_ += absl::Hours(2);
  const auto bytes = store_->Get(store::Table::kHistory, ledger::KeyOf(PageOf(1)));
  const auto row = ledger::DecodeHistoryRow(**bytes, ledger_->window()).value();
  const double importance = Estimate(1, row.history);
  ASSERT_GT(importance, 1.5 * Estimate(1, importance::History())) << "this would show nothing";
  Turn({Reading(1), Reading(1)});
  ExpectWeightOf(importance, PlanOf(1));
}

}  // namespace
}  // namespace opic::node
