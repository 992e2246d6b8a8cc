#include "links/occurrences.h"

#include <gtest/gtest.h>

namespace opic::links {
namespace {

// Elements whose search begins at the same slot.
uint64_t Element(uint64_t number) { return (number << 32) + 7; }

TEST(OccurrencesTest, AreCountedByElement) {
  Occurrences occurrences(4);
  EXPECT_EQ(occurrences.Before(Element(1)), 0u);
  EXPECT_EQ(occurrences.Before(Element(2)), 0u);
  EXPECT_EQ(occurrences.Before(Element(1)), 1u);
  EXPECT_EQ(occurrences.Before(Element(1)), 2u);
  EXPECT_EQ(occurrences.Before(Element(2)), 1u);
}

TEST(OccurrencesTest, ThereIsRoomForAsManyAsWereExpected) {
  for (const size_t elements : {1, 2, 3, 5, 64, 1000}) {
    Occurrences occurrences(elements);
    for (uint64_t i = 1; i <= elements; ++i) EXPECT_EQ(occurrences.Before(i << 32 | i), 0u);
    for (uint64_t i = 1; i <= elements; ++i) EXPECT_EQ(occurrences.Before(i << 32 | i), 1u);
  }
}

TEST(OccurrencesTest, OfMoreElementsThanExpectedSomeFindNoRoom) {
  Occurrences occurrences(32);  // 64 slots, of which 48 are filled
  size_t counted = 0;
  for (uint64_t i = 1; i <= 100; ++i) occurrences.Before(i << 32 | i);
  for (uint64_t i = 1; i <= 100; ++i) counted += occurrences.Before(i << 32 | i);
  EXPECT_EQ(counted, 48u);
}

// A page of 10 MB of such words took minutes.
TEST(OccurrencesTest, ThoseThatBeginAtOnePlaceAreNotSearchedForWithoutLimit) {
  constexpr uint64_t kElements = 10'000;
  Occurrences occurrences(kElements);
  for (uint64_t i = 1; i <= kElements; ++i) EXPECT_EQ(occurrences.Before(Element(i)), 0u);
  uint64_t counted = 0;
  for (uint64_t i = 1; i <= kElements; ++i) counted += occurrences.Before(Element(i));
  EXPECT_EQ(counted, Occurrences::kLookedAtMax);
  EXPECT_EQ(occurrences.Before(Element(kElements + 1) + 5000), 0u);
  EXPECT_EQ(occurrences.Before(Element(kElements + 1) + 5000), 1u);  // elsewhere there is room
}

}  // namespace
}  // namespace opic::links
