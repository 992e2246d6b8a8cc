// What the order desk counts, and where its names are found.
#pragma once

#include "desk/counters.h"
#include "fetch/fetcher.h"
#include "links/links.h"
#include "url/trap.h"

namespace opic::desk {

// The answer to a request for a page, or a robots.txt.
void Count(const fetch::Response& response, bool robots, SharedCounters& counters);
void Count(const links::Result& document, SharedCounters& counters);

// Of pages whose URL breaks the rule. REQUIRES: not kNone.
Counter CounterOf(url::Trap trap);

}  // namespace opic::desk
