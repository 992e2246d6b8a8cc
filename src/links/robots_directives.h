// What a page says to robots about itself: <meta name=robots> and the X-Robots-Tag header.
//
// There is no standard; this follows what search engines document: comma-separated directives
// without regard to case, of which noindex, nofollow and none (both) matter here.
#pragma once

#include <string_view>

#include "links/links.h"

namespace opic::links {

// The content of a <meta name=robots>. Only adds to what `result` already forbids.
void ApplyRobotsMeta(std::string_view content, Result& result);

// "noindex, otherbot: nofollow, opic: none": an "agent:" holds up to the next one, and what stands
// under another agent than `product_token` or "*" is not for us. Each line begins anew.
void ApplyRobotsHeader(std::string_view value, std::string_view product_token, Result& result);

}  // namespace opic::links
