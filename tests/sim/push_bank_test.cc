#include "sim/push_bank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/push_life.h"

namespace opic::sim {
namespace {

TEST(PushBank, HoldsTheEquationOfEveryPageToTheUnitAtEveryStep) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Life life(seed);
    for (int step = 0; step < 150; ++step) {
      life.Step();
      life.ExpectEquation();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(PushBank, RestatesFromTheRowsWhatTheEquationAsks) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Life life(seed);
    for (int step = 0; step < 100; ++step) {
      life.Step();
      life.ExpectRestated(life.bank().Restated());
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(PushBank, NeverLosesOrMakesMoneyWhateverTheCells) {
  for (const Rounding rounding : {Rounding::kExact, Rounding::kUnbiased, Rounding::kDown}) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      Life life(seed, {.cells = {rounding, 10}});
      for (int step = 0; step < 150; ++step) {
        life.Step();
        life.ExpectMoney();
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << step;
      }
    }
  }
}

TEST(PushBank, EstimatesSumToOneAndTheBoundIsNeverBelowTheErrorAtAnyStep) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Life life(seed, {.settle_in_ten = seed % 9 + 1});
    for (int step = 0; step < 120; ++step) {
      life.Step();
      life.ExpectBound();
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << step;
    }
  }
}

// Two pages that link each other, among many unread: what circulates between them is missing from
// all the others, and the bound has little to spare.
TEST(PushBank, BoundCountsWhatUnreadPagesWouldGet) {
  Bookkeeper book;
  PushBank bank(200, {.base = kBase});
  for (uint32_t page = 0; page < 200; ++page) bank.Birth(page), book.base[page] = kBase;
  for (uint32_t page : {0u, 1u}) {
    bank.Visit(page, std::vector<uint32_t>{1 - page});
    book.Read(page, {1 - page});
  }
  const std::vector<double> x = bank.Estimate();
  double distance = 0;
  for (const auto& [page, truth] : book.Exact()) distance += std::abs(x[page] - truth);
  EXPECT_LE(distance, bank.Bound());
  EXPECT_GT(distance, 0.9 * bank.Bound());
}

TEST(PushBank, LearnsLinksWithoutMovingCash) {
  PushBank bank(3, {.base = kBase});
  bank.Birth(0);
  bank.Learn(0, std::vector<uint32_t>{1, 2});
  EXPECT_EQ(bank.StateOf(0), PageState::kRead);
  EXPECT_EQ(bank.read_cash(), kBase);
  EXPECT_EQ(bank.Restated(), (std::vector<int64_t>{kBase, kBase, kBase}));
  bank.Settle(0);
  EXPECT_EQ(bank.CashOf(2), kBase + bank.Paid(kBase, 2));
}

TEST(PushBank, AtRestHistoryIsTheImportanceOfTheKnownLinks) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Life life(seed);
    for (int step = 0; step < 100; ++step) life.Step();
    PushBank& bank = life.bank();
    for (int turn = 0; bank.read_cash_size() > 0; ++turn) {
      ASSERT_LT(turn, 2000) << "never comes to rest";
      for (uint32_t page = 0; page < kPages; ++page) {
        if (bank.StateOf(page) == PageState::kRead && bank.CashOf(page) != 0) bank.Settle(page);
      }
    }
    const std::vector<double> x = bank.Estimate();
    for (const auto& [page, truth] : life.book().Exact()) EXPECT_NEAR(x[page], truth, 1e-6);
    EXPECT_EQ(bank.read_cash(), 0);
    EXPECT_LT(bank.Bound(), 1e-12);
  }
}

// Which way a share is rounded shows where it comes out even, and where histories are in debt.
TEST(PushBank, PaysTheFloorOfTheShareTowardsMinusInfinity) {
  const PushBank half(1, {.epsilon = cash::SmallEdge::FromShare(0.5)});
  EXPECT_EQ(half.Paid(12, 3), 2);
  EXPECT_EQ(half.Paid(11, 3), 1);
  EXPECT_EQ(half.Paid(-12, 3), -2);
  EXPECT_EQ(half.Paid(-11, 3), -2);
  EXPECT_EQ(half.Paid(1'000'000, 0), 0);
  EXPECT_EQ(half.Paid(int64_t{1} << 62, 1), int64_t{1} << 61);  // the product needs 128 bits
}

// What the order of readings does not change: two banks that saw the same links, in another order
// and however settled, come to the same histories but for the units that shares round off.
TEST(PushBank, ForgetsNothingAndOwesNothingToThePast) {
  Life changed(5), fresh(6);
  for (int step = 0; step < 300; ++step) changed.Step();
  PushBank other(kPages, {.base = kBase});
  for (const auto& [page, base] : changed.book().base) other.Birth(page), other.SetBase(page, base);
  for (const auto& [page, links] : changed.book().links) other.Visit(page, links);
  for (PushBank* bank : {&changed.bank(), &other}) {
    for (int turn = 0; turn < 500; ++turn) {
      for (uint32_t page = 0; page < kPages; ++page) {
        if (bank->StateOf(page) == PageState::kRead) bank->Settle(page);
      }
    }
  }
  for (uint32_t page = 0; page < kPages; ++page) {
    EXPECT_NEAR(changed.bank().HistoryOf(page), other.HistoryOf(page), 2000) << page;
  }
}

// A post that loses every third credit and doubles every fifth.
class BadPost final : public CreditPost {
 public:
  explicit BadPost(PushBank& bank) : bank_(bank) {}
  void Take(uint32_t, uint32_t to, int64_t amount) override {
    ++taken_;
    if (taken_ % 3 != 0) bank_.Credit(to, amount);
    if (taken_ % 5 == 0) bank_.Credit(to, amount);
  }

 private:
  PushBank& bank_;
  int taken_ = 0;
};

TEST(PushBank, RestatingHealsLostAndDoubledCreditsAndLostPages) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Life life(seed);
    BadPost post(life.bank());
    life.bank().set_post(&post);
    for (int step = 0; step < 100; ++step) life.Step();
    life.bank().set_post(nullptr);
    life.bank().Restate();
    life.ExpectEquation();
    life.ExpectMoney();
    for (int step = 0; step < 50; ++step) life.Step();
    life.ExpectEquation();
    life.ExpectMoney();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(PushBank, HasToReadLostPagesAgainButOwesThemNothing) {
  Life life(3);
  for (int step = 0; step < 200; ++step) life.Step();
  for (uint32_t page : {2u, 5u, 7u}) {
    life.bank().LosePage(page);
    EXPECT_EQ(life.bank().StateOf(page), PageState::kUnread);
  }
  const std::vector<std::vector<uint32_t>> links = {{3, 4}, {0}, {1, 8, 9}};
  life.Read(2, links[0]);
  life.Read(5, links[1]);
  life.Read(7, links[2]);
  size_t broken = 0;
  for (const auto& [page, base] : life.book().base) {
    broken += life.bank().CashOf(page) != life.book().CashOf(life.bank(), page);
  }
  EXPECT_GT(broken, 0u);
  life.bank().Restate();
  life.ExpectEquation();
  life.ExpectMoney();
}

TEST(PushBank, RestatesByAndByWhileVisitsGoOn) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Life life(seed);
    BadPost post(life.bank());
    life.bank().set_post(&post);
    for (int step = 0; step < 60; ++step) life.Step();
    life.bank().set_post(nullptr);
    life.bank().BeginRestating();
    for (bool done = false; !done;) {
      life.Step();
      life.Step();
      done = life.bank().RestateNext(1);
    }
    life.ExpectEquation();
    life.ExpectMoney();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

TEST(PushBank, OffersTheUnreadPageWithMostCash) {
  PushBank bank(6, {.base = kBase});
  bank.Birth(0);
  bank.Visit(0, std::vector<uint32_t>{1, 4, 5});
  bank.Visit(1, std::vector<uint32_t>{4});
  EXPECT_EQ(bank.unread_pages(), 2u);
  EXPECT_EQ(bank.RichestUnread(), 4u);
  bank.Visit(1, std::vector<uint32_t>{5});  // it links elsewhere now: the correction counts at once
  EXPECT_EQ(bank.RichestUnread(), 5u);
  EXPECT_EQ(bank.read_pages(), 2u);
  EXPECT_EQ(bank.StateOf(3), PageState::kUnknown);
}

}  // namespace
}  // namespace opic::sim
