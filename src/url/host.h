// The host of a special URL (URL Standard, section 3.5 "host parsing").
#pragma once

#include <string>
#include <string_view>

#include "url/url.h"

namespace opic::url {

// Appends the serialised host to `out`: a lower case ASCII domain, an IPv4 address, or "[IPv6]".
// On anything but kNone, `out` may have grown by a part of it.
// `raw` is what stands between credentials and port; kNoHost when it is empty.
Rejected AppendHost(std::string_view raw, std::string& out);

}  // namespace opic::url
