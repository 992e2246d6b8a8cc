// Sessions between simulated machines. Messages of a session arrive in order and late, or, when it
// breaks, not at all; one direction may stand still.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/lease_message.h"
#include "tests/scheduler/late_line.h"

namespace opic::scheduler {

class LeaseWorld;

class LeaseNetwork {
 public:
  // `world` must outlive it.
  LeaseNetwork(LeaseWorld& world, size_t machines, absl::Duration slowest);

  void Send(NodeId from, NodeId to, schedule::LeaseMessage message);
  // A session between two nodes that are up begins after a while, and again whenever it broke.
  void Connect(NodeId a, NodeId b);
  void Break(NodeId a, NodeId b);
  // The node has died.
  void Down(NodeId node);
  void Up(NodeId node);
  void Hold(NodeId from, NodeId to, absl::Time until) { HeldUntil(from, to) = until; }
  bool HasSession(NodeId a, NodeId b) { return SessionOf(a, b); }

 private:
  LateLine& LineOf(NodeId from, NodeId to) { return lines_[from.value * machines_ + to.value]; }
  absl::Time& HeldUntil(NodeId from, NodeId to) {
    return held_until_[from.value * machines_ + to.value];
  }
  bool& SessionOf(NodeId a, NodeId b) {
    return sessions_[std::min(a, b).value * machines_ + std::max(a, b).value];
  }

  LeaseWorld& world_;
  const size_t machines_;
  const absl::Duration slowest_;
  std::deque<LateLine> lines_;
  std::vector<absl::Time> held_until_;
  std::deque<bool> sessions_;
};

}  // namespace opic::scheduler
