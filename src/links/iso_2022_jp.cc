#include "links/iso_2022_jp.h"

#include <iterator>

namespace opic::links {
namespace {

// The standard's index ISO-2022-JP katakana, from U+FF61 on.
constexpr uint32_t kHalfWidth = 0xFF61;
constexpr uint16_t kFullWidth[] = {
    0x3002, 0x300C, 0x300D, 0x3001, 0x30FB, 0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9,
    0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6, 0x30A8, 0x30AA, 0x30AB,
    0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1,
    0x30C4, 0x30C6, 0x30C8, 0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5,
    0x30D8, 0x30DB, 0x30DE, 0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6, 0x30E8, 0x30E9,
    0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3, 0x309B, 0x309C,
};

}  // namespace

uint32_t Iso2022JpWriter::Written(uint32_t point) {
  const uint32_t at = point - kHalfWidth;
  return at < std::size(kFullWidth) ? kFullWidth[at] : point;
}

void Iso2022JpWriter::Shift(Bytes bytes, std::string& out) {
  constexpr std::string_view kEscapes[] = {"\x1B(B", "\x1B(J", "\x1B$B"};
  if (bytes != bytes_) out += kEscapes[static_cast<int>(bytes)];
  bytes_ = bytes;
}

bool Iso2022JpWriter::Append(uint32_t point, std::string_view euc, std::string& out) {
  if (point < 0x80) {
    // Roman is ASCII but for these two.
    if (bytes_ == Bytes::kKanji || point == '\\' || point == '~') Shift(Bytes::kAscii, out);
    out += static_cast<char>(point);
    return true;
  }
  if (euc.size() == 1) {  // the yen sign and the overline
    Shift(Bytes::kRoman, out);
    out += euc;
    return true;
  }
  if (euc.size() != 2) {
    // As Roman stands, "&#8364;" would be read in it, too; kanji it would become (section 12.2.2).
    if (bytes_ == Bytes::kKanji) Shift(Bytes::kAscii, out);
    return false;
  }
  Shift(Bytes::kKanji, out);
  for (const char byte : euc) out += static_cast<char>(byte & 0x7F);
  return true;
}

}  // namespace opic::links
