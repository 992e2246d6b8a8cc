#include "sim/opic_bank.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"

namespace opic::sim {
namespace {

// A fraction in lowest terms; the test keeps to denominators that fit.
struct Rational {
  __int128 over = 0, under = 1;
  static Rational Of(__int128 over, __int128 under) {
    __int128 a = over < 0 ? -over : over, b = under;
    while (b != 0) std::swap(a %= b, b);
    return {over / a, under / a};
  }
  friend Rational operator+(Rational a, Rational b) {
    const __int128 common = Of(a.under, b.under).over * b.under;  // least common multiple
    return Of(a.over * (common / a.under) + b.over * (common / b.under), common);
  }
  friend Rational operator*(Rational a, Rational b) {
    const Rational x = Of(a.over, b.under), y = Of(b.over, a.under);
    return {x.over * y.over, x.under * y.under};
  }
  friend bool operator==(Rational, Rational) = default;
};

using Links = std::vector<std::vector<uint32_t>>;

// The paper's pseudo-code (section 2) with the virtual page of docs/algorithm.md section 3, in
// fractions of the supply.
class ExactOpic {
 public:
  ExactOpic(const Links& links, Rational epsilon)
      : links_(links), epsilon_(epsilon), n_(static_cast<int>(links.size())) {
    cash.assign(links.size(), Rational::Of(1, n_));
    history.assign(links.size(), {});
    owed_.assign(links.size(), {});
  }
  void Visit(uint32_t page) {
    const Rational paid = cash[page];
    cash[page] = {};
    history[page] = history[page] + paid;
    clock = clock + paid;
    const std::vector<uint32_t>& links = links_[page];
    const Rational kept = links.empty() ? paid : paid * epsilon_;
    for (uint32_t link : links) {
      cash[link] =
          cash[link] + paid * Less(epsilon_) * Rational::Of(1, static_cast<int>(links.size()));
    }
    for (Rational& owed : owed_) owed = owed + kept * Rational::Of(1, n_);
    for (uint64_t i = 0; i < kSweepPerVisit; ++i) {
      cash[at_] = cash[at_] + owed_[at_];
      owed_[at_] = {};
      at_ = (at_ + 1) % links_.size();
    }
  }
  std::vector<Rational> cash, history;
  Rational clock;

 private:
  static Rational Less(Rational part) { return Rational::Of(part.under - part.over, part.under); }
  const Links& links_;
  Rational epsilon_;
  int n_;
  std::vector<Rational> owed_;
  size_t at_ = 0;
};

// With this supply, sixteen pages with 0, 1 or 2 links and small edges of a half, every share is a
// whole number of units for ten visits, whatever their order.
constexpr int64_t kSupplyOfShares = int64_t{1} << 62;

Links SixteenPages() {
  Links links(16);
  base::Rng rng(11);
  for (uint32_t page = 0; page < 16; ++page) {
    const size_t count = std::array{0, 1, 1, 2}[page % 4];
    while (links[page].size() < count) {
      const auto link = static_cast<uint32_t>(rng.Below(16));
      if (link != page && std::ranges::count(links[page], link) == 0) links[page].push_back(link);
    }
  }
  return links;
}

cash::Amount TotalCash(const OpicBank& bank) {
  cash::Amount total = bank.virtual_cash();
  for (uint32_t page = 0; page < bank.pages(); ++page) total += bank.CashOf(page);
  return total;
}

class Opened : public ::testing::Test {
 protected:
  void Open(uint32_t pages, BankOptions options = {}) {
    bank_.emplace(options);
    for (uint32_t i = 0; i < pages; ++i) bank_->AddPage();
  }
  std::optional<OpicBank> bank_;
};

void ExpectSame(const OpicBank& bank, const ExactOpic& exact) {
  const auto share = [](cash::Sum units) {
    return Rational::Of(static_cast<__int128>(units), kSupplyOfShares);
  };
  EXPECT_EQ(share(bank.clock()), exact.clock);
  for (uint32_t i = 0; i < bank.pages(); ++i) {
    EXPECT_EQ(share(bank.CashOf(i).units()), exact.cash[i]) << "page " << i;
    EXPECT_EQ(share(bank.HistoryOf(i)), exact.history[i]) << "page " << i;
  }
}

TEST_F(Opened, IsStepByStepExactRationalArithmetic) {
  const Links links = SixteenPages();
  for (uint64_t order = 0; order < 50; ++order) {
    Open(16, {.epsilon = {uint32_t{1} << 31}, .supply = cash::Amount(kSupplyOfShares)});  // a half
    bank_->EndowEvenly();
    ExactOpic exact(links, Rational::Of(1, 2));
    base::Rng rng(order);
    for (int step = 0; step < 10 && !HasFailure(); ++step) {
      SCOPED_TRACE(testing::Message() << "order " << order << ", step " << step);
      const auto page = static_cast<uint32_t>(rng.Below(16));
      bank_->Visit(page, links[page]);
      exact.Visit(page);
      ExpectSame(*bank_, exact);
    }
  }
}

// Lemma 2.2, with a supply that nothing divides.
TEST_F(Opened, KeepsTheSupplyToTheUnit) {
  const Links links = SixteenPages();
  const cash::Amount supply(999'999'999'999'999'989);  // a prime
  Open(16, {.supply = supply});
  EXPECT_EQ(TotalCash(*bank_), supply);
  base::Rng rng(6);
  for (int step = 0; step < 5000; ++step) {
    const auto page = static_cast<uint32_t>(rng.Below(16));
    bank_->Visit(page, links[page]);
    ASSERT_EQ(TotalCash(*bank_), supply) << step;
  }
}

TEST_F(Opened, KeepsTheSupplyWhilePagesAreAdded) {
  Open(1);
  base::Rng rng(7);
  for (int step = 0; step < 2000; ++step) {
    if (step % 3 == 0) bank_->AddPage();
    const auto page = static_cast<uint32_t>(rng.Below(bank_->pages()));
    const std::vector<uint32_t> links = {(page + 1) % bank_->pages()};
    if (links[0] != page) bank_->Visit(page, links);
    ASSERT_EQ(TotalCash(*bank_), cash::kSupply);
  }
}

TEST_F(Opened, PaysAPageOnlyWhatItIsOwedSinceItWasAdded) {
  Open(2);
  bank_->Sweep(2);
  bank_->Visit(0, {});
  const uint32_t late = bank_->AddPage();
  EXPECT_EQ(bank_->CashOf(late), cash::Amount());
  bank_->Sweep(3);
  EXPECT_EQ(bank_->CashOf(late), cash::Amount());
}

TEST_F(Opened, VirtualPagePaysWhatTheSweepMeetsAndNoOther) {
  Open(100);
  bank_->Sweep(40);
  EXPECT_EQ(bank_->CashOf(39), cash::Amount(cash::kSupply.units() / 100));
  EXPECT_EQ(bank_->CashOf(40), cash::Amount());
  bank_->Sweep(60);
  EXPECT_EQ(bank_->CashOf(99), bank_->CashOf(39));
}

// Lemma 2.3: H + C is C0 and a matrix step of H, so the initial cash says nothing about a page.
TEST_F(Opened, LeavesInitialCashOutOfImportance) {
  Open(3);
  bank_->EndowEvenly();
  bank_->Visit(0, std::vector<uint32_t>{1});
  const std::vector<double> importance = bank_->Importance();
  EXPECT_NEAR(importance[1], 0.85 + 0.05, 1e-9);
  EXPECT_NEAR(importance[0], 0.05, 1e-9);
  EXPECT_NEAR(importance[2], 0.05, 1e-9);
}

// The static estimate and the window that keeps all of the past are the same account.
TEST_F(Opened, LeavesInitialCashOutOfWindowsToo) {
  const Links links = SixteenPages();
  Open(16, {.windows = {{.kind = importance::WindowKind::kNone}}});
  bank_->EndowEvenly();
  for (uint32_t step = 0; step < 40; ++step) {
    bank_->Visit(step * 3 % 11, links[step * 3 % 11]);  // some pages are never visited
    const std::vector<double> whole = bank_->Importance(), window = bank_->WindowImportance(0);
    for (uint32_t i = 0; i < 16; ++i) ASSERT_NEAR(window[i], whole[i], 1e-12);
  }
}

// The discovery knob moves cash about; it neither makes nor loses any.
TEST_F(Opened, KeepsTheSupplyWhateverShareGoesToUnreadPages) {
  const Links links = SixteenPages();
  for (const double share : {0.3, 1.0}) {
    Open(16, {.unread_share = share, .supply = cash::Amount(999'999'999'999'999'989)});
    base::Rng rng(8);
    for (int step = 0; step < 300; ++step) {
      const auto page = static_cast<uint32_t>(rng.Below(step < 100 ? 3 : 16));
      bank_->Visit(page, links[page]);
      ASSERT_EQ(TotalCash(*bank_), cash::Amount(999'999'999'999'999'989)) << step;
    }
  }
}

TEST_F(Opened, VirtualPagePaysUnreadPagesTheirShareAlone) {
  Open(10, {.unread_share = 1});
  bank_->Sweep(10);  // genesis: all are unread
  for (uint32_t page = 0; page < 5; ++page) bank_->Visit(page, {});
  const cash::Amount read = bank_->CashOf(0), unread = bank_->CashOf(9);
  bank_->Sweep(10);
  bank_->Visit(1, {});  // without links: the virtual page has it
  bank_->Sweep(10);
  EXPECT_EQ(bank_->CashOf(0), read);
  EXPECT_GT(bank_->CashOf(9), unread);
}

// The paper's other small edge: w / (links + w), here a half, a quarter and, without links, all.
TEST_F(Opened, PaysASmallEdgeOfSomeWeight) {
  for (const auto& [edge_weight, kept] : {std::pair(2.0, 0.5), {2.0 / 3, 0.25}}) {
    Open(100, {.edge_weight = edge_weight});
    bank_->Sweep(100);
    const auto before = static_cast<double>(bank_->CashOf(50).units());
    const std::vector<uint32_t> links = {51, 52};
    bank_->Visit(50, links);
    const double paid = static_cast<double>((bank_->CashOf(51) - bank_->CashOf(99)).units());
    EXPECT_NEAR(2 * paid / before, 1 - kept, 1e-9);
  }
}

TEST_F(Opened, ImportanceSumsToOne) {
  const Links links = SixteenPages();
  Open(16, {.windows = {{}}});
  bank_->Sweep(16);
  for (uint32_t step = 0; step < 16 * 200; ++step) bank_->Visit(step % 16, links[step % 16]);
  for (const std::vector<double>& x : {bank_->Importance(), bank_->WindowImportance(0)}) {
    EXPECT_NEAR(std::accumulate(x.begin(), x.end(), 0.0), 1, 0.02);
  }
}

TEST_F(Opened, CountsMeasuresKeptByEachWindow) {
  using importance::WindowKind;
  Open(4, {.windows = {{.kind = WindowKind::kVariable, .measures = 3}, {}}});
  bank_->Sweep(4);
  for (uint32_t step = 0; step < 40; ++step)
    bank_->Visit(step % 4, std::vector<uint32_t>{(step + 1) % 4});
  EXPECT_EQ(bank_->MeasuresPerPage(0), 3);
  EXPECT_EQ(bank_->MeasuresPerPage(1), 1);
}

}  // namespace
}  // namespace opic::sim
