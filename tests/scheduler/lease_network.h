// Sessions between simulated machines. Letters of a session arrive in order and late, or, when it
// breaks, not at all; one direction may stand still.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/lease_letter.h"

namespace opic::scheduler {

class LeaseWorld;

class LeaseNetwork {
 public:
  // `world` must outlive it.
  LeaseNetwork(LeaseWorld& world, size_t machines, absl::Duration slowest);

  void Send(NodeId from, NodeId to, schedule::LeaseLetter letter);
  // A session between two nodes that are up begins after a while, and again whenever it broke.
  void Connect(NodeId a, NodeId b);
  void Break(NodeId a, NodeId b);
  // The node has died.
  void Down(NodeId node);
  void Up(NodeId node);
  void Hold(NodeId from, NodeId to, absl::Time until) { LineOf(from, to).held_until = until; }
  bool HasSession(NodeId a, NodeId b) { return SessionOf(a, b) != 0; }

 private:
  struct Line {
    absl::Time last = absl::InfinitePast();  // arrival, so that all is in order
    absl::Time held_until = absl::InfinitePast();
  };
  Line& LineOf(NodeId from, NodeId to) { return lines_[from.value * machines_ + to.value]; }
  uint64_t& SessionOf(NodeId a, NodeId b) {
    return sessions_[std::min(a, b).value * machines_ + std::max(a, b).value];
  }
  void Arrive(NodeId from, NodeId to, uint64_t session, schedule::LeaseLetter letter);

  LeaseWorld& world_;
  const size_t machines_;
  const absl::Duration slowest_;
  std::vector<Line> lines_;
  std::vector<uint64_t> sessions_;  // 0: none
  uint64_t next_session_ = 1;
};

}  // namespace opic::scheduler
