#include "schedule/cluster_share.h"

#include <algorithm>

namespace opic::schedule {
namespace {

// FNV-1a: the same on every node, so that not everything is the same node's turn.
uint64_t HashOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

int ShareOf(int limit, const ClusterPlace& place) {
  return std::max(1, limit / static_cast<int>(place.nodes));
}

absl::Time TurnFrom(absl::Time time, int limit, std::string_view name, absl::Duration pause,
                    const ClusterPlace& place) {
  const auto at_once = static_cast<uint64_t>(limit);
  if (at_once >= place.nodes || time == absl::InfiniteFuture()) return time;
  const absl::Duration turn = std::max(kTurnMin, 10 * pause);
  absl::Duration into;
  const int64_t number =
      absl::IDivDuration(std::max(time, absl::UnixEpoch()) - absl::UnixEpoch(), turn, &into);
  // 0 to at_once - 1: it is the node's turn.
  const uint64_t behind =
      (HashOf(name) % place.nodes + static_cast<uint64_t>(number) + place.nodes - place.self) %
      place.nodes;
  if (behind < at_once && into < turn - pause - kAnswerTime) return time;
  const uint64_t ahead = behind + 1 < at_once ? 1 : place.nodes - behind;
  return absl::UnixEpoch() + (number + static_cast<int64_t>(ahead)) * turn;
}

}  // namespace opic::schedule
