// The orders not answered yet, by page.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "scheduler/host.h"
#include "scheduler/ready_line.h"

namespace opic::scheduler {

struct OpenOrder {
  Host* host = nullptr;
  Counted counted;  // what it counts for
  QueuedPage page;
  absl::Time since;       // when ordered, or when the session that lists it began
  bool budgeted = false;  // took from the rate budget
  uint32_t failures = 0;  // of the host, before it (Host::failures)
  // The host's delay counts from its start; until then the host could be asked at this time.
  std::optional<absl::Time> allowed_before;
};

using OpenOrders = absl::flat_hash_map<PageId, OpenOrder>;

}  // namespace opic::scheduler
