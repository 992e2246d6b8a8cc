// Pages whose rates stay, or wander, and the memory that is chosen for them.
#include "refresh/memory_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "refresh/change_rate.h"

namespace opic::refresh {
namespace {

constexpr double kDay = 86'400;
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

PageId Page(uint64_t number) { return {ShardId{3}, number}; }

// Pages that are read once in ten days or so. Now and then (`mean_life` in days; 0: never) a page's
// rate becomes another one, from a change in 2 to 200 days.
class Web {
 public:
  Web(uint32_t pages, double mean_life, uint64_t seed) : mean_life_(mean_life), rng_(seed) {
    for (uint32_t i = 0; i < pages; ++i) pages_.push_back({AnyRate(), kStart});
  }

  // Reads every page `times` times, and returns how often the choice became another one.
  int Read(int times, bool dates, MemoryChoice& choice) {
    int switches = 0;
    for (int round = 0; round < times; ++round) {
      for (uint32_t i = 0; i < pages_.size(); ++i) {
        const size_t before = choice.chosen();
        choice.Observe(Page(i), See(pages_[i], dates), prior_);
        switches += choice.chosen() != before ? 1 : 0;
      }
    }
    return switches;
  }

 private:
  struct Seen {
    double rate;  // changes a day
    absl::Time at;
  };
  double AnyRate() { return 0.005 * std::exp(std::log(100) * rng_.Uniform()); }

  ChangeObservation See(Seen& page, bool dates) {
    const double days = 5 + 10 * rng_.Uniform();
    if (mean_life_ > 0 && rng_.Uniform() < days / mean_life_) page.rate = AnyRate();
    const double back = -std::log(1 - rng_.Uniform()) / page.rate;
    ChangeObservation seen{.previous = page.at, .fetched = page.at + absl::Seconds(days * kDay)};
    seen.changed = back < days;
    if (dates && seen.changed) seen.last_change = seen.fetched - absl::Seconds(back * kDay);
    page.at = seen.fetched;
    return seen;
  }

  const double mean_life_;
  base::Rng rng_;
  std::vector<Seen> pages_;
  const RateDistribution prior_ = RateDistribution::About(0.1 / kDay);
};

bool IsUnlimited(const MemoryChoice& choice) {
  return choice.memory().drift == 0 && choice.memory().changes > 10'000;
}
double DriftPerYear(const MemoryChoice& choice) { return choice.memory().drift * 365 * kDay; }

TEST(MemoryChoice, KeepsTheDefaultUntilItHasSeenEnough) {
  MemoryChoice choice;
  EXPECT_EQ(choice.memory(), ChangeMemory{});
  Web(900, 0, 1).Read(2, true, choice);  // of which one half predicts nothing
  EXPECT_EQ(choice.memory(), ChangeMemory{});
}

TEST(MemoryChoice, ForgetsNothingWhereRatesStay) {
  for (const bool dates : {false, true}) {
    MemoryChoice choice;
    Web(1000, 0, 1).Read(30, dates, choice);
    EXPECT_TRUE(IsUnlimited(choice)) << choice.chosen();
  }
}

TEST(MemoryChoice, ForgetsWhereRatesBecomeOthers) {
  for (const bool dates : {false, true}) {
    MemoryChoice slow, fast;
    Web(1000, 1000, 1).Read(25, dates, slow);
    Web(1000, 60, 1).Read(10, dates, fast);
    EXPECT_FALSE(IsUnlimited(slow));
    EXPECT_GE(DriftPerYear(fast), 2);
    EXPECT_GT(DriftPerYear(fast), DriftPerYear(slow));
  }
}

// What rates do may change, too.
TEST(MemoryChoice, FollowsRatesThatBeginToWander) {
  MemoryChoice choice;
  Web(1000, 0, 1).Read(15, true, choice);
  EXPECT_TRUE(IsUnlimited(choice));
  Web(1000, 60, 2).Read(15, true, choice);
  EXPECT_GE(DriftPerYear(choice), 2);
}

TEST(MemoryChoice, ChangesItsMindSeldom) {
  for (const double mean_life : {0.0, 300.0}) {
    MemoryChoice choice;
    EXPECT_LE(Web(250, mean_life, 1).Read(120, false, choice), 4);
  }
}

TEST(MemoryChoice, IsTheSameForTheSamePages) {
  MemoryChoice a, b;
  EXPECT_EQ(Web(500, 300, 7).Read(20, true, a), Web(500, 300, 7).Read(20, true, b));
  EXPECT_EQ(a.chosen(), b.chosen());
  EXPECT_EQ(a.pages(), b.pages());
}

TEST(MemoryChoice, SamplesNoMorePagesThanItMay) {
  MemoryChoice choice;
  Web(10 * MemoryChoice::kPagesMax, 0, 1).Read(1, false, choice);
  EXPECT_LE(choice.pages(), MemoryChoice::kPagesMax);
  EXPECT_GE(choice.pages(), MemoryChoice::kPagesMax / 3);
}

// Pages that are not read any more make room, or in the end none that is would be left.
TEST(MemoryChoice, LetsGoOfPagesThatAreNotSeenAnyMore) {
  MemoryChoice choice;
  const RateDistribution prior = UnknownRate();
  const auto read = [&](uint64_t from, absl::Time at) {
    for (uint64_t i = 0; i < MemoryChoice::kPagesMax; ++i) {
      choice.Observe(Page(from + i), {.previous = at - absl::Hours(24), .fetched = at}, prior);
    }
  };
  for (uint64_t turn = 0; turn < 8; ++turn) {
    read(turn * MemoryChoice::kPagesMax, kStart + turn * absl::Hours(24 * 500));
    EXPECT_GE(choice.pages(), MemoryChoice::kPagesMax);
  }
}

TEST(MemoryChoice, IsKeptInAByte) {
  MemoryChoice choice;
  Web(1000, 0, 1).Read(15, true, choice);
  EXPECT_NE(choice.memory(), ChangeMemory{});
  const std::optional<MemoryChoice> again = MemoryChoice::Decode(choice.Encode());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->memory(), choice.memory());
  for (const char* bytes : {"", "\x07", "\xff", "\x01\x01"}) {
    EXPECT_FALSE(MemoryChoice::Decode(bytes).has_value());
  }
}

// A few pages that break all rules do not decide for the others, and leave no sum that is no
// number.
TEST(MemoryChoice, TakesAnyObservation) {
  MemoryChoice choice;
  base::Rng rng(1);
  const std::vector<absl::Time> times = {absl::InfinitePast(),      absl::InfiniteFuture(),
                                         absl::FromUnixSeconds(0),  kStart,
                                         kStart + absl::Seconds(1), kStart + absl::Hours(1'000'000),
                                         kStart - absl::Seconds(1), kStart + absl::Nanoseconds(1)};
  const auto any = [&] { return times[rng.Below(times.size())]; };
  RateDistribution nothing;
  nothing.weights.fill(0);
  for (int i = 0; i < 5'000; ++i) {
    ChangeObservation seen{.previous = any(), .fetched = any(), .changed = rng.Below(2) == 0};
    if (rng.Below(2) == 0) seen.last_change = any();
    choice.Observe(Page(rng.Below(20)), seen, rng.Below(4) == 0 ? nothing : UnknownRate());
    ASSERT_LT(choice.chosen(), MemoryChoice::Candidates().size());
  }
  EXPECT_LE(choice.pages(), 20);
  Web(1000, 60, 1).Read(15, true, choice);
  EXPECT_GE(DriftPerYear(choice), 2);
}

}  // namespace
}  // namespace opic::refresh
