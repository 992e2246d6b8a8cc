#include "tests/scheduler/lease_network.h"

#include <algorithm>
#include <utility>

#include "tests/scheduler/lease_world.h"

namespace opic::scheduler {

LeaseNetwork::LeaseNetwork(LeaseWorld& world, size_t machines, absl::Duration slowest)
    : world_(world),
      machines_(machines),
      slowest_(slowest),
      lines_(machines * machines),
      sessions_(machines * machines) {}

void LeaseNetwork::Send(NodeId from, NodeId to, schedule::LeaseLetter letter) {
  ++world_.counts().letters;
  const uint64_t session = SessionOf(from, to);
  if (session == 0) {
    ++world_.counts().lost;
    return;
  }
  Line& line = LineOf(from, to);
  line.last =
      std::max(line.last, world_.time().now() + world_.Some(absl::Milliseconds(1), slowest_));
  world_.time().At(line.last, [this, from, to, session, letter = std::move(letter)]() mutable {
    Arrive(from, to, session, std::move(letter));
  });
}

void LeaseNetwork::Arrive(NodeId from, NodeId to, uint64_t session, schedule::LeaseLetter letter) {
  if (SessionOf(from, to) != session) {
    ++world_.counts().lost;
    return;
  }
  Line& line = LineOf(from, to);
  const absl::Time paused = world_.machine(to).node_paused_until();
  const absl::Time wait = std::max(line.held_until, paused);
  if (wait > world_.time().now()) {
    world_.time().At(wait, [this, from, to, session, letter = std::move(letter)]() mutable {
      Arrive(from, to, session, std::move(letter));
    });
    return;
  }
  world_.machine(to).FromPeer(from, std::move(letter));
}

void LeaseNetwork::Connect(NodeId a, NodeId b) {
  world_.time().After(world_.Some(absl::Milliseconds(50), absl::Seconds(5)), [this, a, b] {
    if (HasSession(a, b) || !world_.machine(a).node_up() || !world_.machine(b).node_up()) return;
    SessionOf(a, b) = next_session_++;
    LineOf(a, b) = LineOf(b, a) = Line();
    world_.machine(a).Connected(b);
    world_.machine(b).Connected(a);
  });
}

void LeaseNetwork::Break(NodeId a, NodeId b) {
  if (!HasSession(a, b)) return;
  SessionOf(a, b) = 0;
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
