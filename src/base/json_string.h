// Text as a JSON string, for lines of logs.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

namespace opic::base {

// `text` with its quotes; each byte that is not UTF-8 becomes U+FFFD.
std::string JsonString(std::string_view text);
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace opic::base
