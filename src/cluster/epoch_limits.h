// How far an epoch may be past the latest one that is known here. Every audit raises it by one, and
// nothing but a fault or an attack by much; one that is near the end of the numbers would be the
// last audit of the cluster.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace opic::cluster {

inline constexpr uint64_t kEpochMax = uint64_t{1} << 62;
// Asked for: one more than the asker knows, which may be a little more than is known here.
inline constexpr uint64_t kEpochsAskedAhead = 1024;
// Reported by a peer: it may have taken part in audits for years while this node was away.
inline constexpr uint64_t kEpochsReportedAhead = uint64_t{1} << 40;

// OutOfRange: `epoch` is more than `ahead` past `known`, or past all bounds. Says what to do.
absl::Status CheckEpoch(uint64_t epoch, uint64_t known, uint64_t ahead);

}  // namespace opic::cluster
