#include "url/percent_encoding.h"

#include <cstdint>

#include "base/utf8.h"
#include "url/character_class.h"

namespace opic::url {
namespace {

void AppendEncoded(char c, std::string& out) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<uint8_t>(c);
  const char encoded[] = {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  out.append(encoded, sizeof encoded);
}

}  // namespace

void MoveEncoded(std::string_view& input, std::string& out) {
  const base::Utf8Sequence sequence = base::FirstUtf8Sequence(input);
  const std::string_view bytes =
      sequence.valid ? input.substr(0, sequence.size) : base::kReplacement;
  for (const char c : bytes) AppendEncoded(c, out);
  input.remove_prefix(sequence.size);
}

std::string EncodedUnlessUtf8(std::string_view text) {
  if (base::IsUtf8(text)) return std::string(text);
  std::string encoded;
  for (const char c : text) {
    if (static_cast<uint8_t>(c) < 0x80) {
      encoded.push_back(c);
    } else {
      AppendEncoded(c, encoded);
    }
  }
  return encoded;
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const bool room = text[at] == '%' && text.size() - at > 2;
    const int high = room ? HexValue(text[at + 1]) : -1;
    const int low = room ? HexValue(text[at + 2]) : -1;
    if (high < 0 || low < 0) {
      decoded.push_back(text[at]);
    } else {
      decoded.push_back(static_cast<char>(high * 16 + low));
      at += 2;
    }
  }
  return decoded;
}

}  // namespace opic::url
