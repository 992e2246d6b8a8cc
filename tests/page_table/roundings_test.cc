#include "page_table/roundings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"

namespace opic::page_table {
namespace {

cash::Cell CellOf(int64_t units) { return cash::Cell::TowardsZero(cash::Amount(units)); }

// Pages whose cells are paid and visited, and what rounding has really moved.
class Pages {
 public:
  explicit Pages(uint64_t count) : cells(count), drift(count) {}

  void Pay(uint64_t page, int64_t units, uint64_t draw) {
    const cash::Cell before = cells[page];
    cells[page] = cash::AddRounded(before, cash::Amount(units), draw, &reserve_);
    drift[page] += static_cast<double>((cells[page].value() - before.value()).units() - units);
    flow += static_cast<double>(units);
    roundings.Count(before, cells[page]);
  }
  void Visit(uint64_t page) { cells[page] = cash::Cell(); }
  double Off() const {
    double off = 0;
    for (const double amount : drift) off += std::abs(amount);
    return off;
  }
  double Told() const { return roundings.Drift(cells.size(), flow); }

  std::vector<cash::Cell> cells;
  std::vector<double> drift;
  double flow = 0;
  Roundings roundings;

 private:
  cash::Amount reserve_{int64_t{1} << 60};
};

Roundings Held(const Pages& pages) {
  Roundings held;
  for (const cash::Cell cell : pages.cells) held.Hold(cell);
  return held;
}

// Credits of all sizes, to few pages most, in webs of all sizes; visits as rare as they come. What
// is told is no less than what happens on average, and not much more.
TEST(RoundingsTest, TellHowFarCashHasDrifted) {
  for (uint64_t kind = 0; kind < 30; ++kind) {
    base::Rng rng(kind);
    const uint64_t count = uint64_t{1} << rng.Below(10);
    const uint64_t visit_every = 1 + rng.Below(1000);
    const uint64_t largest = 1'000'000 << rng.Below(12);
    const uint64_t base = rng.Below(2) * 10'000'000;
    double off = 0, told = 0;
    for (int run = 0; run < 16; ++run) {
      Pages pages(count);
      for (uint64_t page = 0; page < count && base > 0; ++page) {
        pages.Pay(page, static_cast<int64_t>(base), rng());
      }
      for (uint64_t n = 0; n < 20 * count + 2000; ++n) {
        const uint64_t page = std::min(rng.Below(count), rng.Below(count));
        pages.Pay(page, static_cast<int64_t>(1 + rng.Below(largest) / (page + 1)), rng());
        if (rng.Below(visit_every) == 0) pages.Visit(rng.Below(count));
      }
      off += pages.Off();
      told += pages.Told();
    }
    EXPECT_GT(told, off) << kind;
    EXPECT_LT(told, off * 3) << kind;
  }
}

// One page of a thousand had nearly all credits: its drift is not told as if all had had them.
TEST(RoundingsTest, OneHeavyPageIsNotTakenForMany) {
  double off = 0, told = 0;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    base::Rng rng(seed);
    Pages pages(1000);
    for (int n = 0; n < 10'000; ++n) {
      pages.Pay(0, static_cast<int64_t>(rng.Below(100'000'000)), rng());
    }
    off += pages.Off();
    told += pages.Told();
  }
  EXPECT_GT(told, off);
  EXPECT_LT(told, off * 3);
}

// Pages that go on with the cells they had need not come to them again.
TEST(RoundingsTest, SinceThenCountsPagesThatHadTheirCellsThen) {
  base::Rng rng(1);
  Pages pages(500);
  for (uint64_t page = 0; page < 500; ++page) pages.Pay(page, 1'000'000'000, rng());
  const Roundings then = pages.roundings, held = Held(pages);
  pages.drift.assign(500, 0);
  for (uint64_t n = 0; n < 20'000; ++n) {
    pages.Pay(rng.Below(500), static_cast<int64_t>(rng.Below(1'000'000)), rng());
  }
  const double told = pages.roundings.Since(then, held).Drift(500, pages.flow);
  EXPECT_GT(told, pages.Off());
  EXPECT_LT(told, pages.Off() * 3);
}

TEST(RoundingsTest, SmallCellsAreExact) {
  Roundings roundings;
  roundings.Count(cash::Cell(), CellOf(1023));
  roundings.Count(cash::Cell(), CellOf(-2047));
  EXPECT_EQ(roundings.Drift(10, 1e9), 0);
  roundings.Count(cash::Cell(), CellOf(2048));
  EXPECT_GT(roundings.Drift(10, 1e9), 0);
}

TEST(RoundingsTest, AreReadAsTheyWereWritten) {
  Roundings earlier;
  for (int n = 0; n < 300; ++n) earlier.Count(CellOf(n << 12), CellOf(1 << 20));
  Roundings later = earlier;
  later.Count(cash::Cell(), CellOf(1 << 30));
  EXPECT_EQ(Roundings::Decode(later.Encode()).value(), later);
  EXPECT_NE(later.Since(earlier, Roundings()), Roundings());
  EXPECT_EQ(later.Since(later, Roundings()), Roundings());
  EXPECT_FALSE(Roundings::Decode(later.Encode() + "x").ok());
  EXPECT_FALSE(Roundings::Decode("").ok());
  EXPECT_FALSE(Roundings::Decode(later.Encode().substr(0, 66)).ok());
}

// Of a folder that was written before entries were counted: as many as there can be.
TEST(RoundingsTest, WithoutEntriesEachCreditMayHaveBeenOne) {
  Roundings full;
  for (int n = 0; n < 100; ++n) full.Count(cash::Cell(), CellOf(1 << 20));
  const Roundings old = Roundings::Decode(full.Encode().substr(0, 64)).value();
  EXPECT_EQ(old, full);
}

}  // namespace
}  // namespace opic::page_table
