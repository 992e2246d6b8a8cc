// What the answer to a request for robots.txt means, as it is counted and logged.
//
// Thread safety: pure.
#pragma once

#include <string_view>

#include "desk/counters.h"
#include "fetch/fetcher.h"
#include "robots/robots.h"

namespace opic::desk {

// No answer, one that was cut off, and one that asks to come back later (408, 425, 429) are like
// 5xx; of a body above the limit the first part counts.
robots::Access AccessOf(const fetch::Response& response);
// "rules", "none", "redirect", "failed".
std::string_view Name(robots::Access access);
Counter CounterOf(robots::Access access);

}  // namespace opic::desk
