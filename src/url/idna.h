// Internationalised domain names (URL Standard, section 3.3 "IDNA"; UTS 46, non-transitional).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opic::url {

// Longest host given to ICU, in bytes of UTF-8: a name that DNS can hold is far shorter, and
// punycode takes quadratic time.
inline constexpr size_t kIdnaBytesMax = 1024;

// Whether ToAscii must decide about a host: it is not all ASCII. Any other host is only put in
// lower case, whatever its labels that begin with "xn--" decode to.
bool NeedsIdna(std::string_view host);

// "domain to ASCII" without beStrict: lengths and hyphens are not checked. Nothing: not a domain.
// The result has not been searched for forbidden code points.
// REQUIRES: `host` is UTF-8 of at most kIdnaBytesMax bytes.
std::optional<std::string> ToAscii(std::string_view host);

}  // namespace opic::url
