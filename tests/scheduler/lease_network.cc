#include "tests/scheduler/lease_network.h"

#include <algorithm>
#include <utility>

#include "tests/scheduler/lease_world.h"

namespace opic::scheduler {

LeaseNetwork::LeaseNetwork(LeaseWorld& world, size_t machines, absl::Duration slowest)
    : world_(world),
      machines_(machines),
      slowest_(slowest),
      held_until_(machines * machines, absl::InfinitePast()),
      sessions_(machines * machines, false) {
  for (uint16_t from = 0; from < machines; ++from) {
    for (uint16_t to = 0; to < machines; ++to) {
      lines_.emplace_back(world.time(), [this, from, to] {
        const absl::Time paused = world_.machine(NodeId{to}).node_paused_until();
        return std::max(HeldUntil(NodeId{from}, NodeId{to}), paused);
      });
    }
  }
}

void LeaseNetwork::Send(NodeId from, NodeId to, schedule::LeaseMessage message) {
  ++world_.counts().messages;
  if (!HasSession(from, to)) {
    ++world_.counts().lost;
    return;
  }
  LineOf(from, to).Send(world_.Some(absl::Milliseconds(1), slowest_),
                        [this, from, to, message = std::move(message)] {
                          world_.machine(to).FromPeer(from, message);
                        });
}

void LeaseNetwork::Connect(NodeId a, NodeId b) {
  world_.time().After(world_.Some(absl::Milliseconds(50), absl::Seconds(5)), [this, a, b] {
    if (HasSession(a, b) || !world_.machine(a).node_up() || !world_.machine(b).node_up()) return;
    SessionOf(a, b) = true;
    HeldUntil(a, b) = HeldUntil(b, a) = absl::InfinitePast();
    world_.machine(a).Connected(b);
    world_.machine(b).Connected(a);
  });
}

void LeaseNetwork::Break(NodeId a, NodeId b) {
  if (!HasSession(a, b)) return;
  SessionOf(a, b) = false;
  world_.counts().lost += LineOf(a, b).Cut() + LineOf(b, a).Cut();
  ++world_.counts().breaks;
  world_.web().Shake(a, world_.time().now());
  world_.web().Shake(b, world_.time().now());
  world_.machine(a).Disconnected(b);
  world_.machine(b).Disconnected(a);
  Connect(a, b);
}

void LeaseNetwork::Down(NodeId node) {
  for (uint16_t n = 0; n < machines_; ++n) {
    if (NodeId{n} != node) Break(node, NodeId{n});
  }
}

void LeaseNetwork::Up(NodeId node) {
  for (uint16_t n = 0; n < machines_; ++n) {
    if (NodeId{n} != node) Connect(node, NodeId{n});
  }
}

}  // namespace opic::scheduler
