// The host of a special URL (URL Standard, section 3.5 "host parsing").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::url {

// What a text is as a host. kEmpty: nothing. kBad: no domain and no address. kTooLong: more than
// kIdnaBytesMax (idna.h), and not all ASCII.
enum class HostVerdict : uint8_t { kGood, kEmpty, kBad, kTooLong };

// Appends the serialised host to `out`: a lower case ASCII domain, an IPv4 address, or "[IPv6]".
// On anything but kGood, `out` may have grown by a part of it.
// `raw` is what stands between credentials and port.
HostVerdict AppendHost(std::string_view raw, std::string& out);

// A host as a person types it, for a URL: an IPv6 address that lacks its brackets gets them, all
// else stays. The command line takes them away: "[::1]" is a list of one value to it.
std::string Bracketed(std::string_view typed);

}  // namespace opic::url
