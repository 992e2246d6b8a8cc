#include "desk/desk_counters.h"

namespace opic::desk {

void Count(const fetch::Response& response, bool robots, SharedCounters& counters) {
  counters.Add(Counter::kWireBytes, response.wire_bytes);
  counters.Add(Counter::kBodyBytes, response.body.size());
  counters.Add(robots ? Counter::kRobotsRequests : Counter::kRequests);
  if (response.error == fetch::Error::kBodyTooLarge) {
    counters.Add(Counter::kTooLarge);
  } else if (response.error != fetch::Error::kNone) {
    counters.Add(Counter::kNetworkErrors);
  }
  if (response.status >= 400 && !robots) counters.Add(Counter::kHttpErrors);
}

void Count(const links::Result& document, SharedCounters& counters) {
  counters.Add(Counter::kLinksFound, document.links.size());
  counters.Add(Counter::kLinksRejected, document.rejected);
  if (document.parser == links::Parser::kScanner) counters.Add(Counter::kScannerPages);
}

}  // namespace opic::desk
