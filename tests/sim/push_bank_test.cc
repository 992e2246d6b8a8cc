#include "sim/push_bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace opic::sim {
namespace {

constexpr int64_t kBase = 10'000'019;  // a prime, so that few shares come out even
constexpr uint32_t kPages = 24;

// What a stranger who saw every reading would write down: the links and the base of each page that
// was met. It knows the equation, and none of the bank's rules.
struct Bookkeeper {
  std::map<uint32_t, std::vector<uint32_t>> links;  // of pages read
  std::map<uint32_t, int64_t> base;                 // of pages met

  void Read(uint32_t page, const std::vector<uint32_t>& now) {
    links[page] = now;
    for (uint32_t link : now) base.try_emplace(link, kBase);
  }

  // The largest integer with w * k <= (1 - epsilon) * h, found by trying: no division to get wrong.
  static Money Paid(Money h, size_t k) {
    if (k == 0) return 0;
    const Money kept = (Money{1} << 32) - cash::SmallEdge().parts;
    const Money under = (Money{1} << 32) * static_cast<Money>(k);
    Money w = 0;
    for (int bit = 62; bit >= 0; --bit) {
      if ((w + (Money{1} << bit)) * under <= (h < 0 ? -h : h) * kept) w += Money{1} << bit;
    }
    if (h >= 0) return w;
    return w * under == -h * kept ? -w : -w - 1;
  }

  // b + sum of P(H_i, k_i) - H, which (I) says is the cash of `page`.
  Money CashOf(const PushBank& bank, uint32_t page) const {
    Money cash = base.at(page) - bank.HistoryOf(page);
    for (const auto& [from, to] : links) {
      if (std::ranges::count(to, page)) cash += Paid(bank.HistoryOf(from), to.size());
    }
    return cash;
  }

  // Importance of the links read, known pages only: power iteration with the bases as the vector
  // that all lost importance goes to.
  std::map<uint32_t, double> Exact() const {
    const double all = std::accumulate(base.begin(), base.end(), 0.0,
                                       [](double sum, auto& one) { return sum + one.second; });
    std::map<uint32_t, double> x;
    for (const auto& [page, b] : base) x[page] = b / all;
    for (int turn = 0; turn < 200; ++turn) {
      std::map<uint32_t, double> y;
      double passed = 0;
      for (const auto& [from, to] : links) {
        const double share = (1 - cash::SmallEdge().share()) * x[from] / to.size();
        for (uint32_t link : to) y[link] += share, passed += share;
      }
      for (const auto& [page, b] : base) y[page] += (1 - passed) * b / all;
      x = y;
    }
    return x;
  }
};

struct Chances {
  PushCell cells;
  uint64_t settle_in_ten = 5;
};

// A bank whose pages are found, read, read again with other links, settled, lost to 404s, found
// again, redirected and given other bases, at random.
class Life {
 public:
  explicit Life(uint64_t seed, Chances chances = {})
      : bank_(kPages, {.base = kBase, .supply = kSupply, .cells = chances.cells, .seed = seed}),
        rng_(seed),
        settle_in_ten_(chances.settle_in_ten) {
    Meet(0);
    Meet(1);
  }

  void Step() {
    const uint32_t page = Known();
    if (rng_.Below(10) < settle_in_ten_) {
      if (bank_.StateOf(page) == PageState::kRead) bank_.Settle(page);
      return;
    }
    switch (rng_.Below(8)) {
      case 0:
        if (page < 2) return;  // so that some base is left
        book_.Read(page, {});
        book_.base[page] = 0;
        bank_.Vanish(page);
        break;
      case 1:
        book_.base[page] = kBase * static_cast<int64_t>(rng_.Below(4)) + 1;
        bank_.SetBase(page, book_.base[page]);
        break;
      case 2: {
        std::vector<uint32_t> target = Links(page);
        if (target.size() > 1) target.resize(1);
        Read(page, target);
        break;
      }
      default:
        Read(page, Links(page));
    }
  }

  void Read(uint32_t page, const std::vector<uint32_t>& links) {
    book_.Read(page, links);
    bank_.Visit(page, links);
  }

  static constexpr int64_t kSupply = 1'000'000'000'000;
  PushBank& bank() { return bank_; }
  const Bookkeeper& book() const { return book_; }

  // (I) of every page, to the unit.
  void ExpectEquation() {
    for (const auto& [page, base] : book_.base) {
      ASSERT_EQ(Money{bank_.CashOf(page)}, book_.CashOf(bank_, page)) << "page " << page;
      ASSERT_EQ(bank_.BaseOf(page), base);
    }
  }
  void ExpectRestated(const std::vector<int64_t>& restated) {
    for (const auto& [page, base] : book_.base) {
      ASSERT_EQ(Money{restated[page]}, book_.CashOf(bank_, page)) << "page " << page;
    }
  }
  void ExpectMoney() {
    Money cash = 0, flow = 0, waiting = 0, size = 0, base = 0;
    for (const auto& [page, b] : book_.base) {
      const bool read = bank_.StateOf(page) == PageState::kRead;
      const int64_t c = bank_.CashOf(page);
      cash += c;
      base += b;
      flow += read ? bank_.HistoryOf(page) : c;
      waiting += read ? c : 0;
      size += read ? std::abs(c) : 0;
    }
    ASSERT_EQ(cash + bank_.taken() + bank_.rounded() + bank_.reserve(), kSupply);
    ASSERT_EQ(bank_.reserve(), kSupply - base);
    ASSERT_EQ(bank_.taken(), bank_.TakenByRows());
    ASSERT_EQ(bank_.flow(), flow);
    ASSERT_EQ(bank_.read_cash(), waiting);
    ASSERT_EQ(bank_.read_cash_size(), size);
    ASSERT_EQ(bank_.base_sum(), base);
  }
  void ExpectBound() {
    const std::map<uint32_t, double> exact = book_.Exact();
    const std::vector<double> unbounded = bank_.EstimateUnbounded(), x = bank_.Estimate();
    ASSERT_NEAR(std::accumulate(unbounded.begin(), unbounded.end(), 0.0), 1, 1e-9);
    double far = 0, distance = 0;
    for (const auto& [page, truth] : exact) {
      far += std::abs(unbounded[page] - truth);
      distance += std::abs(x[page] - truth);
    }
    ASSERT_LE(far, bank_.Bound() + 1e-6);  // a floor for each link lies between P and a fraction
    ASSERT_LE(distance, far + 1e-12);      // the maximum only brings nearer
  }

 private:
  void Meet(uint32_t page) {
    bank_.Birth(page);
    book_.base.try_emplace(page, kBase);
  }
  uint32_t Known() {
    auto at = book_.base.begin();
    std::advance(at, rng_.Below(book_.base.size()));
    return at->first;
  }
  std::vector<uint32_t> Links(uint32_t page) {
    std::set<uint32_t> links;
    for (uint64_t left = rng_.Below(6); left > 0; --left) {
      links.insert(static_cast<uint32_t>(rng_.Below(kPages)));
    }
    links.erase(page);
    return {links.begin(), links.end()};
  }

  PushBank bank_;
  Bookkeeper book_;
  base::Rng rng_;
  uint64_t settle_in_ten_;
};

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

TEST(PushCell, KeepsLeadingBitsAndTheSign) {
  const PushCell down{Rounding::kDown, 3};
  EXPECT_EQ(Kept(down, 15, 0), 15);
  EXPECT_EQ(Kept(down, 0b111011, 0), 0b111000);
  EXPECT_EQ(Kept(down, -0b111011, 0), -0b111000);
  EXPECT_EQ(Kept({}, 0b111011, 0), 0b111011);
}

TEST(PushCell, RoundsUpAsOftenAsTheRemainderSays) {
  const PushCell cell{Rounding::kUnbiased, 3};
  base::Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += static_cast<double>(Kept(cell, -0b111011, rng()));
  EXPECT_NEAR(sum / 100'000, -0b111011, 0.05);
}

}  // namespace
}  // namespace opic::sim
