// What one node may do of what a whole cluster has one limit for: requests to an IP address, or to
// the hosts of a group. Nodes do not talk about it: each knows its place among them, and the time.
//
// Of a limit of so many at once each node takes its part. Where there are more nodes than that,
// they take turns by the wall clock. A turn ends a while before the next one begins, so that what
// was asked last has its answer, and its pause, before another node asks. So the limit is kept as
// far as clocks agree and answers take less than kAnswerTime; and what a node does not use nobody
// gets. A round has as many turns as there are nodes, and each node as many of them as the others.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/time/time.h"

namespace opic::schedule {

// Among the nodes of a cluster that own shards.
struct ClusterPlace {
  uint32_t self = 0;   // below `nodes`
  uint32_t nodes = 1;  // at least 1

  friend bool operator==(const ClusterPlace&, const ClusterPlace&) = default;
};

inline constexpr absl::Duration kTurnMin = absl::Seconds(20);
inline constexpr absl::Duration kAnswerTime = absl::Seconds(2);

// How many of `limit` the node may do at once; of fewer than there are nodes one, in its turn.
int ShareOf(int limit, const ClusterPlace& place);

// The first moment, `time` or later by the wall clock, at which the node may begin one of `limit`
// requests to what is called `name`, which has `pause` between two requests.
absl::Time TurnFrom(absl::Time time, int limit, std::string_view name, absl::Duration pause,
                    const ClusterPlace& place);

}  // namespace opic::schedule
