// What the order desk counts.
#pragma once

#include "desk/counters.h"
#include "fetch/fetcher.h"
#include "links/links.h"

namespace opic::desk {

// The answer to a request for a page, or a robots.txt.
void Count(const fetch::Response& response, bool robots, SharedCounters& counters);
void Count(const links::Result& document, SharedCounters& counters);

}  // namespace opic::desk
