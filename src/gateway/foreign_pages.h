// Whether a request comes from a web page of another site, in a browser on a machine that may ask.
//
// Such a page cannot read answers, because none has Access-Control-Allow-Origin. It could still
// send questions that cost time. And a page whose host name is made to resolve to this machine (DNS
// rebinding) could even read answers. Origin (RFC 6454) and Sec-Fetch-Site (W3C Fetch Metadata)
// reveal the first kind; Host reveals the second: it is a name that is not ours.
//
// Thread safety: pure.
#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "http/message.h"

namespace opic::gateway {

// PermissionDenied: the request is from a page of another site, or its Host is neither an IP
// address nor localhost nor one of `names` (in lower case).
absl::Status RefuseForeignPages(const http::Request& request, const std::set<std::string>& names);

}  // namespace opic::gateway
