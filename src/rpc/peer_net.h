// The way from a node to its peers over gRPC (proto/opic/v1/peer.proto): one session a pair, opened
// by the node with the lower number, and a new one whenever the one before has ended.
//
// What a session passes on: Hello is its first message in either direction; whatever is sent before
// it belonged to the session before and is dropped. Who is at the other end is known by Hello.from
// and, with TLS, must be a name in the certificate. What no peer would send ends the session.
//
// A message is read only when read_next of the one before was called, so that at most one message a
// peer waits for the node. What waits to be sent is bounded by the exchange's window: of
// acknowledgements that wait one behind the other only the last is kept. Strangers, who have not
// said Hello yet, are put out after five seconds. At most 64 are let in, 32 from one address: for
// one more the oldest of the same address, or of all, is put out, so that a peer that comes gets
// its word in. With TLS nobody is let in who shows no name of a node that dials this one.
//
//   PeerNet net(map.nodes(), self, tls, callbacks);
//   Server::Start(listen, {net.service(), ...}, security);
//   net.Start();  ...  net.Stop();  // before the server is shut down
//
// Thread safety: synchronised inside. The callbacks run on the net's thread and may block; Send and
// Disconnect never do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cluster/shard_map.h"
#include "cluster/transport.h"
#include "rpc/tls.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

// The nets of one process (local_session.h).
class LocalPeers;
std::shared_ptr<LocalPeers> NewLocalPeers();

class PeerNet final : public cluster::Transport {
 public:
  struct Callbacks {
    // A session has begun: say Hello.
    std::function<void(NodeId)> on_connected;
    // It has ended; another may begin.
    std::function<void(NodeId)> on_disconnected;
    // `read_next` may be called once, from any thread, also when the net is gone.
    std::function<void(NodeId, cluster::Message, std::function<void()> read_next)> on_message;
  };
  // `nodes` are all of the cluster, by number. With `tls` every peer must show its name, with a
  // `secret` prove that it knows it, at both ends. `here`: the nets of this process, which are
  // dialled without a socket; null: there are no others.
  PeerNet(std::vector<cluster::MemberNode> nodes, NodeId self, std::optional<TlsIdentity> tls,
          Callbacks callbacks, const std::string& secret = "",
          std::shared_ptr<LocalPeers> here = nullptr);
  ~PeerNet() override;  // as Stop()

  // For a server; lives as long as this object.
  grpc::Service* service();
  // Begins to dial. Until then sessions of others are refused.
  void Start();
  void Send(NodeId to, cluster::Message message) override;
  void Disconnect(NodeId peer) override;
  // Ends all sessions. No callback runs afterwards. Idempotent.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc
