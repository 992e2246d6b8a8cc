// The query of a link, in the encoding of its document: what a browser asks for when a page in
// Shift_JIS links to "?q=\u65e5" (URL Standard, section 1.3, "percent-encode after encoding").
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "links/code_table.h"
#include "links/icu_converter.h"

namespace opic::links {

class QueryEncoding {
 public:
  // `encoding` as DetectEncoding (charset.h) gives it.
  explicit QueryEncoding(std::string_view encoding);

  // `href` (UTF-8) with what is not ASCII in its query encoded and percent-encoded; what the
  // encoding cannot say, as "&#8364;" percent-encoded. The view is of `href`, or of `buffer`.
  std::string_view Encoded(std::string_view href, std::string& buffer) const;

 private:
  // Of one code point. Empty: the encoding has no such character.
  std::string BytesOf(uint32_t point) const;
  std::string EucBytesOf(uint32_t point) const;

  enum class Family { kOther, kEucKr, kEucJp, kIso2022Jp };
  static Family FamilyOf(std::string_view encoding);

  const Family family_;
  const CodeTable* const table_;  // may be null
  Converter converter_;  // null: the table has all, or queries are in UTF-8, as the URL parser
                         // leaves them
};

}  // namespace opic::links
