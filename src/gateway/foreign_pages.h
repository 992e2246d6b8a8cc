// Whether a web page from elsewhere asks, by way of a browser on a machine that may ask.
//
// Such a page cannot read answers, as none has Access-Control-Allow-Origin. It could still send
// questions that cost time; and a page whose name is made to mean this machine (DNS rebinding) could
// read answers, too. What gives the first away are Origin (RFC 6454) and Sec-Fetch-Site (W3C Fetch
// Metadata), what gives the second away is Host: a name, which is none of ours.
//
// Thread safety: pure.
#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "http/message.h"

namespace opic::gateway {

// PermissionDenied: the request is from a page elsewhere, or its Host is neither an IP address nor
// localhost nor one of `names` (in lower case).
absl::Status RefuseForeignPages(const http::Request& request, const std::set<std::string>& names);

}  // namespace opic::gateway
