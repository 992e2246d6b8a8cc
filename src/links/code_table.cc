#include "links/code_table.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "links/ascii.h"
#include "links/iso_8859_16.h"

namespace opic::links {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;
constexpr std::string_view kUserDefined = "x-user-defined";
constexpr uint32_t kUserDefinedOffset = 0xF700;  // U+F780 is byte 0x80 (section 14.5)
constexpr uint16_t kFirstTrail = 0x40;
constexpr size_t kFourBytes = 4;

void Append(uint32_t point, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, point);
  out.append(bytes, size);
}

// The only code point that `bytes` stand for. Nothing: they are none, or several.
std::optional<uint32_t> PointOf(UConverter* converter, std::string_view bytes) {
  UErrorCode error = U_ZERO_ERROR;
  ucnv_resetToUnicode(converter);
  const char* at = bytes.data();
  const UChar32 point = ucnv_getNextUChar(converter, &at, bytes.data() + bytes.size(), &error);
  if (U_FAILURE(error) || at != bytes.data() + bytes.size()) return std::nullopt;
  return static_cast<uint32_t>(point);
}

Converter StrictConverter(std::string_view encoding) {
  Converter converter = OpenConverter(encoding);
  UErrorCode error = U_ZERO_ERROR;
  if (converter)
    ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
  return converter;
}

bool IsPrivateUse(uint32_t point) { return point >= 0xE000 && point <= 0xF8FF; }

// The standard's "index Big5 pointer": of these, the last of the two codes is used.
bool IsLastUsed(uint32_t point) {
  return point == 0x2550 || point == 0x255E || point == 0x2561 || point == 0x256A ||
         point == 0x5341 || point == 0x5345;
}

}  // namespace

const CodeTable* CodeTable::Of(std::string_view encoding) {
  struct Source {
    std::string_view encoding;
    Family family;
    absl::Span<const CodeException> exceptions;
  };
  static constexpr Source kSources[] = {
      {kIso885916, Family::kOneByte, {}},
      {kUserDefined, Family::kOneByte, {}},
      {"koi8-u", Family::kOneByte, kKoi8UExceptions},
      {"windows-874", Family::kOneByte, {}},
      {"windows-1253", Family::kOneByte, kWindows1253Exceptions},
      {"windows-1255", Family::kOneByte, kWindows1255Exceptions},
      {"big5", Family::kBig5, kBig5Exceptions},
      {"gbk", Family::kGb18030, kGb18030Exceptions},
      {"gb18030", Family::kGb18030, kGb18030Exceptions},
      {"shift_jis", Family::kShiftJis, kShiftJisExceptions},
  };
  static std::once_flag made[std::size(kSources)];
  static const CodeTable* tables[std::size(kSources)];
  for (size_t i = 0; i < std::size(kSources); ++i) {
    const Source& source = kSources[i];
    if (source.encoding != encoding) continue;
    std::call_once(made[i],
                   [&] { tables[i] = new CodeTable(encoding, source.family, source.exceptions); });
    return tables[i];
  }
  return nullptr;
}

CodeTable::CodeTable(std::string_view encoding, Family family,
                     absl::Span<const CodeException> exceptions)
    : family_(family), cells_(family == Family::kOneByte ? 0x100 : 0x10000) {
  if (encoding == kIso885916) {
    for (uint32_t byte = 0; byte < 0x100; ++byte)
      cells_[byte].point = PointOfIso885916(static_cast<uint8_t>(byte));
  } else if (encoding == kUserDefined) {
    for (uint32_t byte = 0; byte < 0x100; ++byte)
      cells_[byte].point = byte < 0x80 ? byte : kUserDefinedOffset + byte;
  } else {
    ReadIcu(encoding);
  }
  // Before the exceptions: pages and servers go on using the private characters that stood for
  // those of GB 18030-2022, and the standard encodes them as before (section 10.2.2).
  std::vector<Code> former;
  if (family == Family::kGb18030) {
    for (const CodeException& exception : exceptions) {
      const uint32_t point = cells_[exception.bytes].point;
      if (IsPrivateUse(point) && point != 0xE5E5) former.push_back({point, exception.bytes});
    }
  }
  for (const CodeException& exception : exceptions)
    cells_[exception.bytes] = {exception.point, exception.mark};
  codes_ = std::move(former);
  TurnAround(encoding);
}

void CodeTable::ReadIcu(std::string_view encoding) {
  const Converter converter = StrictConverter(encoding);
  for (uint32_t byte = 0; byte < 0x100; ++byte) {
    const char one = static_cast<char>(byte);
    cells_[byte].point = byte < 0x80 ? byte : 0;
    if (!converter) continue;
    if (!IsLead(static_cast<uint8_t>(byte))) {
      cells_[byte].point = DefinedPoint(converter.get(), {&one, 1});
      continue;
    }
    for (uint32_t trail = kFirstTrail; trail < 0x100; ++trail) {
      const char two[] = {one, static_cast<char>(trail)};
      cells_[byte << 8 | trail].point = DefinedPoint(converter.get(), {two, 2});
    }
  }
}

// 0: none. ICU gives what is undefined in Big5 and in Thai (windows-874) to private use.
uint32_t CodeTable::DefinedPoint(UConverter* converter, std::string_view bytes) const {
  const uint32_t point = PointOf(converter, bytes).value_or(0);
  const bool may_be_private = family_ == Family::kGb18030 || family_ == Family::kShiftJis;
  return IsPrivateUse(point) && !may_be_private ? 0 : point;
}

bool CodeTable::IsLead(uint8_t byte) const {
  switch (family_) {
    case Family::kOneByte:
      return false;
    case Family::kBig5:
    case Family::kGb18030:
      return byte >= 0x81 && byte <= 0xFE;
    case Family::kShiftJis:
      return (byte >= 0x81 && byte <= 0x9F) || (byte >= 0xE0 && byte <= 0xFC);
  }
  return false;
}

// Not all that is decoded is used to encode: the standard's "index Big5 pointer" and "index
// Shift_JIS pointer".
bool CodeTable::IsEncoded(uint16_t bytes) const {
  const int lead = bytes >> 8;
  if (lead == 0) return true;
  if (family_ == Family::kBig5) return lead >= 0xA1;
  if (family_ == Family::kShiftJis)
    return lead != 0xED && lead != 0xEE && !(lead >= 0xF0 && lead <= 0xF9);
  return true;
}

void CodeTable::TurnAround(std::string_view encoding) {
  for (uint32_t bytes = 0x80; bytes < cells_.size(); ++bytes) {
    const Cell& cell = cells_[bytes];
    if (cell.point == 0 || cell.mark != 0 || !IsEncoded(static_cast<uint16_t>(bytes))) continue;
    if (bytes == 0x80 && encoding == "gb18030") continue;  // one code for the euro, in GBK only
    codes_.push_back({cell.point, static_cast<uint16_t>(bytes)});
  }
  if (family_ == Family::kShiftJis)
    codes_.insert(codes_.end(), {{0xA5, 0x5C}, {0x203E, 0x7E}, {0x2212, 0x817C}});
  std::sort(codes_.begin(), codes_.end(), [](const Code& left, const Code& right) {
    if (left.point != right.point) return left.point < right.point;
    return IsLastUsed(left.point) ? left.bytes > right.bytes : left.bytes < right.bytes;
  });
  const auto repeated =
      std::unique(codes_.begin(), codes_.end(),
                  [](const Code& left, const Code& right) { return left.point == right.point; });
  codes_.erase(repeated, codes_.end());
  codes_.shrink_to_fit();
}

std::string CodeTable::BytesOf(uint32_t point) const {
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  const auto found =
      std::lower_bound(codes_.begin(), codes_.end(), point,
                       [](const Code& code, uint32_t key) { return code.point < key; });
  if (found == codes_.end() || found->point != point) return {};
  std::string bytes;
  if (found->bytes > 0xFF) bytes += static_cast<char>(found->bytes >> 8);
  return bytes += static_cast<char>(found->bytes & 0xFF);
}

// How many of `bytes`, of which two may begin four of gb18030, stand for one character, if only for
// U+FFFD: four with nothing behind them do, and so do fewer at the end of a text.
size_t CodeTable::SizeOfFour(std::string_view bytes) const {
  if (bytes.size() > 2 && !IsLead(static_cast<uint8_t>(bytes[2]))) return 1;
  if (bytes.size() > 3 && !IsDigit(bytes[3])) return 1;
  return bytes.size();
}

std::string CodeTable::Decoded(std::string_view body) const {
  std::string text;
  text.reserve(body.size() * 2);
  Converter four(nullptr, &ucnv_close);  // opened when the first four bytes of gb18030 are met
  for (size_t at = 0; at < body.size();) {
    const auto byte = static_cast<uint8_t>(body[at]);
    size_t size = 1;
    Cell cell = cells_[byte];
    if (IsLead(byte) && at + 1 < body.size()) {
      const auto trail = static_cast<uint8_t>(body[at + 1]);
      if (family_ == Family::kGb18030 && IsDigit(body[at + 1])) {
        const std::string_view bytes = body.substr(at, kFourBytes);
        size = SizeOfFour(bytes);
        if (size == kFourBytes) {
          if (!four) four = StrictConverter("gb18030");
          if (four) cell.point = PointOf(four.get(), bytes).value_or(0);
        }
      } else {
        cell = cells_[byte << 8 | trail];
        // A broken pair does not swallow what may end an attribute.
        if (cell.point != 0 || trail >= 0x80) size = 2;
      }
    }
    Append(cell.point == 0 && byte != 0 ? kReplacement : cell.point, text);
    if (cell.mark != 0) Append(cell.mark, text);
    at += size;
  }
  return text;
}

}  // namespace opic::links
