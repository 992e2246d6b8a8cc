#include "page_table/segment.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"

namespace opic::page_table {
namespace {

State CashOf(uint64_t bits) {
  return {cash::Cell::FromBits(static_cast<uint16_t>(bits)), (bits & 1) != 0, (bits & 2) != 0};
}

std::map<uint64_t, State> PagesOf(const Segment& segment) {
  std::map<uint64_t, State> pages;
  segment.ForEach([&](uint64_t id, Place place) { pages[id] = place.Get(); });
  return pages;
}

// Adds random pages of [first, first + 2^id_bits) until there is no room; tells which.
std::map<uint64_t, State> Fill(Segment& segment, uint64_t seed) {
  base::Rng rng(seed);
  std::map<uint64_t, State> pages;
  while (true) {
    const uint64_t id = segment.first() + (rng() >> (64 - segment.id_bits()));
    const State state = CashOf(rng());
    if (pages.contains(id)) continue;
    if (!segment.Add(id, state)) return pages;
    pages[id] = state;
  }
}

TEST(SegmentTest, GivesBackEveryIdAndStateExactlyWhenFull) {
  Arena arena;
  Segment segment(arena, 0, kPageIdBits, 640);
  const auto pages = Fill(segment, 1);
  EXPECT_EQ(PagesOf(segment), pages);
  for (const auto& [id, state] : pages) ASSERT_EQ(segment.Find(id).Get(), state);
}

TEST(SegmentTest, TakesItsLeastNumberOfLines) {
  EXPECT_EQ(Segment::LinesMin(kPageIdBits), 513u);
  Arena arena;
  Segment segment(arena, 0, kPageIdBits, 513);
  for (const uint64_t id : {uint64_t{0}, kPageIdCount - 1}) segment.Add(id, CashOf(9));
  EXPECT_EQ(PagesOf(segment),
            (std::map<uint64_t, State>{{0, CashOf(9)}, {kPageIdCount - 1, CashOf(9)}}));
}

// For line counts that do not divide the range, with ids at both edges of each line.
TEST(SegmentTest, FindsTheFirstAndLastIdOfEveryLine) {
  for (const uint64_t lines : {513u, 320u, 1000u, 4096u, 65'537u}) {
    const int id_bits = 40;
    const uint64_t first = uint64_t{5} << id_bits;
    const uint64_t width = ((uint64_t{1} << id_bits) + lines - 1) / lines;
    Arena arena;
    Segment segment(arena, first, id_bits, lines);
    for (uint64_t x = 0; x + width <= uint64_t{1} << id_bits; x += width) {
      const auto begin = segment.HomeOf(first + x), end = segment.HomeOf(first + x + width - 1);
      ASSERT_EQ(begin.line, x / width);
      ASSERT_EQ(end.line, x / width);
      ASSERT_EQ(begin.tag, 1u);
      ASSERT_EQ(end.tag, width);
    }
  }
}

TEST(SegmentTest, FillsBeyondTheLoadLimitBeforeItRefuses) {
  Arena arena;
  Segment segment(arena, 0, kPageIdBits, 1024);
  Fill(segment, 2);
  EXPECT_GT(segment.pages(), 0.98 * 1024 * kSlotsALine);
}

TEST(SegmentTest, RefusalChangesNothing) {
  Arena arena;
  Segment segment(arena, 0, kPageIdBits, 640);
  const auto pages = Fill(segment, 3);
  base::Rng rng(4);
  for (int i = 0; i < 100; ++i) {
    const uint64_t id = rng.Below(kPageIdCount);
    if (!segment.Find(id) && segment.Add(id, State())) segment.Find(id).Set(CashOf(77));
  }
  auto after = PagesOf(segment);
  for (const auto& page : pages) ASSERT_EQ(after[page.first], page.second);
}

TEST(SegmentTest, SortedAscendsAndHasEveryPage) {
  Arena arena;
  Segment segment(arena, uint64_t{3} << 44, 44, 640);
  const auto pages = Fill(segment, 5);
  std::vector<uint64_t> expected;
  for (const auto& [id, state] : pages) expected.push_back(id << State::kBits | state.bits());
  EXPECT_EQ(segment.Sorted(), expected);
}

TEST(SegmentTest, ShowsThePagesOfAPartOfItsRange) {
  constexpr int kIdBits = 40;
  constexpr uint64_t kFirst = uint64_t{3} << kIdBits, kLast = uint64_t{4} << kIdBits;
  Arena arena;
  Segment segment(arena, kFirst, kIdBits, 77);
  const auto pages = Fill(segment, 7);
  const uint64_t middle = (kFirst + kLast) / 2, some = pages.begin()->first;
  for (const auto& [first, last] : {std::pair(kFirst, middle), std::pair(middle, kLast),
                                    std::pair(kFirst, kLast), std::pair(some, some + 1)}) {
    std::map<uint64_t, State> shown;
    segment.ForEachIn(first, last, [&](uint64_t id, Place place) { shown[id] = place.Get(); });
    const std::map<uint64_t, State> wanted(pages.lower_bound(first), pages.lower_bound(last));
    EXPECT_EQ(shown, wanted) << first << " to " << last;
  }
}

TEST(SegmentTest, IsFilledWithThePagesWhoseFirstLineHasRoom) {
  Arena arena;
  Segment from(arena, 0, kPageIdBits, 640), filled(arena, 0, kPageIdBits, 700),
      added(arena, 0, kPageIdBits, 700);
  Fill(from, 8);
  std::vector<uint8_t> taken(filled.lines());
  uint64_t crowded = 0;
  from.ForEach([&](uint64_t id, Place place) {
    const bool has_room = filled.FillAtHome(id, place.Get(), taken);
    EXPECT_EQ(has_room, static_cast<bool>(added.AddAtHome(id, place.Get())));
    crowded += uint64_t{!has_room};
  });
  EXPECT_GT(crowded, 0u);
  EXPECT_EQ(filled.pages() + crowded, from.pages());
  EXPECT_EQ(PagesOf(filled), PagesOf(added));
}

TEST(PlaceTest, SettingAStateLeavesTheNeighboursAlone) {
  constexpr uint64_t kKeyMask = kAway | kTagMask;
  Line line{};
  for (int slot = 0; slot < kSlotsALine; ++slot) line.Put(slot, kKeyMask - slot, CashOf(slot));
  line.place(4).Set(CashOf(0xffff));
  for (int slot = 0; slot < kSlotsALine; ++slot) {
    EXPECT_EQ(line.key(slot), kKeyMask - slot);
    EXPECT_EQ(line.state(slot), CashOf(slot == 4 ? 0xffff : slot));
  }
  EXPECT_EQ(line.bytes[63], 0);
}

}  // namespace
}  // namespace opic::page_table
