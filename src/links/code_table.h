// Encodings by the indexes of the Encoding Standard: those for which ICU's tables say something
// else (code_exceptions.h), or for which ICU has none (iso_8859_16.h, x-user-defined).
//
// A table is what ICU decodes each byte, or pair of bytes, to, with the exceptions put right. It
// is also turned around for queries: ICU encodes many characters that the standard does not.
//
// Thread safety: immutable.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "links/code_exceptions.h"
#include "links/icu_converter.h"

namespace opic::links {

class CodeTable {
 public:
  // Null: ICU's converter follows the standard, or is all there is. `encoding` as EncodingOfLabel
  // (charset.h) names it. The first call for an encoding takes some milliseconds and makes a table
  // of at most 500 KB, which lives for ever.
  static const CodeTable* Of(std::string_view encoding);

  // In UTF-8: at most 3 bytes for each byte of `body`. What means nothing becomes U+FFFD.
  std::string Decoded(std::string_view body) const;

  // Empty: the encoding has no such character, or it is one of the four bytes of gb18030.
  std::string BytesOf(uint32_t point) const;

 private:
  enum class Family { kOneByte, kBig5, kGb18030, kShiftJis };
  struct Cell {
    uint32_t point = 0;  // 0 of all bytes but 0: none
    uint16_t mark = 0;
  };
  struct Code {
    uint32_t point;
    uint16_t bytes;
  };

  CodeTable(std::string_view encoding, Family family, absl::Span<const CodeException> exceptions);
  void ReadIcu(std::string_view encoding);
  uint32_t DefinedPoint(UConverter* converter, std::string_view bytes) const;
  void TurnAround(std::string_view encoding);
  bool IsLead(uint8_t byte) const;
  bool IsEncoded(uint16_t bytes) const;
  size_t SizeOfFour(std::string_view bytes) const;

  const Family family_;
  std::vector<Cell> cells_;  // by bytes
  std::vector<Code> codes_;  // sorted by point, each once
};

}  // namespace opic::links
