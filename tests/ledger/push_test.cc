// Ledger push on the production ledger: the equation of every page, the money, the estimates and
// their bound, step by step (src/ledger/push_accounting.h).
#include <numeric>

#include "tests/ledger/push_fixture.h"

namespace opic {
namespace {

using ledger::VisitKind;

TEST_F(PushTest, APageIsBornWithTheBase) {
  Seed(1);
  Commit();
  EXPECT_EQ(CashOf(1), kBase);
  EXPECT_EQ(ledger_->books().virtual_page().units(), cash::kSupply.units() - kBase);
  Fetch(1, {2, 3});
  Commit();
  EXPECT_EQ(CashOf(1), 0);
  EXPECT_EQ(CashOf(2), kBase + 25);  // floor(0.85 * 60 / 2)
  EXPECT_TRUE(Drifts().empty());
}

TEST_F(PushTest, AChangedPageTakesBackWhatItPaid) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Fetch(1, {3, 4});
  Commit();
  EXPECT_EQ(CashOf(2), kBase);
  EXPECT_EQ(CashOf(3), kBase + 25);
  EXPECT_EQ(CashOf(4), kBase + 25);
  EXPECT_TRUE(Drifts().empty());
}

// A page that names another as its canonical pays that alone; its links are born all the same.
TEST_F(PushTest, WhatIsDiscoveredHasTheBaseAndIsNotPaid) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  ledger::Visit visit = SmallCrawl::Fetched(1, {4});
  visit.discovered = SmallCrawl::Links({2, 3, 4, 5});
  Record(visit);
  Commit();
  EXPECT_EQ(CashOf(2), kBase) << "it is taken back from the links";
  EXPECT_EQ(CashOf(3), kBase);
  EXPECT_EQ(CashOf(4), kBase + 51);  // floor(0.85 * 60), at once
  EXPECT_EQ(CashOf(5), kBase);
  EXPECT_TRUE(Drifts().empty());
  Open();
  EXPECT_EQ(CashOf(5), kBase);
  Record(visit);
  Fetch(4, {});
  Commit();
  EXPECT_EQ(CashOf(4), 0);
  EXPECT_EQ(CashOf(5), kBase) << "born once, although it was found twice";
  EXPECT_TRUE(Drifts().empty());
}

// 2 is the canonical of 1, and 1 that of 2: as any two pages that link only to each other.
TEST_F(PushTest, PagesInACircleHaveWhatComesInFromOutsideAndNoMore) {
  base_ = 500;
  store_ = CrashingStore();
  Open();
  Seed(3);
  Commit();
  Fetch(3, {1, 4});
  Commit();
  Fetch(1, {2});
  Fetch(4, {});
  Commit();
  Fetch(2, {1});
  Commit();
  for (int round = 0; round < 100; ++round) {
    Settle(1);
    Settle(2);
    Commit();
  }
  const std::map<uint64_t, double> exact = Exact();
  EXPECT_LT(ErrorTo(exact), 0.01);
  // Two bases and half of what 3 pays, at every round less epsilon.
  EXPECT_NEAR((exact.at(1) + exact.at(2)) / exact.at(3), (2 + (1 - epsilon_) / 2) / epsilon_,
              0.001);
  EXPECT_TRUE(Drifts().empty());
}

TEST_F(PushTest, TakingBackWhatIsSpentLeavesADebt) {
  Seed(1);
  Commit();
  Fetch(1, {2});
  Commit();
  Fetch(2, {});
  Commit();
  Fetch(1, {3});
  Commit();
  EXPECT_LT(CashOf(2), 0);
  EXPECT_TRUE(Drifts().empty());
  Open();  // the debt is in the journal
  EXPECT_LT(CashOf(2), 0);
  Settle(2);
  Commit();
  EXPECT_EQ(CashOf(2), 0);
  EXPECT_EQ(RowOf(2).history.sum, kBase);
  EXPECT_TRUE(Drifts().empty());
}

TEST_F(PushTest, AFailureKeepsTheLinks) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  for (const VisitKind kind : {VisitKind::kFailed, VisitKind::kForbidden, VisitKind::kOutOfScope}) {
    Record(SmallCrawl::Ended(1, kind, 0));
    Commit();
    EXPECT_EQ(RowOf(1).links.size(), 2u);
    EXPECT_EQ(RowOf(1).kind, kind);
  }
  EXPECT_TRUE(Drifts().empty());
}

TEST_F(PushTest, ALossMustBeConfirmed) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Record(SmallCrawl::Ended(1, VisitKind::kGone, 404));
  Commit();
  EXPECT_EQ(RowOf(1).links.size(), 2u);
  EXPECT_TRUE(RowOf(1).doubted);
  Record(SmallCrawl::Ended(1, VisitKind::kGone, 404));
  Commit();
  EXPECT_TRUE(RowOf(1).links.empty());
  EXPECT_EQ(CashOf(2), kBase);
  EXPECT_TRUE(Drifts().empty());
}

TEST_F(PushTest, AReadingInBetweenEndsTheDoubt) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Record(SmallCrawl::Ended(1, VisitKind::kGone, 404));
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Record(SmallCrawl::Ended(1, VisitKind::kGone, 404));
  Commit();
  EXPECT_EQ(RowOf(1).links.size(), 2u);
}

// Peers rank their pages by it: sums that lost it on their way made each node rank alone.
TEST_F(PushTest, SumsTellWhatTheRankingOfTheClusterNeeds) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Fetch(2, {1});
  Commit();
  ledger::NodeSums sums = ledger_->Sums();
  EXPECT_EQ(sums.method, importance::Method::kPush);
  EXPECT_TRUE(sums.history == kBase + kBase + 25);
  EXPECT_TRUE(sums.read_cash == CashOf(1) + CashOf(2));
  EXPECT_TRUE(sums.residual >= sums.read_cash);
  EXPECT_EQ(sums.unread, 1u);
  std::string bytes;
  AppendNodeSums(bytes, sums);
  base::Decoder in(bytes);
  EXPECT_EQ(sums.unread_debt, 0);
  sums.unread_debt.reset();  // which batches do not tell
  EXPECT_EQ(ledger::ReadNodeSums(in), sums);
  EXPECT_TRUE(in.done());
}

// A row that says something else than what was paid: whatever the reason, correcting the cash of
// the pages makes the equation hold again, and no unit is made.
TEST_F(PushTest, ADriftIsCorrectedToTheUnit) {
  Seed(1);
  Commit();
  Fetch(1, {2, 3});
  Commit();
  Fetch(2, {1, 3});
  Commit();
  ledger::HistoryRow row = RowOf(1);
  row.history.sum += 40;
  store::Batch batch;
  batch.Put(store::Table::kHistory, ledger::KeyOf(SmallCrawl::Page(1)),
            Encode(row, ledger_->window()));
  ASSERT_TRUE(store_.Write(batch, store::Sync::kYes).ok());
  ledger::Equation equation(ledger_->charter());
  ASSERT_TRUE(equation.Add(*ledger_, store_).ok());
  ASSERT_EQ(equation.Drifts().size(), 3u);  // of the page, and of the two that it links to
  ledger_->Correct(equation.Drifts());
  Commit();
  ledger::Equation again(ledger_->charter());
  ASSERT_TRUE(again.Add(*ledger_, store_).ok());
  EXPECT_TRUE(again.Drifts().empty());
  EXPECT_TRUE(ledger_->books().Balanced());
}

// Random webs that are read, changed, settled and reopened in any order: the equation holds to the
// unit after each commit, the estimates sum to one, and no error is above its bound.
TEST_F(PushTest, TheEquationHoldsToTheUnitAtEveryStep) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    base::Rng rng(seed);
    store_ = CrashingStore();
    known_.clear();
    Open();
    constexpr uint64_t kPages = 14;
    Seed(0);
    known_.insert(0);
    Commit();
    std::set<uint64_t> read;
    for (int step = 0; step < 150; ++step) {
      const uint64_t n = *std::next(known_.begin(), static_cast<int>(rng.Below(known_.size())));
      const uint64_t dice = rng.Below(10);
      if (dice < 4 || !read.contains(n)) {
        std::vector<uint64_t> links;
        for (uint64_t k = rng.Below(5); k > 0; --k) links.push_back(rng.Below(kPages));
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
        Fetch(n, links);
        read.insert(n);
      } else if (dice < 9) {
        Settle(n);
      } else {
        Record(SmallCrawl::Ended(n, VisitKind::kGone, 410));
      }
      Commit();
      if (rng.Below(10) == 0) Open();
      ASSERT_TRUE(Drifts().empty()) << "seed " << seed << " step " << step;
      if (step % 10 != 0) continue;
      const std::map<uint64_t, double> exact = Exact();
      ASSERT_LE(ErrorTo(exact), ledger_->accounting().ErrorBound() + 0.02) << seed;
    }
  }
}

// A page that is to be read again has paid along its links: neither its cash nor its debt is at
// rest, and the debt of one must not hide the cash of another.
TEST_F(PushTest, TheBoundHoldsWhilePagesAreToBeReadAgain) {
  constexpr uint64_t kPages = 60, kReadAgain = 6;
  base::Rng rng(3);
  const auto read = [&](uint64_t n, std::set<uint64_t> links) {
    while (links.size() < 5) links.insert(rng.Below(kPages));
    Fetch(n, {links.begin(), links.end()});
    Commit();
  };
  const auto settle = [&](uint64_t pages) {
    for (int round = 0; round < 60; ++round) {
      for (uint64_t n = 0; n < pages; ++n) Settle(n);
      Commit();
    }
  };
  Seed(0);
  Commit();
  std::vector<PageId> all;
  for (uint64_t n = 0; n < kPages; ++n) {
    read(n, {(n + 1) % kPages});
    all.push_back(SmallCrawl::Page(n));
  }
  settle(kPages);
  ASSERT_LT(ErrorTo(Exact()), 0.02);
  ledger_->Reopen(all);
  Commit();
  for (uint64_t n = 0; n < kReadAgain; ++n) read(n, {});
  settle(kReadAgain);
  const double error = ErrorTo(Exact());
  EXPECT_GT(error, 0.03) << "pages have other links";
  EXPECT_GE(ledger_->accounting().ErrorBound(), error);
}

// With real bases cells round, and the ranking is still right to a thousandth.
TEST_F(PushTest, SettlingEndsAtTheImportanceOfTheLinks) {
  base_ = importance::kBase.units();
  store_ = CrashingStore();
  Open();
  base::Rng rng(9);
  Seed(0);
  known_.insert(0);
  Commit();
  for (uint64_t n = 0; n < 40; ++n) {
    std::vector<uint64_t> links = {(n + 1) % 40};
    for (uint64_t k = rng.Below(6); k > 0; --k) links.push_back(rng.Below(40) * rng.Below(40) / 40);
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    Fetch(n, links);
    Commit();
  }
  EXPECT_FALSE(ledger_->accounting().Converged(0.001));
  for (int round = 0; round < 60; ++round) {
    for (uint64_t n = 0; n < 40; ++n) Settle(n);
    Commit();
  }
  EXPECT_TRUE(ledger_->accounting().Converged(0.001));
  EXPECT_LT(ErrorTo(Exact()), 0.002);
  double sum = 0;
  for (uint64_t n : known_) sum += EstimateOf(n);
  EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace opic
