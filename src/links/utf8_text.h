// A document's text in UTF-8, whatever its encoding.
#pragma once

#include <string>
#include <string_view>

namespace opic::links {

// Holds a converted copy only where one is needed: UTF-8, and plain ASCII in any encoding that
// extends ASCII, are used in place, so `body` must outlive it. A copy takes at most 3 bytes for
// each byte of `body`.
//
// Thread safety: confined to the owner thread.
class Utf8Text {
 public:
  // `encoding` as DetectEncoding (charset.h) gives it. Bytes that mean nothing in it become U+FFFD,
  // except in UTF-8 bodies, which are left as they are.
  Utf8Text(std::string_view body, std::string_view encoding);
  Utf8Text(const Utf8Text&) = delete;
  Utf8Text& operator=(const Utf8Text&) = delete;

  std::string_view view() const { return view_; }  // without a byte order mark

 private:
  void Convert(std::string_view body, std::string_view encoding);

  std::string copy_;
  std::string_view view_;
};

}  // namespace opic::links
