#include "desk/desk_counters.h"

#include "desk/robots_answer.h"

namespace opic::desk {

void Count(const fetch::Response& response, bool robots, SharedCounters& counters) {
  counters.Add(Counter::kWireBytes, response.wire_bytes);
  counters.Add(Counter::kBodyBytes, response.body.size());
  counters.Add(robots ? Counter::kRobotsRequests : Counter::kRequests);
  if (robots) counters.Add(CounterOf(AccessOf(response)));
  if (response.unwanted) counters.Add(Counter::kUnwantedPages);
  if (response.stopped) {
    counters.Add(Counter::kUnwantedStopped);
    counters.Add(Counter::kUnwantedBytes, response.content_length.value_or(0));
  }
  if (response.error == fetch::Error::kBodyTooLarge) {
    counters.Add(robots ? Counter::kRobotsCut : Counter::kTooLarge);
  } else if (response.error != fetch::Error::kNone) {
    counters.Add(Counter::kNetworkErrors);
  }
  if (response.status >= 400 && !robots) counters.Add(Counter::kHttpErrors);
  if (response.status == 401 && !robots) counters.Add(Counter::kUnauthorized);
}

void Count(const links::Result& document, SharedCounters& counters) {
  counters.Add(Counter::kLinksFound, document.links.size());
  counters.Add(Counter::kLinksRejected, document.rejected);
  counters.Add(Counter::kOtherScheme, document.other_scheme);
  counters.Add(Counter::kLinksTooLong, document.too_long);
  counters.Add(Counter::kLinksMalformed,
               document.rejected - document.other_scheme - document.too_long);
  counters.Add(Counter::kLinksNofollow, document.nofollowed);
  if (document.truncated) counters.Add(Counter::kManyLinks);
  if (document.parser == links::Parser::kScanner) counters.Add(Counter::kScannerPages);
}

}  // namespace opic::desk
