#include "base/quoted.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace opic::base {

std::string Quoted(std::string_view text) {
  std::string shown(text.substr(0, kQuotedBytesMax));
  // Not in the middle of a character (RFC 3629: what goes on begins with the bits 10).
  while (shown.size() < text.size() && !shown.empty() &&
         (static_cast<unsigned char>(text[shown.size()]) & 0xc0) == 0x80) {
    shown.pop_back();
  }
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  if (shown.size() == text.size()) return absl::StrCat("\"", shown, "\"");
  return absl::StrCat("\"", shown, "...\" (", text.size(), " bytes)");
}

}  // namespace opic::base
