// A crawl by ledger push on the production ledger, step by step, beside the exact importance.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "ledger/equation.h"
#include "tests/support/small_crawl.h"

namespace opic {

inline constexpr int64_t kBase =
    60;  // small webs stay below 2,048 units a page, where cells are exact

class PushTest : public testing::Test {
 protected:
  // Small webs stay below 2,048 units a page, where cells are exact.
  static constexpr int64_t kBase = 60;

  PushTest() { Open(); }

  void Open() {
    ledger_.reset();
    ledger::Charter charter = SmallCrawl::Charter();
    charter.method = importance::Method::kPush;
    charter.window.kind = importance::WindowKind::kNone;
    charter.base = cash::Amount(base_);
    auto opened = ledger::Ledger::Open(options_, store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
  }
  void Seed(uint64_t n) { ledger_->Seed(SmallCrawl::Links({n})); }
  void Record(const ledger::Visit& visit) { ASSERT_TRUE(ledger_->Record({visit}).ok()); }
  void Fetch(uint64_t n, const std::vector<uint64_t>& links) {
    Record(SmallCrawl::Fetched(n, links));
    known_.insert(n);
    known_.insert(links.begin(), links.end());
  }
  void Settle(uint64_t n) {
    const PageId page = SmallCrawl::Page(n);
    ASSERT_TRUE(ledger_->Settle({&page, 1}).ok());
  }
  void Commit() { ASSERT_TRUE(ledger_->Commit().ok()); }

  int64_t CashOf(uint64_t n) {
    return ledger_->books().table().Find(SmallCrawl::Page(n))->cash.value().units();
  }
  ledger::HistoryRow RowOf(uint64_t n) {
    const auto bytes = store_.Get(store::Table::kHistory, ledger::KeyOf(SmallCrawl::Page(n)));
    if (!bytes.ok() || !*bytes) return {};
    return ledger::DecodeHistoryRow(**bytes, ledger_->window()).value();
  }
  std::vector<ledger::Drift> Drifts() {
    ledger::Equation equation(ledger_->charter());
    EXPECT_TRUE(equation.Add(*ledger_, store_).ok());
    // L from the rows is L as it was added up.
    EXPECT_TRUE(equation.kept() == ledger_->balances().kept);
    EXPECT_TRUE(equation.history() == ledger_->balances().history);
    return equation.Drifts();
  }
  // The exact importance of the links known now, by iteration of the equation x = b + Q x.
  std::map<uint64_t, double> Exact() {
    std::map<uint64_t, double> x;
    for (uint64_t n : known_) x[n] = 1;
    for (int round = 0; round < 400; ++round) {
      std::map<uint64_t, double> next;
      for (uint64_t n : known_) next[n] += 1;
      for (uint64_t n : known_) {
        const ledger::HistoryRow row = RowOf(n);
        for (uint64_t to : known_) {
          if (std::binary_search(row.links.begin(), row.links.end(), SmallCrawl::Page(to)))
            next[to] += (1 - epsilon_) * x[n] / static_cast<double>(row.links.size());
        }
      }
      x = std::move(next);
    }
    double sum = 0;
    for (const auto& [n, value] : x) sum += value;
    for (auto& [n, value] : x) value /= sum;
    return x;
  }
  double EstimateOf(uint64_t n) {
    return ledger_->accounting().Estimate(RowOf(n).history, cash::Amount(CashOf(n)));
  }
  // The L1 distance of the estimates to `exact`.
  double ErrorTo(const std::map<uint64_t, double>& exact) {
    double error = 0;
    for (const auto& [n, value] : exact) error += std::abs(EstimateOf(n) - value);
    return error;
  }

  const double epsilon_ = cash::SmallEdge().share();
  int64_t base_ = kBase;
  ledger::Options options_;
  CrashingStore store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::set<uint64_t> known_;
};

}  // namespace opic
