// All the channels of one node: exactly-once, in order, to the unit (DESIGN section 5, rules R1-R4;
// paper section 4.1, "asynchronous money transfers").
//
// The exchange drives the ledger's peer books: it hands received batches to the ledger within the
// commit group that is being filled, acknowledges them when the group is durable, sends what the
// group sealed, levels the virtual page, and carries the epochs of audits. It keeps at most
// `window` batches a peer in memory; the rest waits on disk.
//
// A peer that disagrees (rolled-back disk, wrong sums, another cluster, an older or unknown data
// folder) has its channel stopped with an alarm; the other channels go on.
//
//   exchange.OnMessage(peer, message, now);   // any number, within a group
//   exchange.BeforeCommit(now);               // levelling
//   ledger.Commit();
//   exchange.AfterCommit(now);                // sends and acknowledges
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cluster/shard_map.h"
#include "cluster/transport.h"
#include "ledger/ledger.h"

namespace opic::cluster {

struct ExchangeOptions {
  size_t window = 8;                              // batches under way to a peer
  uint64_t outbox_bytes_max = uint64_t{1} << 30;  // in all; above it fetching and settling pause
  absl::Duration level_every = absl::Milliseconds(250);
  absl::Duration news_every = absl::Milliseconds(250);  // on an idle channel
};

struct ChannelStatus {
  NodeId peer;
  std::string name;
  bool connected = false;  // both Hellos were said
  std::string alarm;       // empty: none; why the channel is stopped
  uint64_t unacknowledged = 0, outbox_bytes = 0;
  uint64_t batches_sent = 0, batches_resent = 0, batches_received = 0, batches_repeated = 0;
  absl::Time heard;  // last message
};

class Exchange {
 public:
  // Everything named must outlive the exchange.
  Exchange(const ShardMap& map, NodeId self, ledger::Ledger& ledger, Transport& transport,
           ExchangeOptions options = {});

  // A session with the peer has begun or ended.
  void OnConnected(NodeId peer, absl::Time now);
  void OnDisconnected(NodeId peer);
  // An error is one of the ledger (its store): the process must end. A peer's fault is no error; it
  // stops the channel. May commit the group: a message of a later epoch needs the cut first.
  absl::Status OnMessage(NodeId peer, Message message, absl::Time now);
  // `idle`: this node has nothing left to fetch.
  void BeforeCommit(bool idle, absl::Time now);
  absl::Status AfterCommit(absl::Time now);
  // When BeforeCommit and AfterCommit have something to do although nothing happens.
  absl::Time next_wake() const;

  // This node's part of the cut `epoch`, taken now unless it was already. Aborted: a later epoch
  // has begun.
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch);

  bool outbox_full() const;
  // Every peer has acknowledged everything and says that it is idle; so nothing is left to fetch in
  // the whole cluster, as far as is known here.
  bool all_idle() const;
  std::vector<ChannelStatus> Status() const;

 private:
  struct Channel;
};

}  // namespace opic::cluster
