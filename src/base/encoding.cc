#include "base/encoding.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace opic::base {
namespace {

// Bytes are appended at once: each append looks whether there is room.
template <typename Int>
void AppendLittle(std::string& out, Int value) {
  std::array<char, sizeof(Int)> bytes;
  for (size_t i = 0; i < sizeof(Int); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes.data(), bytes.size());
}

// How many bytes the longest varint of an Int has.
template <typename Int>
constexpr size_t kVarintBytesMax = (8 * sizeof(Int) + 6) / 7;

template <typename Int>
void AppendLeb128(std::string& out, Int value) {
  std::array<char, kVarintBytesMax<Int>> bytes;
  size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
  bytes[size++] = static_cast<char>(value);
  out.append(bytes.data(), size);
}

// 0 if they are too few.
template <typename Int>
Int LittleOf(std::string_view bytes) {
  if (bytes.size() < sizeof(Int)) return 0;
  Int value = 0;
  for (size_t i = sizeof(Int); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

// Takes a varint off the front of `rest`. False: that does not begin with one that fits.
template <typename Int>
bool TakeLeb128(std::string_view& rest, Int& value) {
  value = 0;
  const size_t bytes = std::min(rest.size(), kVarintBytesMax<Int>);
  for (size_t i = 0; i < bytes; ++i) {
    const auto byte = static_cast<uint8_t>(rest[i]);
    value |= static_cast<Int>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    if (i + 1 == kVarintBytesMax<Int> && byte >> (8 * sizeof(Int) - 7 * i) != 0) return false;
    rest.remove_prefix(i + 1);
    return true;
  }
  return false;
}

}  // namespace

void AppendFixed32(std::string& out, uint32_t value) { AppendLittle(out, value); }
void AppendFixed64(std::string& out, uint64_t value) { AppendLittle(out, value); }
void AppendBig64(std::string& out, uint64_t value) {
  std::array<char, 8> bytes;
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (56 - 8 * i));
  out.append(bytes.data(), bytes.size());
}
void AppendVarint(std::string& out, uint64_t value) { AppendLeb128(out, value); }
void AppendVarint128(std::string& out, unsigned __int128 value) { AppendLeb128(out, value); }
void AppendZigzag(std::string& out, int64_t value) {
  AppendVarint(out, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}

void AppendBytes(std::string& out, std::string_view bytes) {
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

std::string Big64(uint64_t value) {
  std::string out;
  AppendBig64(out, value);
  return out;
}

uint32_t Decoder::Fixed32() { return LittleOf<uint32_t>(Raw(4)); }
uint64_t Decoder::Fixed64() { return LittleOf<uint64_t>(Raw(8)); }

uint64_t Decoder::Big64() { return __builtin_bswap64(Fixed64()); }

int64_t Decoder::Zigzag() {
  const uint64_t word = Varint();
  return static_cast<int64_t>(word >> 1 ^ -(word & 1));
}

unsigned __int128 Decoder::Varint128() {
  unsigned __int128 value;
  if (TakeLeb128(rest_, value)) return value;
  Fail();
  return 0;
}

uint64_t Decoder::Varint() {
  uint64_t value;
  if (TakeLeb128(rest_, value)) return value;
  Fail();
  return 0;
}

std::string_view Decoder::Bytes() {
  const uint64_t size = Varint();
  if (size > rest_.size()) {
    Fail();
    return {};
  }
  return Raw(size);
}

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace opic::base
