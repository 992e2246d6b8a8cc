// The top of the ranking without a walk over all rows, against the walk.
#include "node/great_pages.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/node/ranking_fixture.h"

namespace opic::node {
namespace {

constexpr size_t kCount = 5;
constexpr size_t kRowsPerStep = 8;

class GreatPagesTest : public RankingFixture {
 protected:
  GreatPagesTest() : RankingFixture(url::ShardBy::kHost, /*pushes=*/true) {}
  void SetUp() override {
    RankingFixture::SetUp();
    great_ = std::make_unique<GreatPages>(*ledger_, *store_, 24, kRowsPerStep);
  }
  // How many times it came to the ledger's thread.
  int AskTop(
      size_t count, const std::function<void(int)>& before_step = [](int) {},
      absl::Duration at_once = absl::ZeroDuration()) {
    int steps = 0;
    auto top = AnswerTop(
        *ledger_, *store_, {count},
        [&](absl::FunctionRef<absl::Status()> step) {
          before_step(steps++);
          return step();
        },
        great_.get(), at_once);
    EXPECT_TRUE(top.ok()) << top.status();
    top_ = top.value_or(Answers::TopPages());
    return steps;
  }
  void ExpectTopIsThatOfTheWalk(size_t count) {
    const bool whole = great_->whole();
    AskTop(count);
    const std::vector<PageImportance> walked = Top(count);
    EXPECT_EQ(UrlsOf(top_.pages, count), UrlsOf(walked, count)) << (whole ? "quick" : "slow");
    EXPECT_EQ(top_.matching, known());
    for (size_t i = 0; i < walked.size(); ++i)
      EXPECT_EQ(top_.pages[i].importance, walked[i].importance) << i;
  }
  // A page that is done, or the one after it.
  int DonePage(uint64_t draw) {
    for (int page = static_cast<int>(draw % kPages);; page = (page + 1) % kPages) {
      const auto known = ledger_->books().table().Find(PageOf(page));
      if (known && known->done) return page;
    }
  }

  std::unique_ptr<GreatPages> great_;
  Answers::TopPages top_;
};

TEST_F(GreatPagesTest, TheFirstTopLooksAtAllAndTheNextNeedNot) {
  FetchPages(40);
  SettleAll(5);
  EXPECT_FALSE(great_->whole());
  ExpectTopIsThatOfTheWalk(kCount);
  EXPECT_TRUE(great_->whole());
  EXPECT_LE(great_->histories().size(), 24u);
  EXPECT_GT(great_->outside_most(), 0);
  ExpectTopIsThatOfTheWalk(kCount);
}

// Visits, settled ones, and pages found, in any order; and now and then nothing but questions.
TEST_F(GreatPagesTest, IsExactAfterAnyChanges) {
  FetchPages(10);
  AskTop(kCount);
  int quick = 0;
  for (int round = 0; round < 300; ++round) {
    if (rng_.Below(4) == 0) FetchPages(std::min(done() + 1, kPages));
    if (rng_.Below(3) == 0) {
      ASSERT_TRUE(ledger_->Settle({PageOf(DonePage(rng_.Below(kPages)))}).ok());
      Commit();
    }
    if (rng_.Below(5) == 0) Fetch(DonePage(rng_.Below(kPages)));  // other links: debts
    if (round % 40 == 0) SettleAll(2);
    quick += great_->whole();
    ExpectTopIsThatOfTheWalk(kCount);
  }
  EXPECT_GT(quick, 290);
}

TEST_F(GreatPagesTest, APageThatIsVisitedMeanwhileIsNotMissed) {
  FetchPages(40);
  AskTop(kCount);
  ASSERT_TRUE(great_->whole());
  AskTop(kCount, [&](int step) {
    if (step == 1) SettleAll(1);  // the great ones are known, the sweep has not begun
  });
  EXPECT_EQ(UrlsOf(top_.pages, kCount), UrlsOf(Top(kCount), kCount));
}

// Beside a crawl each time is a turn of the ledger's loop, however short the steps are.
TEST_F(GreatPagesTest, StepsThatFitTogetherComeToTheLedgerOnce) {
  FetchPages(40);
  EXPECT_GT(AskTop(kCount), 3);
  EXPECT_GT(AskTop(kCount), 3);
  const std::vector<std::string> apart = UrlsOf(top_.pages, kCount);
  EXPECT_EQ(AskTop(
                kCount, [](int) {}, absl::InfiniteDuration()),
            1);
  EXPECT_EQ(UrlsOf(top_.pages, kCount), apart);
}

TEST_F(GreatPagesTest, APageThatPaysItsCanonicalLeaves) {
  FetchPages(kPages);
  SettleAll(5);
  ExpectTopIsThatOfTheWalk(kCount);
  FetchForCanonical(0, 1);
  EXPECT_FALSE(great_->histories().contains(PageOf(0)));
  ExpectTopIsThatOfTheWalk(kCount);
}

TEST_F(GreatPagesTest, MoreThanItIsGoodForAreLookedUp) {
  FetchPages(40);
  AskTop(kCount);
  ExpectTopIsThatOfTheWalk(kPages);
}

// Before anybody asks, and while pages are visited in front of the walk and behind it.
TEST_F(GreatPagesTest, AWalkInStepsMeetsAllRows) {
  FetchPages(40);
  int steps = 0;
  for (; !great_->whole(); ++steps) {
    ASSERT_TRUE(great_->Step().ok());
    ASSERT_TRUE(ledger_->Settle({PageOf(DonePage(rng_.Below(kPages)))}).ok());
    Commit();
    if (done() < kPages) FetchPages(done() + 1);
  }
  EXPECT_GE(steps, static_cast<int>(40 / kRowsPerStep));
  EXPECT_EQ(great_->walks(), 1u);
  ExpectTopIsThatOfTheWalk(kCount);
  ASSERT_TRUE(great_->Step().ok());
  EXPECT_TRUE(great_->whole());
}

TEST_F(GreatPagesTest, AQuestionEndsTheWalkThatIsUnderWay) {
  FetchPages(40);
  ASSERT_TRUE(great_->Step().ok());
  ASSERT_FALSE(great_->whole());
  ExpectTopIsThatOfTheWalk(kCount);
  EXPECT_TRUE(great_->whole());
  EXPECT_EQ(great_->walks(), 1u);
}

}  // namespace
}  // namespace opic::node
