#include "page_table/lanes.h"

#include <gtest/gtest.h>

#include <array>

#include "base/rng.h"

namespace opic::page_table::lanes {
namespace {

// Numbers that are often equal and often at an edge.
class LanesTest : public testing::Test {
 protected:
  void Shuffle() {
    for (uint8_t& byte : bytes_) {
      constexpr std::array<uint8_t, 6> kEdges = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
      byte = kEdges[rng_.Below(sides_)];
    }
  }

  base::Rng rng_{1};
  uint64_t sides_ = 6;
  std::array<uint8_t, 64> bytes_{};
};

TEST_F(LanesTest, BothFormsSayTheSame) {
  for (int i = 0; i < 100'000; ++i) {
    sides_ = 1 + rng_.Below(6);
    Shuffle();
    const uint8_t* nine = bytes_.data() + 6 + rng_.Below(16);
    const int one = static_cast<int>(rng_.Below(9));
    const auto of_four = NumberAt<uint32_t>(nine, one);
    const auto of_two = static_cast<uint16_t>(NumberAt<uint16_t>(nine, one) + rng_.Below(2));
    const auto mask = static_cast<uint8_t>(rng_());
    const auto of_one = static_cast<uint8_t>(nine[one] & mask);
    ASSERT_EQ(Best::Equal32(nine, of_four), Plain::Equal32(nine, of_four));
    ASSERT_EQ(Best::AtLeast16(nine, of_two), Plain::AtLeast16(nine, of_two));
    ASSERT_EQ(Best::Masked8(nine, mask, of_one), Plain::Masked8(nine, mask, of_one));
  }
}

TEST_F(LanesTest, EachNumberHasItsBit) {
  for (int i = 0; i < 9; ++i) {
    bytes_ = {};
    bytes_[static_cast<size_t>(4 * i + 3)] = 0x80;
    EXPECT_EQ(Best::Equal32(bytes_.data(), 0x8000'0000), 1u << i);
    bytes_ = {};
    bytes_[static_cast<size_t>(2 * i + 1)] = 0x80;
    EXPECT_EQ(Best::AtLeast16(bytes_.data(), 0x8000), 1u << i);
    EXPECT_EQ(Best::AtLeast16(bytes_.data(), 0), 0x1ffu);
    bytes_ = {};
    bytes_[static_cast<size_t>(6 + i)] = 0xff;
    EXPECT_EQ(Best::Masked8(bytes_.data() + 6, 0x80, 0x80), 1u << i);
  }
}

}  // namespace
}  // namespace opic::page_table::lanes
