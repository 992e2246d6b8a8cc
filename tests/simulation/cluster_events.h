// What simulations of a cluster met, counted.
#pragma once

#include <cstdint>
#include <string>

namespace opic {

// What was met, of one simulation or of many.
struct ClusterEvents {
  uint64_t steps = 0, crashes = 0, surprises = 0, full_disks = 0, pauses = 0, partitions = 0;
  uint64_t sessions = 0, sent = 0, dropped = 0, duplicated = 0, reordered = 0;
  uint64_t applied = 0, repeated = 0, resent = 0, forwarded = 0;
  uint64_t audits = 0, torn = 0;
  uint64_t clocks_set = 0;
  uint64_t departures = 0, arrivals = 0, unnamed = 0;
  uint64_t losses = 0, lost_together = 0, lost_again = 0;  // data folders
  uint64_t restored = 0, doubled = 0, found_out = 0, harmless = 0, strays = 0;
  uint64_t damaged_reads = 0;
  uint64_t above_supply = 0;  // looks at a node whose pages held more than there is
  void Add(const ClusterEvents& other);
  std::string ToString() const;
};

}  // namespace opic
