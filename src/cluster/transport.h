// The way from a node to its peers, as the exchange needs it: `rpc` has it over gRPC, the
// simulation over a network that loses, repeats and reorders sessions' messages.
#pragma once

#include "cluster/messages.h"

namespace opic::cluster {

// Thread safety: stated by the implementation; Send never blocks.
class Transport {
 public:
  virtual ~Transport() = default;
  // Delivered in order within a session, or not at all when the session ends. Without a session it
  // is dropped.
  virtual void Send(NodeId to, Message message) = 0;
  // Ends the session with the peer; Exchange::OnDisconnected follows.
  virtual void Disconnect(NodeId peer) = 0;
};

}  // namespace opic::cluster
