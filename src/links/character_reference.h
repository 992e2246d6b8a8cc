// Character references in attribute values: "&amp;", "&#x41;", "&copy" (HTML Standard, 13.2.5.72
// on).
#pragma once

#include <string>
#include <string_view>

namespace opic::links {

// The value of an attribute whose source text is `raw`. A view of `raw` itself where nothing has to
// be decoded, else of `buffer`, which is overwritten. Named references without ";" are left alone
// before "=" and alphanumerics, so that "?a=1&copy=2" stays a query. NUL becomes U+FFFD.
std::string_view DecodeAttribute(std::string_view raw, std::string& buffer);

}  // namespace opic::links
