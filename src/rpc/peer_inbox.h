// What the net's thread has to do about its peers: events of gRPC's threads and requests of the
// node's.
//
// Unbounded by itself: a session has a read and a write under way at most, and the exchange's
// window bounds what is sent. Closed before it is opened and after it is closed: pushes are refused
// then.
//
// Thread safety: synchronised inside.
#pragma once

#include <deque>
#include <utility>
#include <variant>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
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

class PeerInbox {
 public:
  void Open() {
    absl::MutexLock lock(&mu_);
    open_ = true;
  }
  void Close() {
    absl::MutexLock lock(&mu_);
    open_ = false;
  }
  // False: closed, the event was not taken.
  bool Push(PeerEvent event) {
    absl::MutexLock lock(&mu_);
    if (open_) events_.push_back(std::move(event));
    return open_;
  }
  // Everything there is; waits up to `patience` for the first.
  std::deque<PeerEvent> PopAll(absl::Duration patience) {
    absl::MutexLock lock(&mu_);
    mu_.AwaitWithTimeout(absl::Condition(this, &PeerInbox::HasSome), patience);
    return std::exchange(events_, {});
  }

 private:
  bool HasSome() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return !events_.empty(); }

  absl::Mutex mu_;
  std::deque<PeerEvent> events_ ABSL_GUARDED_BY(mu_);
  bool open_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace opic::rpc
