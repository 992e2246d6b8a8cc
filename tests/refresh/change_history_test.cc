#include "refresh/change_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

#include "base/rng.h"
#include "tests/refresh/hostile_history.h"

namespace opic::refresh {
namespace {

constexpr absl::Duration kDay = absl::Hours(24);
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

// A page visited once a day; `date` is the age of its last change at the fetch.
ChangeObservation Daily(int day, bool changed, std::optional<absl::Duration> age = std::nullopt) {
  ChangeObservation seen{.previous = kStart + (day - 1) * kDay, .fetched = kStart + day * kDay};
  seen.changed = changed;
  if (age) seen.last_change = seen.fetched - *age;
  return seen;
}

TEST(ChangeHistory, AddsUpTheStatisticsOfTheLikelihood) {
  ChangeHistory history;
  const ChangeMemory all = ChangeMemory::Unlimited();
  history.Observe(Daily(1, false), all);
  history.Observe(Daily(2, true, absl::Hours(6)), all);
  history.Observe(Daily(3, true), all);
  EXPECT_EQ(history.dated_changes(), 1);
  EXPECT_EQ(history.age_seconds(), 6 * 3600);
  EXPECT_EQ(history.quiet_intervals(), 1);
  EXPECT_EQ(history.quiet_seconds(), 86400);
  EXPECT_EQ(history.undated_changes(), 1);
  EXPECT_EQ(history.undated_seconds(), 86400);
}

TEST(ChangeHistory, TakesNoDateThatCannotBeTrue) {
  const struct {
    ChangeObservation seen;
    DateUse use;
  } cases[] = {
      {Daily(1, true), DateUse::kMissing},
      {Daily(1, true, absl::Hours(1)), DateUse::kUsed},
      {Daily(1, true, absl::Hours(-1)), DateUse::kFuture},
      {Daily(1, true, absl::Seconds(1)), DateUse::kFetchTime},
      {Daily(1, true, absl::ZeroDuration()), DateUse::kFetchTime},
      {Daily(1, true, kDay), DateUse::kBeforePrevious},
      {Daily(1, true, 300 * kDay), DateUse::kBeforePrevious},
      {Daily(1, true, 20'000 * kDay), DateUse::kTooOld},
      {Daily(1, true, absl::InfiniteDuration()), DateUse::kTooOld},
      {Daily(1, true, -absl::InfiniteDuration()), DateUse::kFuture},
      {Daily(1, false, absl::Hours(1)), DateUse::kAfterPrevious},
      {Daily(1, false, 30 * kDay), DateUse::kConsistent},
  };
  for (const auto& [seen, use] : cases) {
    ChangeHistory history;
    EXPECT_EQ(history.Observe(seen), use);
    EXPECT_EQ(history.dated_changes(), use == DateUse::kUsed ? 1 : 0);
    // What is refused as a date is still a visit that saw a change, or none.
    EXPECT_EQ(history.undated_changes(), seen.changed && use != DateUse::kUsed ? 1 : 0);
    EXPECT_EQ(history.quiet_intervals(), seen.changed ? 0 : 1);
  }
}

// The age of the last change at the first fetch is exponential, too (thesis 4.2).
TEST(ChangeHistory, TakesTheDateOfTheFirstFetchAndNothingElseOfIt) {
  ChangeHistory history;
  EXPECT_EQ(history.Observe({.fetched = kStart, .changed = true}), DateUse::kMissing);
  EXPECT_EQ(history.Observe({.fetched = kStart, .last_change = kStart + kDay}), DateUse::kFuture);
  EXPECT_TRUE(history.empty());
  EXPECT_EQ(history.Observe({.fetched = kStart, .last_change = kStart - kDay}), DateUse::kUsed);
  EXPECT_EQ(history.dated_changes(), 1);
  EXPECT_EQ(history.age_seconds(), 86400);
}

TEST(ChangeHistory, LearnsNothingFromAnIntervalOfLessThanASecond) {
  for (const absl::Duration back :
       {absl::Milliseconds(-999), absl::ZeroDuration(), kDay, absl::InfiniteDuration()}) {
    for (const bool changed : {false, true}) {
      ChangeHistory history;
      history.Observe({.previous = kStart, .fetched = kStart - back, .changed = changed});
      EXPECT_TRUE(history.empty());
    }
  }
}

TEST(ChangeHistory, KeepsNumberMeanAndSpreadOfUndatedChanges) {
  base::Rng rng(1);
  ChangeHistory history;
  double sum = 0, squares = 0;
  for (int i = 0; i < 1000; ++i) {
    const double seconds = 3600 * std::exp2(6 * rng.Uniform());
    sum += seconds, squares += seconds * seconds;
    history.Observe(
        {.previous = kStart, .fetched = kStart + absl::Seconds(seconds), .changed = true},
        ChangeMemory::Unlimited());
    ASSERT_LE(history.clusters().size(), ChangeHistory::kClustersMax);
  }
  EXPECT_NEAR(history.undated_changes(), 1000, 1e-9);
  EXPECT_NEAR(history.undated_seconds(), sum, 1e-9 * sum);
  double kept = 0;
  for (const ChangeHistory::Cluster& one : history.clusters()) {
    kept += one.count * one.mean * one.mean * (1 + one.spread * one.spread);
  }
  EXPECT_NEAR(kept, squares, 1e-9 * squares);
}

TEST(ChangeHistory, ForgetsAndNeverCountsMoreThanItRemembers) {
  ChangeHistory history;
  const ChangeMemory memory{
      .changes = 10, .quiet_visits = 100, .seconds = std::numeric_limits<double>::infinity()};
  for (int day = 1; day < 5000; ++day) history.Observe(Daily(day, false), memory);
  EXPECT_NEAR(history.quiet_intervals(), 100, 1e-6);
  for (int day = 5000; day < 10'000; ++day) history.Observe(Daily(day, true), memory);
  EXPECT_NEAR(history.undated_changes(), 10, 1e-6);
  EXPECT_EQ(history.quiet_intervals(), 0);
}

// However seldom a page is read, what it showed three memories ago counts e^-3.
TEST(ChangeHistory, ForgetsByTime) {
  ChangeMemory memory = ChangeMemory::Unlimited();
  memory.seconds = 100 * 86'400;
  for (const int visits : {3, 30, 300}) {
    ChangeHistory history;
    history.Observe(Daily(1, true), memory);
    const double before = history.undated_changes();
    for (int visit = 1; visit <= visits; ++visit) {
      ChangeObservation seen = Daily(1, false);
      seen.previous = seen.fetched;
      seen.fetched = seen.previous + absl::Hours(24) * 300 / visits;
      history.Observe(seen, memory);
    }
    EXPECT_NEAR(history.undated_changes(), before * std::exp(-3), 1e-9) << visits;
  }
}

// As a Kalman filter: the variance that ln(rate) has of N changes and the prior, 1 / (1 + N), grows
// by the drift. A page that is read for long forgets as much as it sees.
TEST(ChangeHistory, ForgetsByDrift) {
  const double day = 86'400, drift = 0.01 / day;
  ChangeHistory history;
  history.Observe(Daily(1, true), ChangeMemory::Drifting(drift));
  history.Observe(Daily(2, false), ChangeMemory::Drifting(drift));
  EXPECT_NEAR(history.undated_changes(), 1 / (1 + 0.01 * 2), 1e-9);
  for (int i = 3; i < 200; ++i) history.Observe(Daily(i, true), ChangeMemory::Drifting(drift));
  const double n = history.undated_changes();
  EXPECT_NEAR(n / (1 + 0.01 * (1 + n)) + 1, n, 1e-6);
  EXPECT_NEAR(n, 10, 1);
}

// A memory of one change or of nonsense keeps the last observation.
TEST(ChangeHistory, LivesWithAnyMemory) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double odd : {0.0, 1.0, 0.5, -3.0, -1e300, -infinity, std::nan("")}) {
    ChangeHistory history, by_time;
    for (int day = 1; day < 9; ++day) {
      history.Observe(Daily(day, day % 2 == 0), {.changes = odd, .quiet_visits = odd});
      EXPECT_EQ(history.undated_changes() + history.quiet_intervals(), 1) << odd;
      if (odd == 1) continue;
      by_time.Observe(Daily(day, day % 2 == 0), {1e9, 1e9, odd / 1e9});
      EXPECT_NEAR(by_time.undated_changes() + by_time.quiet_intervals(), 1, 1e-9) << odd;
    }
    for (int day = 1; day < 9; ++day) {
      by_time.Observe(Daily(day, day % 2 == 0), ChangeMemory::Drifting(odd));
      EXPECT_GE(by_time.undated_changes() + by_time.quiet_intervals(), 1) << odd;
    }
  }
}

ChangeHistory Lived(base::Rng& rng, int visits, double dated) {
  ChangeHistory history;
  absl::Time now = kStart;
  for (int i = 0; i < visits; ++i) {
    const absl::Duration step = absl::Seconds(std::exp2(30 * rng.Uniform()));
    ChangeObservation seen{.previous = now, .fetched = now + step, .changed = rng.Uniform() < 0.5};
    if (rng.Uniform() < dated) seen.last_change = seen.fetched - rng.Uniform() * step;
    history.Observe(seen);
    now += absl::Seconds(1);
  }
  return history;
}

// A hundredth more: a sum is as many times the least interval as its count says, rounded or not, so
// the one of a count that is rounded up is rounded up with it.
void ExpectNear(double a, double b) { EXPECT_NEAR(a, b, std::abs(b) * 0x1.03p-16); }

TEST(ChangeHistoryEncoding, IsReadBackTo16BitsAndThenExactly) {
  base::Rng rng(2);
  for (int round = 0; round < 2000; ++round) {
    const ChangeHistory history = Lived(rng, static_cast<int>(rng.Below(300)), rng.Uniform());
    std::string bytes;
    history.Encode(bytes);
    ASSERT_LE(bytes.size(), ChangeHistory::kEncodedBytesMax);
    bytes += "rest";
    std::string_view view = bytes;
    const std::optional<ChangeHistory> read = ChangeHistory::Decode(view);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(view, "rest");
    ExpectNear(read->dated_changes(), history.dated_changes());
    ExpectNear(read->age_seconds(), history.age_seconds());
    ExpectNear(read->quiet_intervals(), history.quiet_intervals());
    ExpectNear(read->quiet_seconds(), history.quiet_seconds());
    ASSERT_EQ(read->clusters().size(), history.clusters().size());
    std::string again;
    read->Encode(again);
    EXPECT_EQ(again + "rest", bytes);
    std::string_view second = again;
    EXPECT_EQ(ChangeHistory::Decode(second), read);
  }
}

TEST(ChangeHistoryEncoding, HasTheLayoutThatItsHeaderTells) {
  ChangeHistory history;
  std::string bytes;
  history.Encode(bytes);
  EXPECT_EQ(bytes, std::string(1, '\0'));
  history.Observe(Daily(1, true, absl::Seconds(3)));
  bytes.clear();
  history.Encode(bytes);
  // 8; 1.0 is 3f800000, 3.0 is 40400000.
  EXPECT_EQ(bytes, std::string("\x08\x00\x80\x3f\x00\x40\x40", 7));
}

TEST(ChangeHistoryEncoding, RefusesEveryTruncation) {
  base::Rng rng(3);
  std::string bytes;
  Lived(rng, 50, 0.5).Encode(bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_EQ(ChangeHistory::Decode(cut), std::nullopt);
    EXPECT_EQ(cut.size(), size);
  }
}

bool IsAccepted(char shape, std::initializer_list<float> numbers, const std::string& spread = "") {
  std::string bytes(1, shape);
  for (const float number : numbers) bytes += StoredFloat(number);
  bytes += spread;
  std::string_view view = bytes;
  return ChangeHistory::Decode(view).has_value() && view.empty();
}

TEST(ChangeHistoryEncoding, RefusesWhatNoObservationGives) {
  const std::string spread(2, '\0');
  for (const char shape : {8, 16, 1}) {
    const std::string rest = shape == 1 ? spread : "";
    const bool is_sum = shape != 1;
    const auto seconds = [is_sum](float count, float each) { return is_sum ? count * each : each; };
    for (const float count : {1.1e-6f, 1.0f, 16.0f, 1e6f}) {
      EXPECT_TRUE(IsAccepted(shape, {count, seconds(count, 2)}, rest)) << count;
      EXPECT_TRUE(IsAccepted(shape, {count, seconds(count, 0x1p31f)}, rest)) << count;
      EXPECT_FALSE(IsAccepted(shape, {count, seconds(count, 0x1.01p31f)}, rest)) << count;
      EXPECT_FALSE(IsAccepted(shape, {count, seconds(count, 0.99f)}, rest)) << count;
    }
    EXPECT_FALSE(IsAccepted(shape, {0.9e-6f, seconds(0.9e-6f, 100)}, rest));
    EXPECT_FALSE(IsAccepted(shape, {0x1p70f, seconds(0x1p70f, 100)}, rest));
  }
  EXPECT_FALSE(IsAccepted(8, {1, 1.9f}));  // a date of the moment before the fetch is refused
}

// What is stored is read again, however often that happens and whatever was seen.
TEST(ChangeHistoryEncoding, IsReadBackAfterEveryVisitOfALongLife) {
  base::Rng rng(8);
  for (const double seconds : {1.0, 0x1p31}) {
    for (const ChangeMemory memory :
         {ChangeMemory(), ChangeMemory::Unlimited(), ChangeMemory{1e9, 1e9}, ChangeMemory{1, 1}}) {
      ChangeHistory history;
      for (int visit = 0; visit < 20'000; ++visit) {
        ChangeObservation seen{.previous = kStart, .fetched = kStart + absl::Seconds(seconds)};
        seen.changed = rng.Below(2);
        if (rng.Below(3) == 0) seen.last_change = seen.fetched - absl::Seconds(seconds - 0.5);
        history.Observe(seen, memory);
        std::string bytes;
        history.Encode(bytes);
        std::string_view view = bytes;
        const std::optional<ChangeHistory> read = ChangeHistory::Decode(view);
        ASSERT_TRUE(read.has_value()) << visit;
        history = *read;
      }
    }
  }
}

TEST(ChangeHistoryEncoding, LivesOnAfterAnyBytesThatItAccepts) {
  base::Rng rng(4);
  int accepted = 0;
  for (int round = 0; round < 200'000; ++round) {
    const std::string bytes = HostileHistory(rng) + "rest";
    std::string_view view = bytes;
    std::optional<ChangeHistory> history = ChangeHistory::Decode(view);
    if (!history) continue;
    ++accepted;
    std::string again;
    history->Encode(again);
    EXPECT_EQ(again + std::string(view), bytes);
    history->Observe(Daily(1, true));
    history->Observe(Daily(2, false));
    EXPECT_LT(history->undated_seconds() + history->quiet_seconds() + history->age_seconds(),
              std::numeric_limits<double>::infinity());
    again.clear();
    history->Encode(again);
    EXPECT_LE(again.size(), ChangeHistory::kEncodedBytesMax);
  }
  EXPECT_GT(accepted, 100'000);
}

}  // namespace
}  // namespace opic::refresh
