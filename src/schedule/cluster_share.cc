#include "schedule/cluster_share.h"

#include <algorithm>

#include "base/encoding.h"

namespace opic::schedule {
namespace {

// In a round each node comes to its turns one after the other. Who begins is drawn in each round,
// by the name: the turns of an address and of a group, when a host needs both, do not miss each
// other for ever.
bool HasTurn(uint64_t number, uint64_t at_once, std::string_view name, const ClusterPlace& place) {
  const uint64_t first = base::Hash64(name, number / place.nodes) % place.nodes;
  return (first + number + place.nodes - place.self) % place.nodes < at_once;
}

}  // namespace

int ShareOf(int limit, const ClusterPlace& place) {
  return std::max(1, limit / static_cast<int>(place.nodes));
}

absl::Time TurnFrom(absl::Time time, int limit, std::string_view name, absl::Duration pause,
                    const ClusterPlace& place) {
  const auto at_once = static_cast<uint64_t>(std::max(1, limit));
  if (at_once >= place.nodes || time == absl::InfiniteFuture()) return time;
  const absl::Duration turn = std::max(kTurnMin, 10 * pause);
  absl::Duration into;
  const auto number = static_cast<uint64_t>(
      absl::IDivDuration(std::max(time, absl::UnixEpoch()) - absl::UnixEpoch(), turn, &into));
  if (HasTurn(number, at_once, name, place) && into < turn - pause - kAnswerTime) return time;
  uint64_t next = number + 1;
  while (!HasTurn(next, at_once, name, place)) ++next;  // it has one in each round
  return absl::UnixEpoch() + static_cast<int64_t>(next) * turn;
}

}  // namespace opic::schedule
