// What the order desk counts.
#pragma once

#include "fetch/fetcher.h"
#include "links/links.h"
#include "node/counters.h"

namespace opic::node {

// The answer to a request for a page, or a robots.txt.
void Count(const fetch::Response& response, bool robots, SharedCounters& counters);
void Count(const links::Result& document, SharedCounters& counters);

}  // namespace opic::node
