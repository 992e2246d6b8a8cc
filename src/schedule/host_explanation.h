// Why a host's pages are not fetched now, according to its Page Scheduler.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace opic::schedule {

struct HostExplanation {
  bool known = false;
  uint64_t queued = 0;
  bool in_flight = false;
  absl::Time next_allowed;
  absl::Duration delay;
  int parallel = 0;  // fetches that it may have at once; 0: not known
  int failures = 0;
  bool given_up = false;
  std::string address;
  std::string reason;  // one sentence
};

}  // namespace opic::schedule
