// A network between simulated nodes: sessions that break and lose what was under way, directions
// that stand still, messages that come twice, late, in another order, or not at all.
//
// Messages of a session wait in one line for each direction, with the news of its beginning and
// end. What a broken transport could do to a session's messages happens on purpose; a Hello alone
// stays with its session, as it does on a stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "cluster/transport.h"

namespace opic {

struct NetworkFaults {
  double duplicate = 0, reorder = 0, lose = 0;  // chance of each, for a message being delivered
  bool past_sessions = true;  // what comes twice may have been said in an earlier session
};

class SimulatedNetwork {
 public:
  struct Connected {
    uint64_t session;
  };
  struct Disconnected {};
  using Item = std::variant<Connected, Disconnected, cluster::Message>;

  SimulatedNetwork(uint16_t nodes, base::Rng& rng);

  void set_faults(const NetworkFaults& faults) { faults_ = faults; }
  // The end of node `self`.
  cluster::Transport& end(uint16_t self) { return ends_[self]; }

  // A session between two nodes that have none, both up; ends one, losing the rest of what is under
  // way from some moment on.
  void Connect(uint16_t a, uint16_t b);
  void Break(uint16_t a, uint16_t b);
  bool HasSession(uint16_t a, uint16_t b) const { return SessionOf(a, b) != 0; }
  // The node has died: all its sessions break, what waits for it is gone.
  void Down(uint16_t node);
  void Up(uint16_t node) { up_[node] = true; }
  // The process of `node` that has the session with `peer` has died, and another one lives on.
  void Abandon(uint16_t node, uint16_t peer);
  // What arrives next at `to` from `from` begins a session.
  bool BeginsSession(uint16_t from, uint16_t to);
  // Nothing arrives in this direction while it is held.
  void Hold(uint16_t from, uint16_t to, bool held) { LineOf(from, to).held = held; }

  // The next thing that arrives at `to` from `from`; nothing: none has its time come yet.
  std::optional<Item> Receive(uint16_t from, uint16_t to);
  bool Quiet() const;

  uint64_t sent() const { return sent_; }
  uint64_t dropped() const { return dropped_; }
  uint64_t duplicated() const { return duplicated_; }
  uint64_t reordered() const { return reordered_; }
  uint64_t sessions() const { return sessions_; }

 private:
  struct Line {
    std::deque<Item> items;
    std::deque<cluster::Message> past;  // what passed lately, to come again
    bool open = false;                  // the sender believes in the session
    bool held = false;
  };
  class End final : public cluster::Transport {
   public:
    End(SimulatedNetwork& network, uint16_t self) : network_(network), self_(self) {}
    void Send(NodeId to, cluster::Message message) override {
      network_.Send(self_, to.value, std::move(message));
    }
    void Disconnect(NodeId peer) override { network_.Break(self_, peer.value); }

   private:
    SimulatedNetwork& network_;
    uint16_t self_;
  };

  void Send(uint16_t from, uint16_t to, cluster::Message message);
  void CutOff(Line& line);
  bool Chance(double chance) { return chance > 0 && rng_.Uniform() < chance; }
  Line& LineOf(uint16_t from, uint16_t to) { return lines_[from * nodes_ + to]; }
  // The number of the present session; 0: none.
  uint64_t& SessionOf(uint16_t a, uint16_t b) {
    return pairs_[std::min(a, b) * nodes_ + std::max(a, b)];
  }
  uint64_t SessionOf(uint16_t a, uint16_t b) const {
    return pairs_[std::min(a, b) * nodes_ + std::max(a, b)];
  }

  const uint16_t nodes_;
  base::Rng& rng_;
  NetworkFaults faults_;
  std::vector<Line> lines_;
  std::vector<uint64_t> pairs_;
  std::vector<bool> up_;
  std::deque<End> ends_;
  uint64_t sent_ = 0, dropped_ = 0, duplicated_ = 0, reordered_ = 0, sessions_ = 0;
};

}  // namespace opic
