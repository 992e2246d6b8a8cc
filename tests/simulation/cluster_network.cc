#include "tests/simulation/cluster_network.h"

#include <algorithm>

namespace opic {
namespace {

constexpr size_t kPastMessages = 12;

bool IsHello(const cluster::Message& message) {
  return std::holds_alternative<cluster::Hello>(message);
}
// A message that a broken transport may bring at another moment.
bool IsMovable(const SimulatedNetwork::Item& item) {
  const auto* message = std::get_if<cluster::Message>(&item);
  return message != nullptr && !IsHello(*message);
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(uint16_t nodes, base::Rng& rng)
    : nodes_(nodes),
      rng_(rng),
      lines_(size_t{nodes} * nodes),
      pairs_(size_t{nodes} * nodes),
      up_(nodes, false) {
  for (uint16_t n = 0; n < nodes; ++n) ends_.emplace_back(*this, n);
}

void SimulatedNetwork::Connect(uint16_t a, uint16_t b) {
  if (HasSession(a, b) || !up_[a] || !up_[b]) return;
  SessionOf(a, b) = ++sessions_;
  LineOf(a, b).items.push_back(Connected{sessions_});
  LineOf(b, a).items.push_back(Connected{sessions_});
}

// The rest of the line is lost, from a random message on.
void SimulatedNetwork::CutOff(Line& line) {
  const size_t kept = rng_.Below(line.items.size() + 1);
  while (line.items.size() > kept && std::holds_alternative<cluster::Message>(line.items.back())) {
    line.items.pop_back();
    ++dropped_;
  }
  line.items.push_back(Disconnected{});
  line.open = false;
}

void SimulatedNetwork::Break(uint16_t a, uint16_t b) {
  if (!HasSession(a, b)) return;
  SessionOf(a, b) = 0;
  CutOff(LineOf(a, b));
  CutOff(LineOf(b, a));
}

void SimulatedNetwork::Down(uint16_t node) {
  up_[node] = false;
  for (uint16_t n = 0; n < nodes_; ++n) {
    if (n == node) continue;
    Break(node, n);
    LineOf(n, node).items.clear();
    LineOf(node, n).open = false;
  }
}

void SimulatedNetwork::Abandon(uint16_t node, uint16_t peer) {
  Break(node, peer);
  LineOf(peer, node).items.clear();
  LineOf(node, peer).open = false;
}

bool SimulatedNetwork::BeginsSession(uint16_t from, uint16_t to) {
  const Line& line = LineOf(from, to);
  return !line.held && !line.items.empty() && std::holds_alternative<Connected>(line.items.front());
}

void SimulatedNetwork::Send(uint16_t from, uint16_t to, cluster::Message message) {
  Line& line = LineOf(from, to);
  ++sent_;
  if (!line.open) {
    ++dropped_;
    return;
  }
  if (!IsHello(message)) {
    line.past.push_back(message);
    if (line.past.size() > kPastMessages) line.past.pop_front();
  }
  line.items.push_back(std::move(message));
}

std::optional<SimulatedNetwork::Item> SimulatedNetwork::Receive(uint16_t from, uint16_t to) {
  Line& line = LineOf(from, to);
  if (line.held || !up_[to]) return std::nullopt;
  if (!line.past.empty() && Chance(faults_.duplicate)) {
    ++duplicated_;
    return Item(line.past[rng_.Below(line.past.size())]);
  }
  if (line.items.empty()) return std::nullopt;
  if (line.items.size() > 1 && IsMovable(line.items[0]) && IsMovable(line.items[1]) &&
      Chance(faults_.reorder)) {
    ++reordered_;
    std::swap(line.items[0], line.items[1]);
  }
  Item item = std::move(line.items.front());
  line.items.pop_front();
  if (IsMovable(item) && Chance(faults_.lose)) {
    ++dropped_;
    return Receive(from, to);
  }
  // Who has heard of the session may send, as long as it is still the present one.
  if (const auto* connected = std::get_if<Connected>(&item)) {
    LineOf(to, from).open = connected->session == SessionOf(from, to);
    if (!faults_.past_sessions) line.past.clear();
  }
  return item;
}

bool SimulatedNetwork::Quiet() const {
  return std::all_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.items.empty(); });
}

}  // namespace opic
