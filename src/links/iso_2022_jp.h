// Writes ISO-2022-JP, in which escape sequences say what bytes mean, as the Encoding Standard does
// (section 12.2.2). Its kanji are those of EUC-JP, without the eighth bit.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::links {

class Iso2022JpWriter {
 public:
  // What is written for `point`: of katakana of half width, which it has not, those of full width.
  static uint32_t Written(uint32_t point);

  // `euc` is the code of `point` in EUC-JP, and empty if it has none. False: `point` cannot be
  // written, and what follows in `out` is read as ASCII.
  bool Append(uint32_t point, std::string_view euc, std::string& out);
  // What follows in `out` is read as ASCII.
  void End(std::string& out) { Shift(Bytes::kAscii, out); }

 private:
  enum class Bytes { kAscii, kRoman, kKanji };
  void Shift(Bytes bytes, std::string& out);

  Bytes bytes_ = Bytes::kAscii;
};

}  // namespace opic::links
