// Pages settled by a plan (src/node/settling_plan.h): the bound is met with a visit or two a page,
// and whatever happens to the pages meanwhile does no harm.
#include "node/settling_plan.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "tests/node/ranking_fixture.h"

namespace opic::node {
namespace {

constexpr double kGoal = 0.0025;
constexpr size_t kRoom = 1 << 20;
constexpr size_t kVisitsAGroup = 7;
constexpr int kEver = 10'000;

class SettlingPlanTest : public RankingFixture {
 protected:
  SettlingPlanTest() : RankingFixture(url::ShardBy::kUrl, /*pushes=*/true) {}
  void SetUp() override {
    RankingFixture::SetUp();
    Plan(kRoom);
  }
  void Plan(size_t bytes_max, SettlingPlan::StepSize step = {}) {
    plan_ = std::make_unique<SettlingPlan>(*ledger_, *store_, closed_, bytes_max, step);
  }
  bool Step() {
    const absl::StatusOr<bool> planned = plan_->Step(kGoal, absl::UnixEpoch());
    EXPECT_TRUE(planned.ok()) << planned.status();
    return planned.value_or(false);
  }
  // Until the bound is met or there is no plan. How many pages were settled.
  int SettleByPlan() {
    int settled = 0;
    for (steps_ = 0; steps_ < kEver && !ledger_->Converged(kGoal) && Step(); ++steps_) {
      const SettlingPlan::Payments next = plan_->Take(kVisitsAGroup);
      EXPECT_LE(next.pages.size(), kVisitsAGroup);
      EXPECT_TRUE(ledger_->Settle(next.pages, next.amounts).ok());
      settled += static_cast<int>(next.pages.size());
      Commit();
    }
    EXPECT_LT(steps_, kEver);
    return settled;
  }
  // Makes a plan; the first of what it has pages pay.
  SettlingPlan::Payments FirstPayments(size_t most) {
    SettlingPlan::Payments first;
    for (int step = 0; step < 20 && first.pages.empty() && Step(); ++step) {
      first = plan_->Take(most);
    }
    return first;
  }
  // How often all pages that hold cash are settled one by one until the bound is met.
  int SettleOneByOne() {
    int settled = 0;
    while (!ledger_->Converged(kGoal) && settled < kEver) {
      for (int page = 0; page < kPages; ++page) {
        const auto known = ledger_->books().table().Find(PageOf(page));
        const cash::Amount floor = ledger_->accounting().SettleFloor(kGoal);
        if (!known || !known->done || known->cash.value().magnitude() < floor.magnitude()) continue;
        EXPECT_TRUE(ledger_->Settle({PageOf(page)}).ok());
        Commit();
        ++settled;
      }
    }
    return settled;
  }
  std::vector<double> Importances() {
    std::vector<double> all;
    for (int page = 0; page < kPages; ++page) all.push_back(Ask(UrlOf(page)).importance);
    return all;
  }

  ClosedShards closed_{kShards};
  std::unique_ptr<SettlingPlan> plan_;
  int steps_ = 0;
};

TEST_F(SettlingPlanTest, MeetsTheBoundWithAVisitOrTwoAPage) {
  FetchPages(kPages);
  const int settled = SettleByPlan();
  EXPECT_TRUE(ledger_->Converged(kGoal)) << ledger_->ErrorBound();
  EXPECT_GE(settled, done() / 2);
  EXPECT_LE(settled, 2 * done());
}

TEST_F(SettlingPlanTest, ComesToTheRankingThatSettlingOneByOneComesTo) {
  FetchPages(kPages);
  EXPECT_GT(SettleByPlan(), 0);
  const std::vector<double> by_plan = Importances();
  auto planned = std::move(ledger_);
  store_ = NewMemoryStore();
  rng_ = base::Rng(1);
  RankingFixture::SetUp();
  FetchPages(kPages);
  EXPECT_GT(SettleOneByOne(), 3 * done());
  const std::vector<double> one_by_one = Importances();
  double l1 = 0;
  for (size_t page = 0; page < by_plan.size(); ++page)
    l1 += std::abs(by_plan[page] - one_by_one[page]);
  EXPECT_LE(l1, 2 * kGoal);
}

TEST_F(SettlingPlanTest, UnreadPagesAreLeftAlone) {
  FetchPages(20);
  ASSERT_GT(known(), 20u);
  SettleByPlan();
  EXPECT_TRUE(ledger_->Converged(kGoal)) << ledger_->ErrorBound();
  EXPECT_EQ(done(), 20);
}

TEST_F(SettlingPlanTest, AnyStepsComeToTheSame) {
  FetchPages(kPages);
  const int settled = SettleByPlan();
  const int steps = steps_;
  store_ = NewMemoryStore();
  rng_ = base::Rng(1);
  RankingFixture::SetUp();
  FetchPages(kPages);
  Plan(kRoom, {.slots = 10, .row_links = 1, .pages = 4, .links = 20});
  EXPECT_EQ(SettleByPlan(), settled);
  EXPECT_GT(steps_, steps + 40);
}

TEST_F(SettlingPlanTest, IsNotMadeForLittleCash) {
  FetchPages(kPages);
  SettleByPlan();
  plan_->Forget();
  EXPECT_FALSE(Step());
  EXPECT_TRUE(plan_->Take(10).pages.empty());
}

TEST_F(SettlingPlanTest, IsNotMadeOfWhatDoesNotFit) {
  FetchPages(kPages);
  for (size_t bytes : {size_t{0}, size_t{1000}, size_t{6000}}) {
    Plan(bytes);
    EXPECT_EQ(SettleByPlan(), 0) << bytes;
    EXPECT_FALSE(Step()) << "nor looked at again";
  }
}

TEST_F(SettlingPlanTest, IsMadeAnewWhenItWasForgotten) {
  FetchPages(30);
  ASSERT_TRUE(Step());
  ASSERT_TRUE(Step());
  plan_->Forget();
  FetchPages(kPages);
  EXPECT_LE(SettleByPlan(), 2 * done());
  EXPECT_TRUE(ledger_->Converged(kGoal)) << ledger_->ErrorBound();
}

TEST_F(SettlingPlanTest, PagesOfClosedShardsDoNotPay) {
  FetchPages(kPages);
  closed_.Add(ShardId{1});
  int settled = 0;
  bool planned = true;
  for (int step = 0; step < kEver && planned; ++step) {
    planned = Step();
    const SettlingPlan::Payments next = plan_->Take(kVisitsAGroup);
    for (PageId page : next.pages) EXPECT_NE(page.shard(), ShardId{1});
    ASSERT_TRUE(ledger_->Settle(next.pages, next.amounts).ok());
    settled += static_cast<int>(next.pages.size());
    Commit();
  }
  EXPECT_FALSE(planned) << "a plan after the other";
  EXPECT_GT(settled, done() / 2);
  EXPECT_LT(settled, 4 * done());
}

TEST_F(SettlingPlanTest, WhereNoPageMayPayThereIsNone) {
  FetchPages(kPages);
  for (uint16_t shard = 0; shard < kShards; ++shard) closed_.Add(ShardId{shard});
  EXPECT_EQ(SettleByPlan(), 0);
  EXPECT_LT(steps_, 20);
  closed_.Clear();
  EXPECT_FALSE(Step()) << "until it is forgotten";
  plan_->Forget();
  EXPECT_GT(SettleByPlan(), 0);
}

// As when their shards arrive.
TEST_F(SettlingPlanTest, ManyNewPagesAskForTheirLinks) {
  FetchPages(20);
  SettleByPlan();
  ASSERT_TRUE(ledger_->Converged(kGoal));
  FetchPages(kPages);
  EXPECT_LE(SettleByPlan(), 2 * done());
  EXPECT_TRUE(ledger_->Converged(kGoal)) << ledger_->ErrorBound();
}

// A plan that is out of date is no danger: pages that were paid meanwhile are left with that, and
// the next plan has it.
TEST_F(SettlingPlanTest, PagesThatGetCashMeanwhileArePlannedForOnceMore) {
  FetchPages(kPages);
  const SettlingPlan::Payments next = FirstPayments(5);
  ASSERT_FALSE(next.pages.empty());
  SettleAll(1);
  ASSERT_TRUE(ledger_->Settle(next.pages, next.amounts).ok());
  Commit();
  SettleByPlan();
  EXPECT_TRUE(ledger_->Converged(kGoal)) << ledger_->ErrorBound();
}

// A page that becomes unread again, to be fetched, pays when it is.
TEST_F(SettlingPlanTest, PagesThatAreUnreadAgainDoNotPay) {
  FetchPages(kPages);
  SettlingPlan::Payments next = FirstPayments(1);
  ASSERT_FALSE(next.pages.empty());
  std::vector<PageId> reopened;
  for (int page = 0; page < kPages; page += 2) {
    if (ledger_->books().table().Find(PageOf(page))) reopened.push_back(PageOf(page));
  }
  ledger_->Reopen(reopened);
  Commit();
  int paid = 0;
  while (!(next = plan_->Take(3)).pages.empty()) {
    paid += static_cast<int>(next.pages.size());
    for (PageId page : next.pages) EXPECT_TRUE(ledger_->books().table().Find(page)->done);
    ASSERT_TRUE(ledger_->Settle(next.pages, next.amounts).ok());
    Commit();
  }
  EXPECT_GT(paid, 0);
  EXPECT_LE(paid, done());
}

TEST_F(SettlingPlanTest, ARowThatCannotBeReadIsAnError) {
  FetchPages(kPages);
  store::Batch batch;
  batch.Put(store::Table::kHistory, ledger::KeyOf(PageOf(0)), "no row");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  absl::StatusOr<bool> planned = true;
  for (int step = 0; step < 20 && planned.ok() && *planned; ++step)
    planned = plan_->Step(kGoal, absl::UnixEpoch());
  EXPECT_TRUE(absl::IsDataLoss(planned.status())) << planned.status();
  EXPECT_FALSE(Step()) << "it is not read again and again";
}

}  // namespace
}  // namespace opic::node
