#include "page_table/roundings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

namespace opic::page_table {
namespace {

// Credits to cells of all sizes, and what their rounding has really moved.
TEST(RoundingsTest, TellHowFarCashHasDrifted) {
  base::Rng rng(1);
  constexpr uint64_t kPages = 500;
  std::vector<cash::Cell> cells(kPages);
  std::vector<double> exact(kPages);
  double flow = 0;
  Roundings roundings;
  cash::Amount reserve(int64_t{1} << 60);
  for (uint64_t n = 0; n < 50'000; ++n) {
    const uint64_t page = rng.Below(kPages);
    const auto amount = static_cast<int64_t>(rng.Below(10'000'000) / (page + 1));
    cells[page] = cash::AddRounded(cells[page], cash::Amount(amount), rng(), &reserve);
    exact[page] += static_cast<double>(amount);
    flow += static_cast<double>(amount);
    roundings.Count(cells[page]);
  }
  double off = 0;
  for (uint64_t page = 0; page < kPages; ++page) {
    off += std::abs(static_cast<double>(cells[page].value().units()) - exact[page]);
  }
  EXPECT_GT(roundings.Drift(kPages, flow), off / 2);
  EXPECT_LT(roundings.Drift(kPages, flow), off * 8);
}

TEST(RoundingsTest, SmallCellsAreExact) {
  Roundings roundings;
  roundings.Count(cash::Cell::TowardsZero(cash::Amount(1023)));
  roundings.Count(cash::Cell::TowardsZero(cash::Amount(-2047)));
  EXPECT_EQ(roundings.Drift(10, 1e9), 0);
  roundings.Count(cash::Cell::TowardsZero(cash::Amount(2048)));
  EXPECT_GT(roundings.Drift(10, 1e9), 0);
}

TEST(RoundingsTest, AreReadAsTheyWereWritten) {
  Roundings earlier;
  for (int n = 0; n < 300; ++n) earlier.Count(cash::Cell::TowardsZero(cash::Amount(1 << 20)));
  Roundings later = earlier;
  later.Count(cash::Cell::TowardsZero(cash::Amount(1 << 30)));
  EXPECT_EQ(Roundings::Decode(later.Encode()).value(), later);
  EXPECT_NE(later.Since(earlier), Roundings());
  EXPECT_EQ(later.Since(later), Roundings());
  EXPECT_FALSE(Roundings::Decode(later.Encode() + "x").ok());
  EXPECT_FALSE(Roundings::Decode("").ok());
}

}  // namespace
}  // namespace opic::page_table
