// The rounds in which all nodes of a cluster make one plan for their settled pages
// (settling_plan.h). In each of them a node says its part to every peer, and goes on when it has
// heard theirs; so all of them know the same sums, and decide alike what comes next.
//
//   round 1     what the node has paid so far has arrived, so that cash stands still
//   round 2     how much its pages hold
//   from 3 on   what its pages are going to pay to those of each peer
//
// Nobody has to take part: whoever hears nothing of a peer for a while, or hears that it is out of
// the plan, goes on alone. What is said moves no cash, and is not repeated when a session breaks.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "cluster/messages.h"

namespace opic::node {

class PlanRounds {
 public:
  static constexpr uint32_t kArrived = 1, kHeld = 2, kFirstPayments = 3;
  static constexpr absl::Duration kPatience = absl::Seconds(3);
  static constexpr absl::Duration kTouchEvery = absl::Milliseconds(250);

  // The way to the peers (cluster::Exchange).
  struct Way {
    std::function<bool(NodeId)> plans_together;  // the peer is there, and would understand
    std::function<void(NodeId, cluster::PlanPart)> say;
  };
  struct Sums {
    double left = 0, may_be_left = 0;  // in units
  };
  enum class Heard : uint8_t {
    kNotYet,
    kAll,     // in this round
    kBroken,  // somebody does not take part
  };

  // This is node `self` of so many. Before that it is a lone node.
  void Start(NodeId self, uint16_t nodes, Way way);

  // All the others could take part. False for a lone node.
  bool Possible() const;
  // A peer has begun a plan, and this node has no part in it.
  bool Called() const;
  // Begins the next plan, or takes part in the one that peers have begun.
  void Begin(absl::Time now);
  bool in_plan() const { return in_plan_; }
  uint32_t round() const { return round_; }  // that was said last; 0: none

  // The next round. `payments`: to each node, by its number; none to any where it is empty.
  void Say(const Sums& own, absl::Time now,
           std::vector<std::vector<cluster::PlannedPayment>> payments = {});
  // Whether the peers have said theirs. Where they have begun a later plan instead, this node does
  // so, too, unless it is too late for that.
  Heard Listen(absl::Time now);
  // Of all nodes in this round. REQUIRES: Listen says kAll.
  Sums sums() const;
  // During other work, also while pages pay by the plan that was made: so the peers keep waiting.
  void KeepInTouch(absl::Time now);

  // Returns whether the part's payments count: they belong to this plan.
  bool Take(NodeId from, const cluster::PlanPart& part, absl::Time now);

  // The plan is made, and its pages pay; nothing more is said of it.
  void End() {
    in_plan_ = false;
    pays_ = true;
  }
  // Nothing is paid by the plan any more, whether all was or not.
  void EndPaying() { pays_ = false; }
  // The node takes no part any more, or none in what peers have begun. Tells them, if they wait.
  void Leave();

 private:
  struct Peer {
    uint64_t plan = 0;
    bool out = false;          // of it
    uint32_t said = 0;         // the last whole round
    std::array<Sums, 2> sums;  // of the last two, by the last bit of their number
    absl::Time heard = absl::InfinitePast();
  };

  uint16_t nodes() const { return static_cast<uint16_t>(peers_.size()); }
  bool IsLate() const;  // peers are in a later plan, or were
  void Tell(const cluster::PlanPart& part);

  NodeId self_;
  std::vector<Peer> peers_;  // by number; the own one is not used
  Way way_;
  uint64_t plan_ = 0;
  bool in_plan_ = false;
  bool pays_ = false;  // by plan_
  uint32_t round_ = 0;
  Sums own_;  // in this round
  absl::Time said_at_ = absl::InfinitePast(), touched_ = absl::InfinitePast();
};

}  // namespace opic::node
