// Sessions between nodes of one process (`opic-node --nodes-here`): what one end writes the other
// reads, with no socket between them and nothing encoded. The same rules as over gRPC hold: who
// dials, who is let in, one message read and one written at a time.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "cluster/shard_map.h"
#include "rpc/peer_session.h"

namespace opic::rpc {

// One end; the other is another net's.
class LocalSession final : public PeerSession {
 public:
  // What lies between the two ends.
  class Pipe;
  // `other_name`: of the node at the other end, by the cluster's file.
  LocalSession(std::shared_ptr<PeerInbox> inbox, std::optional<NodeId> peer,
               std::shared_ptr<Pipe> pipe, std::string other_name, bool same_secret);

  // The other end has dialled. False: this net takes nobody now.
  bool Arrive() { return Post(SessionEvent::What::kOpened); }
  bool dialled() const override { return peer_at_first_.has_value(); }
  void Admit() override;
  bool Shows(const std::string& name) const override { return name == other_name_; }
  std::string address() const override { return "this process"; }
  absl::Status end() const override;
  bool KnowsSecret(NodeId) const override { return same_secret_; }

 private:
  void StartReading(v1::PeerMessage* message) override;
  bool Decode(v1::PeerMessage*) override { return true; }
  void StartWriting(v1::PeerMessage* message) override;
  void Close(const absl::Status& why) override;

  const std::optional<NodeId> peer_at_first_;  // nothing: accepted
  const std::shared_ptr<Pipe> pipe_;
  const std::string other_name_;
  const bool same_secret_;
};

// The nets of one process, by the addresses at which others dial their nodes.
//
// Thread safety: synchronised inside.
class LocalPeers {
 public:
  // From now on the net with this inbox may be dialled there.
  void Enter(const std::string& address, std::shared_ptr<PeerInbox> inbox,
             const PeerSecret& secret);
  void Leave(const std::string& address);
  // The end of `dialler`, a node's name, for the net with this inbox; reads its first message.
  // Null: nobody of this process may be dialled there.
  std::unique_ptr<PeerSession> Dial(const cluster::MemberNode& acceptor, const std::string& dialler,
                                    std::shared_ptr<PeerInbox> inbox, const PeerSecret& secret);

 private:
  struct Net {
    std::shared_ptr<PeerInbox> inbox;
    PeerSecret secret;
  };
  absl::Mutex mu_;
  std::map<std::string, Net> nets_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::rpc
