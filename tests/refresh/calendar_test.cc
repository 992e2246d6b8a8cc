#include "refresh/calendar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/rng.h"
#include "tests/refresh/memory_calendar_store.h"

namespace opic::refresh {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

PageId Page(uint64_t number) { return PageId(ShardAt(number % 7), number); }

class CalendarTest : public testing::Test {
 protected:
  void Open(absl::Time now) { calendar_.emplace(Calendar::Open(store_, now, options_).value()); }
  void Add(uint64_t page, absl::Duration in) {
    ASSERT_TRUE(calendar_->Add(Page(page), kStart + in).ok());
  }
  // The next entry at `now`, however many buckets have to be unpacked first.
  std::optional<CalendarEntry> Take(absl::Time now) {
    for (int i = 0; i < 100'000; ++i) {
      auto entry = calendar_->Take(now).value();
      if (entry || !calendar_->busy()) return entry;
    }
    ADD_FAILURE() << "a bucket that is never unpacked";
    return std::nullopt;
  }
  std::vector<uint64_t> TakeAll(absl::Time now) {
    std::vector<uint64_t> pages;
    while (const auto entry = Take(now)) {
      pages.push_back(entry->page.id());
      calendar_->Finish(*entry);
    }
    return pages;
  }

  MemoryCalendarStore store_;
  CalendarOptions options_;
  std::optional<Calendar> calendar_;
};

TEST_F(CalendarTest, GivesPagesWhenTheyAreDueAndInThatOrder) {
  Open(kStart);
  Add(1, absl::Hours(5));
  Add(2, absl::Seconds(70));
  Add(3, absl::Seconds(30));
  Add(4, absl::Hours(24 * 200));
  Add(5, absl::InfiniteDuration());
  EXPECT_EQ(TakeAll(kStart), std::vector<uint64_t>{});
  EXPECT_EQ(TakeAll(kStart + absl::Seconds(29)), std::vector<uint64_t>{});
  EXPECT_EQ(TakeAll(kStart + absl::Seconds(30)), std::vector<uint64_t>{3});
  EXPECT_EQ(TakeAll(kStart + absl::Hours(6)), (std::vector<uint64_t>{2, 1}));
  EXPECT_EQ(TakeAll(kStart + absl::Hours(24 * 199)), std::vector<uint64_t>{});
  EXPECT_EQ(TakeAll(kStart + absl::Hours(24 * 201)), std::vector<uint64_t>{4});
  EXPECT_EQ(TakeAll(kStart + absl::Hours(24 * 365 * 100)), std::vector<uint64_t>{});
  EXPECT_EQ(calendar_->in_memory(), 0);
}

// Against a sorted set of all entries: the same pages are due, and none comes more than a bucket
// out of order but those that were due when they came.
TEST_F(CalendarTest, GivesTheSameAsASortedSet) {
  options_ = {.bucket_seconds = 10, .buffered_max = 50, .chunk_max = 16};
  base::Rng rng(1);
  Open(kStart);
  std::multiset<CalendarEntry> model;
  absl::Time now = kStart;
  uint64_t number = 0;
  for (int step = 0; step < 3000; ++step) {
    for (uint64_t i = rng.Below(6); i > 0; --i) {
      const absl::Time due = now + absl::Seconds(std::exp2(24 * rng.Uniform()) - 50);
      ASSERT_TRUE(calendar_->Add(Page(++number), due).ok());
      model.insert({DueSecond(due), Page(number)});
    }
    now += absl::Seconds(std::exp2(12 * rng.Uniform()));
    if (rng.Below(10) == 0) {
      ASSERT_TRUE(calendar_->Save().ok());
    }
    ASSERT_LE(calendar_->in_memory(), 50u + 3 * 16u);
    while (const auto entry = Take(now)) {
      ASSERT_EQ(model.erase(*entry), 1) << step;
      ASSERT_LE(entry->due, DueSecond(now));
      calendar_->Finish(*entry);
    }
    ASSERT_TRUE(model.empty() || model.begin()->due > DueSecond(now)) << step;
  }
}

// Killed at any moment and opened again: whatever was added before the last Save and not finished
// comes again, some of it twice.
TEST_F(CalendarTest, LosesNothingThatWasSavedInACrash) {
  options_ = {.bucket_seconds = 10, .buffered_max = 30, .chunk_max = 8};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Rng rng(seed);
    store_ = {};
    std::set<CalendarEntry> saved, finished, added;
    absl::Time now = kStart;
    Open(now);
    for (int step = 0; step < 60; ++step) {
      for (uint64_t i = rng.Below(10); i > 0; --i) {
        const absl::Time due = now + absl::Seconds(rng.Below(5000));
        const PageId page = Page(rng.Below(1000));
        ASSERT_TRUE(calendar_->Add(page, due).ok());
        added.insert({DueSecond(due), page});
      }
      now += absl::Seconds(rng.Below(300));
      for (uint64_t i = rng.Below(12); i > 0; --i) {
        const auto entry = calendar_->Take(now).value();
        if (!entry || rng.Below(4) == 0) continue;  // some stay taken
        calendar_->Finish(*entry);
        finished.insert(*entry);
      }
      if (rng.Below(8) == 0) {
        ASSERT_TRUE(calendar_->Save().ok());
        saved = added;
      }
      if (rng.Below(12) > 0) continue;
      Open(now -
           absl::Seconds(rng.Below(2) * 100'000));  // sometimes with a clock that stepped back
      for (const CalendarEntry& entry : added) {
        if (!saved.contains(entry)) {
          ASSERT_TRUE(calendar_->Add(entry.page, absl::FromUnixSeconds(entry.due)).ok());
        }
      }
    }
    std::set<CalendarEntry> left;
    Open(now);
    for (const CalendarEntry& entry : added) {
      if (!saved.contains(entry)) left.insert(entry);
    }
    while (const auto entry = Take(now + absl::Hours(10))) left.insert(*entry);
    for (const CalendarEntry& entry : added) {
      ASSERT_TRUE(left.contains(entry) || finished.contains(entry)) << "seed " << seed;
    }
  }
}

TEST_F(CalendarTest, KeepsMemoryBoundedWhenAMillionPagesAreDueAtOnce) {
  options_ = {.buffered_max = 1000, .chunk_max = 256};
  Open(kStart);
  for (uint64_t page = 0; page < 1'000'000; ++page) {
    ASSERT_TRUE(calendar_->Add(Page(page), kStart - absl::Hours(1)).ok());
    ASSERT_LE(calendar_->in_memory(), 1256u);
  }
  for (int i = 0; i < 1'000'000; ++i) {
    const auto entry = Take(kStart);
    ASSERT_TRUE(entry.has_value());
    calendar_->Finish(*entry);
    ASSERT_LE(calendar_->in_memory(), 1600u);
  }
  EXPECT_EQ(Take(kStart), std::nullopt);
}

TEST_F(CalendarTest, IsMadeAgainFromRows) {
  Open(kStart);
  std::unordered_map<uint64_t, absl::Time> rows;
  base::Rng rng(3);
  for (uint64_t page = 0; page < 5000; ++page) {
    rows[page] = kStart + absl::Seconds(rng.Below(1'000'000));
    ASSERT_TRUE(calendar_->Add(Page(page), rows[page]).ok());
  }
  MemoryCalendarStore empty;
  Calendar again = Calendar::Open(empty, kStart).value();
  for (const auto& [page, due] : rows) ASSERT_TRUE(again.Add(Page(page), due).ok());
  for (int hour = 0; hour < 300; ++hour) {
    const absl::Time now = kStart + absl::Hours(hour);
    std::set<CalendarEntry> one, other;
    while (const auto entry = Take(now)) one.insert(*entry);
    for (int i = 0; i < 6000; ++i) {
      if (const auto entry = again.Take(now).value()) other.insert(*entry);
    }
    ASSERT_EQ(one, other);
  }
}

TEST_F(CalendarTest, RefusesADamagedChunk) {
  options_ = {.buffered_max = 100, .chunk_max = 64};
  for (size_t damage = 0; damage < 40; ++damage) {
    store_ = {};
    Open(kStart);
    for (uint64_t page = 0; page < 300; ++page) Add(page, absl::Hours(1));
    ASSERT_TRUE(calendar_->Save().ok());
    for (auto& [key, bytes] : store_.chunks) {
      if (damage % 2) {
        bytes.resize(damage);
      } else {
        bytes[damage] = static_cast<char>(bytes[damage] ^ 1 << damage % 8);
      }
    }
    Open(kStart);
    EXPECT_EQ(calendar_->Take(kStart + absl::Hours(2)).status().code(),
              absl::StatusCode::kDataLoss);
  }
}

TEST_F(CalendarTest, TellsErrorsOfItsStore) {
  Open(kStart);
  Add(1, absl::Hours(1));
  store_.fails = true;
  EXPECT_EQ(calendar_->Save().code(), absl::StatusCode::kUnavailable);
}

TEST_F(CalendarTest, LivesWithAnyTime) {
  const absl::Time times[] = {absl::InfinitePast(),
                              absl::FromUnixSeconds(-1),
                              absl::UnixEpoch(),
                              kStart,
                              absl::FromUnixSeconds(std::numeric_limits<int64_t>::max()),
                              absl::InfiniteFuture()};
  for (const absl::Time open : times) {
    for (const absl::Time due : times) {
      Open(open);
      ASSERT_TRUE(calendar_->Add(Page(1), due).ok());
      for (const absl::Time now : times) {
        const auto entry = Take(now);
        if (entry) {
          EXPECT_LE(entry->due, DueSecond(now));
        }
      }
    }
  }
}

}  // namespace
}  // namespace opic::refresh
