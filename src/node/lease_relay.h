// The node's part in lending hosts (schedule/lease_message.h): takes the messages of its Page
// Scheduler to the schedulers of the peers and brings theirs, knows which node is the home of a
// host, and lets the verdicts of robots.txt travel with the hosts: one request of each for the
// whole cluster.
//
// It bypasses the ledger: a host must not wait for a commit. Requests for hosts that have no home
// now, because their shard is under way, are dropped; they are repeated.
//
// Thread safety: synchronised inside. Verdicts of robots.txt are read from the store and written to
// it under the lock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "cluster/transport.h"
#include "desk/robots_cache.h"
#include "desk/scheduler_link.h"
#include "schedule/lease_message.h"
#include "schedule/lease_terms.h"
#include "url/page_id.h"

namespace opic::node {

class LeaseRelay {
 public:
  struct Self {
    NodeId node;
    uint64_t cluster_id = 0;
    uint64_t process = 0;  // a number that no other process of this node has
  };
  // Everything named must outlive the relay.
  LeaseRelay(const Self& self, const url::UrlHash& hash, desk::RobotsCache& robots,
             desk::SchedulerLink& link, cluster::Transport& transport, base::Clock& clock);

  const Self& self() const { return self_; }

  // The home of each shard's hosts; nothing: it has none now. No request for a host of a shard that
  // has left is on its way to the scheduler when this returns.
  void SetHomes(std::vector<std::optional<NodeId>> homes);

  void FromScheduler(schedule::LeaseMessage message);
  void FromPeer(NodeId peer, schedule::LeaseMessage message);
  // Whether a lease of this host, of this node's scheduler, may still be used.
  bool MayAsk(const std::string& host) const;

  // A session has begun, in which Hello was said: tells the peer's scheduler which process this is.
  void OnConnected(NodeId peer);
  void OnDisconnected(NodeId peer);

 private:
  std::optional<NodeId> HomeOf(const std::string& host) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SendRequests(schedule::LeaseMessage message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SendTo(NodeId peer, schedule::LeaseMessage message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Deliver(NodeId from, schedule::LeaseMessage message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // What both have: what the peer told, or what was told to it, which may be lost on the way, until
  // it is told again.
  struct Shared {
    uint64_t rows = 0;  // their hash
    absl::Time until;
  };
  // The verdicts of the host's origins, unless the peer has them; at most `room` bytes.
  std::string VerdictsFor(const std::string& host, NodeId peer, size_t room)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Self self_;
  const url::UrlHash& hash_;
  desk::RobotsCache& robots_;
  desk::SchedulerLink& link_;
  cluster::Transport& transport_;
  base::Clock& clock_;
  mutable absl::Mutex mu_;
  std::vector<std::optional<NodeId>> homes_ ABSL_GUARDED_BY(mu_);
  schedule::LeaseTerms terms_ ABSL_GUARDED_BY(mu_);
  // By peer and host. A bounded memory.
  std::map<NodeId, absl::flat_hash_map<std::string, Shared>> shared_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::node
