// Byte encoding of everything stored or sent: fixed-width integers, LEB128 varints, length-prefixed
// strings.
//
// Appenders write to a std::string. A Decoder reads from a view that it does not own and never past
// its end: the first bad read makes it not ok() and every later read returns zero or empty, so that
// a decoding function checks once, at its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::base {

void AppendFixed32(std::string& out, uint32_t value);  // little-endian
void AppendFixed64(std::string& out, uint64_t value);  // little-endian
void AppendBig64(std::string& out, uint64_t value);    // big-endian: keys sort as numbers do
void AppendVarint(std::string& out, uint64_t value);   // 1 to 10 bytes
void AppendVarint128(std::string& out, unsigned __int128 value);  // 1 to 19 bytes
// 1 to 10 bytes, few for values near zero of either sign: 0, -1, 1, -2, ... as varints 0, 1, 2, 3.
void AppendZigzag(std::string& out, int64_t value);
void AppendBytes(std::string& out, std::string_view bytes);  // varint length, then the bytes
std::string Big64(uint64_t value);

// Thread safety: confined to the owner thread.
class Decoder {
 public:
  // `bytes` must outlive the decoder and the views it returns.
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  uint8_t Byte() {
    const std::string_view bytes = Raw(1);
    return bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  }
  uint32_t Fixed32();
  uint64_t Fixed64();
  uint64_t Big64();
  uint64_t Varint();
  unsigned __int128 Varint128();
  int64_t Zigzag();
  std::string_view Bytes();  // as written by AppendBytes
  // `size` bytes as they are.
  std::string_view Raw(size_t size) {
    if (rest_.size() < size || !ok_) {
      Fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  std::string_view rest() const { return rest_; }
  void Fail() { ok_ = false, rest_ = {}; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// 64-bit XXH3 of `bytes`, for checksums and identity. Stable across versions and machines.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);

}  // namespace opic::base
