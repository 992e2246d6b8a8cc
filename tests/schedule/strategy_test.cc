#include "schedule/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "tests/schedule/vector_pool.h"

namespace opic::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr StrategyKind kAll[] = {StrategyKind::kThresholdSweep, StrategyKind::kGreedy,
                                 StrategyKind::kCycle, StrategyKind::kRandom};

// Some without cash, some not eligible, some with the same cash.
std::vector<VectorPool::Slot> MixedSlots(uint64_t seed, size_t count) {
  base::Rng rng(seed);
  std::vector<VectorPool::Slot> slots(count);
  for (VectorPool::Slot& slot : slots) {
    slot.cash = rng.Below(3) == 0 ? 0 : uint64_t{1} << rng.Below(20);
    slot.eligible = rng.Below(4) != 0;
  }
  return slots;
}

TEST(StrategyNameTest, EveryNameIsReadBack) {
  for (StrategyKind kind : kAll) EXPECT_EQ(StrategyFromName(Name(kind)), kind);
  EXPECT_EQ(StrategyFromName("Sweep"), std::nullopt);
  EXPECT_EQ(StrategyFromName(""), std::nullopt);
}

// ------------------------------------------------------------------------------------ all four

TEST(StrategyTest, EveryEligiblePageIsChosenSoonerOrLater) {
  for (StrategyKind kind : kAll) {
    for (uint64_t bundle : {1, 8}) {
      VectorPool pool(MixedSlots(7, 1000), bundle);
      const size_t expected = pool.eligible();
      const auto strategy = MakeStrategy(kind, 1);
      EXPECT_THAT(ReadAll(*strategy, pool, 10, 1000), SizeIs(expected)) << Name(kind);
    }
  }
}

TEST(StrategyTest, ChosenPagesAreEligibleDistinctAndNoMoreThanWanted) {
  for (StrategyKind kind : kAll) {
    VectorPool pool(MixedSlots(3, 64));
    const auto strategy = MakeStrategy(kind, 5);
    for (int call = 0; call < 50; ++call) {
      const std::vector<uint64_t> words = Words(Choose(*strategy, pool, 20, 64));
      EXPECT_LE(words.size(), 20u) << Name(kind);
      EXPECT_THAT(std::set<uint64_t>(words.begin(), words.end()), SizeIs(words.size()));
      for (uint64_t word : words) EXPECT_TRUE(pool.all()[word].eligible) << Name(kind);
    }
  }
}

TEST(StrategyTest, TheSlotsBudgetIsKeptByAllButGreedy) {
  for (StrategyKind kind :
       {StrategyKind::kThresholdSweep, StrategyKind::kCycle, StrategyKind::kRandom}) {
    VectorPool pool(std::vector<VectorPool::Slot>(1000, {.eligible = false}));
    pool.at(PageId::FromWord(0)) = {.cash = 5, .eligible = true};
    const auto strategy = MakeStrategy(kind, 1);
    Choose(*strategy, pool, 10, 300);
    EXPECT_LE(pool.walked(), 300u) << Name(kind);
  }
}

TEST(StrategyTest, AnEmptyPoolGivesNothing) {
  for (StrategyKind kind : kAll) {
    using Slots = std::vector<VectorPool::Slot>;
    VectorPool none(Slots{}), nothing_eligible(Slots{{.eligible = false}});
    const auto strategy = MakeStrategy(kind, 1);
    EXPECT_THAT(Choose(*strategy, none, 3, 100), IsEmpty());
    EXPECT_THAT(Choose(*strategy, nothing_eligible, 3, 100), IsEmpty());
  }
}

TEST(StrategyTest, ChoicesAreAppended) {
  for (StrategyKind kind : kAll) {
    VectorPool pool({{.cash = 8}, {.cash = 8}});
    std::vector<Candidate> chosen(1);
    MakeStrategy(kind, 1)->Choose(pool, 1, 100, chosen);
    MakeStrategy(kind, 1)->Choose(pool, 1, 100, chosen);
    EXPECT_LE(chosen.size(), 3u);
    EXPECT_EQ(chosen[0].page, PageId());
  }
}

// ------------------------------------------------------------------------------------ Greedy

TEST(GreedyTest, TheLargestCashComesFirstAndTiesByTheLowestPage) {
  VectorPool pool({{.cash = 5}, {.cash = 9}, {.cash = 7}, {.cash = 9}, {.cash = 1}});
  EXPECT_THAT(Words(Choose(*MakeStrategy(StrategyKind::kGreedy, 0), pool, 4, 1)),
              ElementsAre(1, 3, 2, 0));
}

TEST(GreedyTest, AgreesWithSorting) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    VectorPool pool(MixedSlots(seed, 200), 1 + seed % 9);
    pool.Jump(seed * 37);
    std::vector<Candidate> sorted;
    for (size_t i = 0; i < pool.all().size(); ++i) {
      if (!pool.all()[i].eligible) continue;
      sorted.push_back({VectorPool::PageOf(i), cash::Amount(pool.all()[i].cash)});
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cash > b.cash; });
    sorted.resize(17);
    EXPECT_EQ(Words(Choose(*MakeStrategy(StrategyKind::kGreedy, 0), pool, 17, 1)), Words(sorted));
  }
}

// ------------------------------------------------------------------------------------ Cycle,
// Random

TEST(CycleTest, PagesComeInTableOrderRoundAndRound) {
  VectorPool pool({{.cash = 1}, {.eligible = false}, {.cash = 0}, {.cash = 9}});
  const auto cycle = MakeStrategy(StrategyKind::kCycle, 0);
  EXPECT_THAT(Words(Choose(*cycle, pool, 2, 100)), ElementsAre(0, 2));
  EXPECT_THAT(Words(Choose(*cycle, pool, 2, 100)), ElementsAre(3, 0));
}

TEST(RandomTest, AllPagesAreChosenAboutEquallyOftenWhenAllAreEligible) {
  VectorPool pool(std::vector<VectorPool::Slot>(50));
  const auto random = MakeStrategy(StrategyKind::kRandom, 11);
  std::vector<int> times(50);
  for (int call = 0; call < 1000; ++call) {
    for (uint64_t word : Words(Choose(*random, pool, 5, 1000))) ++times[word];
  }
  for (int count : times) EXPECT_NEAR(count, 100, 50);
}

TEST(RandomTest, TheSeedDecides) {
  VectorPool a(std::vector<VectorPool::Slot>(1000)), b(a.all()), c(a.all());
  const auto chosen = Words(Choose(*MakeStrategy(StrategyKind::kRandom, 1), a, 5, 1000));
  EXPECT_EQ(Words(Choose(*MakeStrategy(StrategyKind::kRandom, 1), b, 5, 1000)), chosen);
  EXPECT_NE(Words(Choose(*MakeStrategy(StrategyKind::kRandom, 2), c, 5, 1000)), chosen);
}

}  // namespace
}  // namespace opic::schedule
