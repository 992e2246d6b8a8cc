// Random operations on the table and on a std::map that follows the contract word by word.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.h"
#include "page_table/page_table.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

using cash::Amount;

constexpr uint32_t kShards = 4;

class Model {
 public:
  bool Add(PageId page) { return pages_.try_emplace(page).second; }

  // Each shard has an account of its own.
  cash::Sum Apply(const std::vector<Credit>& credits, uint64_t log_number, Amount loan) {
    std::map<ShardId, Amount> accounts;
    for (const auto& [page, amount] : credits) {
      Amount& account = accounts.try_emplace(page.shard(), loan).first->second;
      State& state = pages_[page];
      const uint64_t draw = cash::RoundingDraw(log_number, page);
      state.cash = cash::AddRounded(state.cash, amount, draw, &account);
    }
    cash::Sum left = 0;
    for (const auto& [shard, account] : accounts) left += account.units() - loan.units();
    return left;
  }

  // The pages of the range, each with what it would be rounded up and down.
  uint64_t PayRange(ShardId shard, uint64_t first, uint64_t last, bool unread_only, Amount each,
                    uint64_t log_number, Amount* reserve) {
    std::vector<std::pair<const PageId, State>*> paid;
    cash::Sum most = 0;
    for (auto& entry : pages_) {
      const auto& [page, state] = entry;
      const bool inside = page.id() >= first && page.id() < last;
      if (page.shard() != shard || !inside || (unread_only && state.done)) continue;
      const Amount exact = state.cash.value() + each;
      const cash::Cell down = cash::Cell::TowardsZero(exact);
      const Amount up = down.value() == exact ? exact : down.Next().value();
      most += (up - state.cash.value()).units();
      paid.push_back(&entry);
    }
    const bool chance = most <= reserve->units();
    *reserve -= Amount(each.units() * paid.size());
    for (auto* entry : paid) {
      const uint64_t draw = cash::RoundingDraw(log_number, entry->first);
      Amount nothing;
      State& state = entry->second;
      state.cash = cash::AddRounded(state.cash, each, draw, chance ? reserve : &nothing);
      if (!chance) *reserve += nothing;
    }
    return paid.size();
  }

  std::map<PageId, State> pages_;
  Amount reference_;
};

// Operations drawn from a seed, alike for any table; ids of `id_bits` bits, so that they meet
// again.
class Operations {
 public:
  Operations(uint64_t seed, int id_bits) : rng_(seed), id_bits_(id_bits) {}

  PageId Page() {
    const uint64_t id = rng_() >> (64 - id_bits_) << (kPageIdBits - id_bits_);
    return PageId(ShardAt(rng_.Below(kShards)), id);
  }
  std::vector<Credit> Credits(size_t most, bool with_debts) {
    std::vector<Credit> credits(rng_.Below(most));
    for (Credit& credit : credits) {
      const auto units = static_cast<int64_t>(rng_.Below(uint64_t{1} << 30));
      credit = {Page(), Amount(with_debts && rng_.Below(2) == 0 ? -units : units)};
    }
    const auto by_shard = [](const Credit& a, const Credit& b) {
      return a.page.shard() < b.page.shard();
    };
    std::stable_sort(credits.begin(), credits.end(), by_shard);
    return credits;
  }
  base::Rng rng_;
  int id_bits_;
};

class ModelTest : public testing::TestWithParam<int> {
 protected:
  // Credits below zero, too, as ledger push pays them; it does without PayRange.
  static constexpr int kWithDebts = 100;
  // One random operation on both; they must answer alike.
  void Step(PageTable& table) {
    const PageId page = operations_.Page();
    ++log_number_;
    const uint64_t kind = operations_.rng_.Below(40);
    if (kind < 5) {
      EXPECT_EQ(table.Add(page), model_.Add(page));
    } else if (kind < 10) {
      Mark(table, page);
    } else if (kind < 15) {
      Take(table, page);
    } else if (kind == 15) {
      if (!with_debts_) Pay(table, page);
    } else if (kind == 16) {
      const auto reference = static_cast<int64_t>(operations_.rng_.Below(uint64_t{1} << 30));
      table.SetReference(model_.reference_ = Amount(reference));
    } else if (kind == 17 && operations_.rng_.Below(8) == 0) {
      table.Drop(page.shard());
      std::erase_if(model_.pages_,
                    [&](const auto& at) { return at.first.shard() == page.shard(); });
    } else {
      const auto credits = operations_.Credits(400, with_debts_);
      // Nothing to round up from, too little for all, and plenty.
      const Amount loan(std::vector<int64_t>{0, 1000, cash::kSupply.units()}[log_number_ % 3]);
      EXPECT_EQ(table.Apply(credits, log_number_, loan), model_.Apply(credits, log_number_, loan));
    }
    EXPECT_EQ(reserve_, model_reserve_);
  }

  void Mark(PageTable& table, PageId page) {
    const bool done = operations_.rng_.Below(2) == 0, ordered = operations_.rng_.Below(2) == 0;
    table.Add(page);
    table.SetDone(page, done);
    table.SetOrdered(page, ordered);
    State& state = model_.pages_[page];
    state.done = done;
    state.ordered = ordered;
  }

  void Take(PageTable& table, PageId page) {
    const auto known = model_.pages_.find(page);
    ASSERT_EQ(table.Find(page).has_value(), known != model_.pages_.end());
    if (known == model_.pages_.end()) return;
    const Amount taken = table.Take(page);
    EXPECT_EQ(taken, std::exchange(known->second.cash, cash::Cell()).value());
    reserve_ += taken;
    model_reserve_ += taken;
  }

  void Pay(PageTable& table, PageId from) {
    const uint64_t first = from.id(), last = first + (kPageIdCount - first) / 2;
    const bool unread_only = operations_.rng_.Below(2) == 0;
    const uint64_t count = table.CountRange(from.shard(), first, last, unread_only);
    if (count == 0) return;
    const uint64_t parts =
        1 + operations_.rng_.Below(3);  // 1: all there is, so nothing is left to round up
    const Amount each(reserve_.units() / count / parts);
    EXPECT_EQ(table.PayRange(from.shard(), first, last, unread_only, each, log_number_, &reserve_),
              count);
    EXPECT_EQ(
        model_.PayRange(from.shard(), first, last, unread_only, each, log_number_, &model_reserve_),
        count);
    EXPECT_EQ(reserve_, model_reserve_);
  }

  void ExpectSame(const PageTable& table) {
    ASSERT_TRUE(PagesOf(table) == model_.pages_);
    const Totals expected = TotalsOf(model_.pages_, model_.reference_);
    EXPECT_EQ(table.totals().pages, expected.pages);
    EXPECT_EQ(table.totals().done, expected.done);
    EXPECT_EQ(table.totals().ordered, expected.ordered);
    EXPECT_EQ(table.totals().cash, expected.cash);
    EXPECT_EQ(table.totals().in_debt, expected.in_debt);
    EXPECT_EQ(table.totals().done_cash, expected.done_cash);
    EXPECT_EQ(table.totals().done_magnitude, expected.done_magnitude);
    EXPECT_EQ(table.totals().done_deviation, expected.done_deviation);
    EXPECT_EQ(table.totals().undone_debt, expected.undone_debt);
    for (uint16_t shard = 0; shard < kShards; ++shard) ExpectSame(table, ShardId{shard});
  }
  void ExpectSame(const PageTable& table, ShardId shard) {
    std::map<PageId, State> pages;
    for (const auto& [page, state] : model_.pages_) {
      if (page.shard() == shard) pages[page] = state;
    }
    const Totals expected = TotalsOf(pages, model_.reference_);
    EXPECT_EQ(table.totals(shard).pages, expected.pages);
    EXPECT_EQ(table.totals(shard).done, expected.done);
    EXPECT_EQ(table.totals(shard).ordered, expected.ordered);
    EXPECT_EQ(table.totals(shard).in_debt, expected.in_debt);
    EXPECT_EQ(table.totals(shard).cash, expected.cash);
  }

  // Replaces a table by one that was saved and loaded.
  static std::unique_ptr<PageTable> Reloaded(const PageTable& table) {
    auto loaded = std::make_unique<PageTable>(kShards);
    loaded->SetReference(table.reference());
    for (uint16_t shard = 0; shard < kShards; ++shard) {
      EXPECT_TRUE(Load(Saved(table, ShardId{shard}), ShardId{shard}, *loaded).ok());
    }
    return loaded;
  }

  const bool with_debts_ = GetParam() > kWithDebts;
  Operations operations_{static_cast<uint64_t>(GetParam()), GetParam() % kWithDebts};
  Model model_;
  Amount reserve_{1'000'000'000}, model_reserve_{1'000'000'000};
  uint64_t log_number_ = 0;
};

TEST_P(ModelTest, TableAnswersAsTheMapDoes) {
  PageTable table(kShards);
  for (int step = 0; step < 300; ++step) Step(table);
  ExpectSame(table);
}

// The replay rule: what a table does depends on what it holds, not on how it came to hold it.
TEST_P(ModelTest, TableLoadedMidwayGoesOnAsIfNothingHappened) {
  auto table = std::make_unique<PageTable>(kShards);
  for (int step = 0; step < 300; ++step) {
    if (step % 50 == 49) {
      table->ClearOrdered();
      for (auto& [page, state] : model_.pages_) state.ordered = false;
      table = Reloaded(*table);
    }
    Step(*table);
  }
  ExpectSame(*table);
}

// Ids of few bits meet often and stay in rosters, ids of many fill segments; from 100 on with
// debts.
INSTANTIATE_TEST_SUITE_P(IdBits, ModelTest, testing::Values(6, 10, 13, 20, 40, 106, 113, 140));

}  // namespace
}  // namespace opic::page_table
