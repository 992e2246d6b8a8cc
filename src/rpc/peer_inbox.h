// What the net's thread has to do about its peers: events of gRPC's threads and requests of the
// node's. A session has a read and a write under way at most, and the exchange's window bounds what
// is sent. Closed until the net is started, and when it has stopped.
#pragma once

#include <variant>

#include "base/event_queue.h"
#include "cluster/messages.h"

namespace opic::rpc {

class PeerSession;

struct SessionEvent {
  enum class What : uint8_t {
    kOpened,   // dialled: the peer has taken it; accepted: it is here
    kRead,     // a message has come
    kWritten,  // the next one may be written
    kBroken,   // nothing more will come
    kEnded,    // the last event; the session may be deleted
  };
  PeerSession* session;
  What what;
};
struct ToPeer {
  NodeId to;
  cluster::Message message;
};
struct EndOf {
  NodeId peer;
};
struct ReadOn {
  uint64_t session_number;
};
struct EndOfAll {};
using PeerEvent = std::variant<SessionEvent, ToPeer, EndOf, ReadOn, EndOfAll>;

using PeerInbox = base::EventQueue<PeerEvent>;

}  // namespace opic::rpc
