// What hosts share: an IP address, or a server or owner.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "schedule/rate_budget.h"
#include "schedule/timed_heap.h"
#include "scheduler/turn_line.h"

namespace opic::scheduler {

// The hosts at one IP address, or of one group (schedule::HostGroup). Lives as long as a host
// belongs to it or a fetch from it is under way (ready_line.h).
struct Crowd {
  std::string name;  // of the address, or of the group
  bool is_group = false;
  int at_once = 0;       // fetches that may go on, of a group; 0: any number
  absl::Duration delay;  // of a group: between the end of a fetch and the next start, where one may
                         // go on, and else between starts
  double share = 0;      // schedule::HostGroup
  uint32_t heap_slot = schedule::kNotInHeap;
  int in_flight = 0;
  uint32_t hosts = 0;  // that belong to it
  absl::Time next_start = absl::InfinitePast();
  absl::Time held_until = absl::InfinitePast();  // as an answer to one of the group has asked for
  schedule::RateBudget of_share{0};              // what its share comes to
  TurnLine waiting;
};

}  // namespace opic::scheduler
