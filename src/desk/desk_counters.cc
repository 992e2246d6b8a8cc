#include "desk/desk_counters.h"

#include "base/check.h"
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

// The counters stand in the order of the rules.
Counter CounterOf(url::Trap trap) {
  OPIC_CHECK(trap != url::Trap::kNone);
  constexpr int kFirst = static_cast<int>(Counter::kTrapDeepPath) - 1;
  static_assert(kFirst + url::kTraps - 1 == static_cast<int>(Counter::kTrapLongQuery));
  return static_cast<Counter>(kFirst + static_cast<int>(trap));
}

}  // namespace opic::desk
