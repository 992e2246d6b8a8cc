#include "base/encoding.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace opic::base {
namespace {

template <typename Int>
void AppendLittle(std::string& out, Int value) {
  for (size_t i = 0; i < sizeof(Int); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

template <typename Int>
void AppendLeb128(std::string& out, Int value) {
  std::array<char, (8 * sizeof(Int) + 6) / 7> bytes;
  size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
  bytes[size++] = static_cast<char>(value);
  out.append(bytes.data(), size);  // at once: each append looks whether there is room
}

template <typename Int>
Int LittleOf(std::string_view bytes) {
  Int value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

void AppendFixed32(std::string& out, uint32_t value) { AppendLittle(out, value); }
void AppendFixed64(std::string& out, uint64_t value) { AppendLittle(out, value); }
void AppendBig64(std::string& out, uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
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

std::string_view Decoder::Raw(size_t size) {
  if (!ok_ || rest_.size() < size) {
    Fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

uint8_t Decoder::Byte() {
  const std::string_view bytes = Raw(1);
  return bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
}

uint32_t Decoder::Fixed32() { return LittleOf<uint32_t>(Raw(4)); }
uint64_t Decoder::Fixed64() { return LittleOf<uint64_t>(Raw(8)); }

uint64_t Decoder::Big64() {
  uint64_t value = 0;
  for (char byte : Raw(8)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

int64_t Decoder::Zigzag() {
  const uint64_t word = Varint();
  return static_cast<int64_t>(word >> 1 ^ -(word & 1));
}

unsigned __int128 Decoder::Varint128() {
  unsigned __int128 value = 0;
  for (int shift = 0; shift < 128; shift += 7) {
    const uint8_t byte = Byte();
    if (!ok_) return 0;
    const unsigned __int128 part = byte & 0x7f;
    if (shift > 121 && (part >> (128 - shift)) != 0) break;  // does not fit
    value |= part << shift;
    if (byte < 0x80) return value;
  }
  Fail();
  return 0;
}

uint64_t Decoder::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = Byte();
    if (!ok_) return 0;
    const uint64_t part = byte & 0x7f;
    if (shift == 63 && part > 1) break;  // does not fit
    value |= part << shift;
    if (byte < 0x80) return value;
  }
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
