#include "base/encoding.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "base/rng.h"

namespace opic::base {
namespace {

using Uint128 = unsigned __int128;

TEST(Encoding, FixedNumbersAreLittleEndian) {
  std::string out;
  AppendFixed32(out, 0x04030201);
  AppendFixed64(out, 0x0c0b0a0908070605);
  EXPECT_EQ(out, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c");
}

// Keys are compared as bytes: the order of numbers must be theirs.
TEST(Encoding, BigEndianKeysSortAsNumbersDo) {
  EXPECT_EQ(Big64(0x0102030405060708), "\x01\x02\x03\x04\x05\x06\x07\x08");
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = rng() >> rng.Below(64), b = rng() >> rng.Below(64);
    EXPECT_EQ(a < b, Big64(a) < Big64(b));
  }
}

TEST(Encoding, VarintsTakeSevenBitsAByte) {
  const auto encoded = [](uint64_t value) {
    std::string out;
    AppendVarint(out, value);
    return out;
  };
  EXPECT_EQ(encoded(0), std::string(1, '\0'));
  EXPECT_EQ(encoded(127), "\x7f");
  EXPECT_EQ(encoded(128), "\x80\x01");
  EXPECT_EQ(encoded(300), "\xac\x02");
  EXPECT_EQ(encoded(~uint64_t{0}).size(), 10u);
}

TEST(Encoding, ZigzagIsShortNearZeroOfEitherSign) {
  for (const auto& [value, size] : {std::pair<int64_t, size_t>{0, 1},
                                    {-64, 1},
                                    {63, 1},
                                    {64, 2},
                                    {std::numeric_limits<int64_t>::min(), 10},
                                    {std::numeric_limits<int64_t>::max(), 10}}) {
    std::string out;
    AppendZigzag(out, value);
    EXPECT_EQ(out.size(), size) << value;
    EXPECT_EQ(Decoder(out).Zigzag(), value);
  }
}

TEST(Encoding, EveryNumberIsReadBack) {
  Rng rng(2);
  for (int i = 0; i < 2000; ++i) {
    const uint64_t value = rng() >> rng.Below(64);
    const Uint128 wide = (Uint128{rng()} << 64 | rng()) >> rng.Below(128);
    std::string out;
    AppendVarint(out, value);
    AppendVarint128(out, wide);
    AppendFixed32(out, static_cast<uint32_t>(value));
    AppendFixed64(out, value);
    AppendBig64(out, value);
    Decoder in(out);
    EXPECT_EQ(in.Varint(), value);
    EXPECT_TRUE(in.Varint128() == wide);
    EXPECT_EQ(in.Fixed32(), static_cast<uint32_t>(value));
    EXPECT_EQ(in.Fixed64(), value);
    EXPECT_EQ(in.Big64(), value);
    EXPECT_TRUE(in.done());
  }
}

TEST(Encoding, TheLargestVarintsFitAndOneMoreDoesNot) {
  std::string largest;
  AppendVarint128(largest, ~Uint128{0});
  EXPECT_EQ(largest.size(), 19u);
  EXPECT_TRUE(Decoder(largest).Varint128() == ~Uint128{0});
  largest.back() = '\x04';  // bit 128
  Decoder wide(largest);
  wide.Varint128();
  EXPECT_FALSE(wide.ok());

  Decoder narrow("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");  // bit 64
  narrow.Varint();
  EXPECT_FALSE(narrow.ok());
}

TEST(Encoding, AVarintThatNeverEndsIsRefused) {
  const std::string endless(1000, '\xff');
  Decoder narrow(endless), wide(endless);
  narrow.Varint();
  wide.Varint128();
  EXPECT_FALSE(narrow.ok());
  EXPECT_FALSE(wide.ok());
}

TEST(Encoding, BytesMayHoldAnything) {
  const std::string text("a\0b\xff", 4);
  std::string out;
  AppendBytes(out, text);
  AppendBytes(out, "");
  Decoder in(out);
  EXPECT_EQ(in.Bytes(), text);
  EXPECT_EQ(in.Bytes(), "");
  EXPECT_TRUE(in.done());
}

TEST(Decoder, ALengthBeyondTheEndIsRefused) {
  std::string out;
  AppendVarint(out, ~uint64_t{0});
  out += "short";
  Decoder in(out);
  EXPECT_EQ(in.Bytes(), "");
  EXPECT_FALSE(in.ok());
}

// After the first bad read nothing is believed, even what would fit.
TEST(Decoder, StaysFailed) {
  Decoder in("abc");
  EXPECT_EQ(in.Fixed64(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.Byte(), 0);
  EXPECT_EQ(in.Raw(0), "");
  EXPECT_FALSE(in.done());
}

TEST(Decoder, IsDoneOnlyAtTheVeryEnd) {
  Decoder in("ab");
  in.Byte();
  EXPECT_TRUE(in.ok());
  EXPECT_FALSE(in.done());
  EXPECT_EQ(in.rest(), "b");
  in.Byte();
  EXPECT_TRUE(in.done());
}

// Exact-size buffers, so that a sanitizer sees a read past the end.
TEST(Decoder, NeverReadsPastTheEndOfAnyBytes) {
  Rng rng(3);
  for (int i = 0; i < 3000; ++i) {
    const size_t size = rng.Below(24);
    const std::unique_ptr<char[]> bytes(new char[size]);
    for (size_t at = 0; at < size; ++at) bytes[at] = static_cast<char>(rng());
    Decoder in(std::string_view(bytes.get(), size));
    for (int read = 0; read < 8; ++read) {
      switch (rng.Below(7)) {
        case 0:
          in.Byte();
          break;
        case 1:
          in.Fixed32();
          break;
        case 2:
          in.Fixed64();
          break;
        case 3:
          in.Big64();
          break;
        case 4:
          in.Varint();
          break;
        case 5:
          in.Varint128();
          break;
        case 6:
          in.Bytes();
          break;
      }
      EXPECT_LE(in.rest().size(), size);
    }
  }
}

// Page ids on disk are cut from this hash: it may never change.
TEST(Hash64, IsStable) {
  EXPECT_EQ(Hash64(""), 0x2d06800538d394c2u);
  EXPECT_NE(Hash64("opic", 1), Hash64("opic", 2));
  EXPECT_NE(Hash64("opic"), Hash64("opid"));
}

}  // namespace
}  // namespace opic::base
