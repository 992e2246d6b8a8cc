// A row of Table::kRobots: the verdict of an origin (docs/formats/store.md).
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "desk/failure.h"
#include "robots/robots.h"

namespace opic::desk {

std::string EncodeRow(const robots::Robots& rules, Failure unreachable, absl::Time expires);
// Of an origin that is being found out, for other nodes: it has no time to expire, and where the
// cause would stand the requests that have failed. To a release that does not know it, it is a
// verdict that has expired.
std::string EncodeFailures(int failures);

// Of any bytes, from here.
absl::Time ExpiryOf(std::string_view row);
Failure UnreachableOf(std::string_view row);
std::string_view RulesOf(std::string_view row);  // as Robots::Encode writes them
// Nothing: the row is a verdict.
std::optional<int> FailuresIn(std::string_view row);

}  // namespace opic::desk
