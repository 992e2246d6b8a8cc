// A bank of ledger push that lives at random, and a bookkeeper who writes down what it was told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/rng.h"
#include "cash/split.h"
#include "sim/push_bank.h"

namespace opic::sim {

inline constexpr int64_t kBase = 10'000'019;  // a prime, so that few shares come out even
inline constexpr uint32_t kPages = 24;

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

// A bank whose pages are found, read, read again with other links, settled, some of them ahead,
// lost to 404s, found again, redirected and given other bases, at random.
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
      const int64_t beyond = rng_.Below(2) == 0 ? 0 : bank_.CashOf(page) / 5;
      if (bank_.StateOf(page) == PageState::kRead) bank_.Settle(page, beyond);
      return;
    }
    switch (rng_.Below(8)) {
      case 0:
        if (page < 2) return;  // so that some base is left
        book_.Read(page, {});
        book_.base[page] = 0;
        bank_.Visit(page, {});
        bank_.SetBase(page, 0);
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

}  // namespace opic::sim
