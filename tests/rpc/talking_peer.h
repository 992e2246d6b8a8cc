// A node of which only the talk with its peers is there.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "rpc/peer_net.h"
#include "rpc/server.h"

namespace opic::rpc {

inline constexpr absl::Duration kPatience = absl::Seconds(20);

inline cluster::Hello HelloOf(int from, int to) {
  cluster::Hello hello;
  hello.from = NodeAt(from);
  hello.to = NodeAt(to);
  return hello;
}

// A node of which only the talk is there: says Hello when a session begins, remembers what it
// hears, and reads on unless it is told to wait.
class TalkingPeer {
 public:
  TalkingPeer(int self, std::vector<cluster::MemberNode> nodes, const std::string& listen,
              const std::string& secret = "", std::shared_ptr<LocalPeers> here = nullptr)
      : self_(self),
        net_(std::move(nodes), NodeAt(self), std::nullopt,
             {[this](NodeId peer) { OnConnected(peer); },
              [this](NodeId peer) {
                absl::MutexLock lock(&mu_);
                ++ended_[peer.value];
              },
              [this](NodeId peer, cluster::Message message, std::function<void()> read_next) {
                OnMessage(peer, std::move(message), std::move(read_next));
              }},
             secret, std::move(here)) {
    auto server = Server::Start(listen, {net_.service()});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    net_.Start();
  }
  ~TalkingPeer() {
    net_.Stop();
    server_->Shutdown();
  }

  PeerNet& net() { return net_; }
  const std::string& address() const { return server_->address(); }
  void Send(int to, cluster::Message message) { net_.Send(NodeAt(to), std::move(message)); }
  void ReadSlowly() {
    absl::MutexLock lock(&mu_);
    slow_ = true;
  }
  void ReadOn() {
    std::function<void()> next;
    {
      absl::MutexLock lock(&mu_);
      next = std::exchange(read_next_, nullptr);
    }
    if (next) next();
  }
  bool AwaitHellos(int peer, int count) {
    return Await([=, this] { return hellos_[peer] >= count; });
  }
  bool AwaitEnds(int peer, int count) {
    return Await([=, this] { return ended_[peer] >= count; });
  }
  bool AwaitBatches(size_t count) {
    return Await([=, this] { return batches_.size() >= count; });
  }
  std::vector<uint64_t> batches() {
    absl::MutexLock lock(&mu_);
    return batches_;
  }
  bool AwaitAcknowledged(uint64_t applied) {
    return Await([=, this] { return acknowledged_ == applied; });
  }
  int hellos(int peer) {
    absl::MutexLock lock(&mu_);
    return hellos_[peer];
  }
  int acknowledgements() {
    absl::MutexLock lock(&mu_);
    return acknowledgements_;
  }
  // By shard, as told last.
  std::map<uint32_t, uint64_t> moves() {
    absl::MutexLock lock(&mu_);
    return moves_;
  }
  std::vector<double> demands() {  // their rates
    absl::MutexLock lock(&mu_);
    return demands_;
  }

 private:
  void OnConnected(NodeId peer) { net_.Send(peer, HelloOf(self_, peer.value)); }
  void OnMessage(NodeId peer, cluster::Message message, std::function<void()> read_next) {
    absl::ReleasableMutexLock lock(&mu_);
    if (std::holds_alternative<cluster::Hello>(message)) ++hellos_[peer.value];
    if (const auto* batch = std::get_if<cluster::Sealed>(&message))
      batches_.push_back(batch->sequence);
    if (const auto* acknowledgement = std::get_if<cluster::Acknowledgement>(&message)) {
      acknowledged_ = acknowledgement->applied;
      ++acknowledgements_;
      if (acknowledgement->demand) demands_.push_back(acknowledgement->demand->rate);
      for (const ledger::Placement& moved : acknowledgement->placements)
        moves_[moved.shard.value] = moved.move;
    }
    if (slow_) {
      read_next_ = std::move(read_next);
      return;
    }
    lock.Release();
    read_next();
  }
  template <typename Holds>
  bool Await(const Holds& holds) {
    absl::MutexLock lock(&mu_);
    return mu_.AwaitWithTimeout(absl::Condition(&holds), kPatience);
  }

  const int self_;
  absl::Mutex mu_;
  std::map<int, int> hellos_ ABSL_GUARDED_BY(mu_), ended_ ABSL_GUARDED_BY(mu_);
  std::vector<uint64_t> batches_ ABSL_GUARDED_BY(mu_);
  uint64_t acknowledged_ ABSL_GUARDED_BY(mu_) = 0;
  int acknowledgements_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<uint32_t, uint64_t> moves_ ABSL_GUARDED_BY(mu_);
  std::vector<double> demands_ ABSL_GUARDED_BY(mu_);
  bool slow_ ABSL_GUARDED_BY(mu_) = false;
  std::function<void()> read_next_ ABSL_GUARDED_BY(mu_);
  PeerNet net_;
  std::unique_ptr<Server> server_;
};

inline cluster::MemberNode Member(int id, const std::string& address) {
  return {NodeAt(id), "node" + std::to_string(id), address};
}

// Node 1 listens, node 0 dials it: over loopback sockets, or within the process.
class TwoPeers : public testing::Test {
 protected:
  explicit TwoPeers(bool local = false) : here_(local ? NewLocalPeers() : nullptr) {}

  void StartOne(const std::string& listen = "127.0.0.1:0") {
    one_ = std::make_unique<TalkingPeer>(
        1, std::vector{Member(0, "127.0.0.1:1"), Member(1, here_ ? kNobodyListens : "")},
        here_ ? "127.0.0.1:0" : listen, "", here_);
    address_ = here_ ? kNobodyListens : one_->address();
  }
  void StartZero() {
    zero_ = std::make_unique<TalkingPeer>(0, std::vector{Member(0, ""), Member(1, address_)},
                                          "127.0.0.1:0", "", here_);
  }
  void StartBoth() {
    StartOne();
    StartZero();
    ASSERT_TRUE(zero_->AwaitHellos(1, 1));
    ASSERT_TRUE(one_->AwaitHellos(0, 1));
  }

  static constexpr char kNobodyListens[] = "127.0.0.1:2";
  const std::shared_ptr<LocalPeers> here_;  // null: sockets
  std::string address_;
  std::unique_ptr<TalkingPeer> zero_, one_;
};

}  // namespace opic::rpc
