// All the channels of one node: exactly-once, in order, to the unit (docs/design.md section 5,
// rules R1-R4; paper section 4.1, "asynchronous money transfers").
//
// The exchange drives the ledger's peer books: it hands received batches to the ledger within the
// commit group that is being filled, acknowledges them when the group is durable, sends what the
// group sealed, shares the virtual page, and carries the epochs of audits. It keeps at most
// `window` batches a peer in memory; the rest waits on disk.
//
// A peer that disagrees (rolled-back disk, wrong sums, another cluster, an older or unknown data
// folder) has its channel stopped with an alarm; the other channels go on. All of them stop when a
// peer has met another process that runs on a copy of this node's folder.
//
// `now` never steps: base::Clock::Steady().
//
//   exchange.OnMessage(peer, message, now);   // any number, within a group
//   exchange.BeforeCommit(idle, now);         // the virtual page's shares
//   ledger.Commit();
//   exchange.AfterCommit(now);                // sends and acknowledges
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cluster/shard_map.h"
#include "cluster/transport.h"
#include "ledger/ledger.h"
#include "schedule/refresh_demand.h"

namespace opic::cluster {

// Limit of one message from a peer; a sealed batch has a megabyte and one transfer (Options of the
// ledger).
inline constexpr size_t kBatchBytesMax = size_t{4} << 20;

struct ExchangeOptions {
  size_t window = 8;                              // batches under way to a peer
  uint64_t outbox_bytes_max = uint64_t{1} << 30;  // in all; above it fetching and settling pause
  Incarnation incarnation;                        // of this process
  absl::Duration share_every = absl::Milliseconds(250);  // the virtual page, on an idle channel
  // On an idle channel: how often changed sums are sent, and unchanged ones.
  absl::Duration sums_every = absl::Milliseconds(250);
  absl::Duration same_sums_every = absl::Seconds(2);
  absl::Duration demands_kept = absl::Seconds(30);  // of a peer that is not heard any more
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

  // A session with the peer has begun (another one, if there was one) or ended.
  void OnConnected(NodeId peer, absl::Time now);
  void OnDisconnected(NodeId peer);
  // An error is one of the ledger (its store): the process must end. A peer's fault is no error; it
  // stops the channel. May commit the group: a message of a later epoch needs the cut first.
  absl::Status OnMessage(NodeId peer, Message message, absl::Time now);
  // `idle`: this node has nothing left to fetch, as of the last commit.
  void BeforeCommit(bool idle, absl::Time now);
  absl::Status AfterCommit(absl::Time now);
  // When BeforeCommit and AfterCommit have work although no message has arrived.
  absl::Time next_wake() const;

  // This node's part of the cut `epoch`, taken now unless it was already; commits the group.
  // Aborted: a later epoch has begun; OutOfRange: it is far past the one known here.
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch);

  // An operator's act against an epoch past all use (Ledger::LowerEpoch); commits the group, and
  // ends all sessions, so that nobody goes on in that epoch. How many batches were rewritten.
  absl::StatusOr<uint64_t> MendEpoch(absl::Time now);

  // An operator's act, see Ledger::BeginAnew; commits the group. Ends the session, so that the
  // successor of the lost folder is let in.
  absl::Status BeginAnew(NodeId peer, uint32_t generation, absl::Time now);

  // More than outbox_bytes_max waits for acknowledgements: fetching and settling are to pause.
  bool outbox_full() const;
  // For two periods of the sums now, every node of the cluster has said that it has nothing left to
  // fetch and has announced no page that its owner has not got. As far as is known here: what a
  // third node has just announced to a second one may not have been heard of yet.
  bool all_idle() const { return all_idle_; }
  // What this node would read again, for all peers; and what they said last.
  void Tell(const schedule::RefreshDemand& demand) { demand_ = demand; }
  std::vector<schedule::RefreshDemand> Demands(absl::Time now) const;
  bool IsConnected(NodeId peer) const { return channels_[peer.value].connected; }
  // Whether a PlanPart may be sent to the peer; else it is dropped.
  bool PlansTogether(NodeId peer) const {
    return channels_[peer.value].connected && channels_[peer.value].plans_together;
  }
  void Say(NodeId peer, PlanPart part);
  std::vector<ChannelStatus> Status() const;

 private:
  struct Channel {
    NodeId peer;
    bool session = false;    // the transport has one, and we have said Hello
    bool connected = false;  // the peer has said Hello too, and it was right
    bool faulty = false;     // broke the rules; not spoken with until this process ends
    std::string alarm;
    Incarnation incarnation;  // of the peer's process that was met last

    uint64_t next = 1;         // the batch to be sent next in this session
    uint64_t sent_max = 0;     // ever by this process; what is sent up to here is sent again
    uint64_t names_pages = 0;  // our last batch that tells pages by URL
    bool owes_acknowledgement = false;
    std::optional<Sealed> last;  // of the batches being sent; an acknowledgement may go with it

    ledger::NodeSums announced;         // what we said last, in a Hello or an acknowledgement
    uint64_t announced_epoch = 0;       // with it
    uint64_t announced_placements = 0;  // Placements::changes then, in this session
    schedule::RefreshDemand announced_demand, demand;  // in this session; what the peer said last
    bool is_idle = false;                              // so it said in this session, not in a batch
    bool plans_together = false, batches_carry_acknowledgements = false;  // to this peer
    absl::Time heard = absl::InfinitePast(), spoke = absl::InfinitePast();
    absl::Time announced_at = absl::InfinitePast();  // the last Hello or acknowledgement
    uint64_t batches_sent = 0, batches_resent = 0, batches_received = 0, batches_repeated = 0;
  };

  Channel* Find(NodeId peer);
  const std::string& NameOf(const Channel& channel) const { return map_.node(channel.peer).name; }
  uint64_t AcknowledgedBy(const Channel& channel) const;
  // The generation of the peer's folder, as known here or, before it was met, as the map says.
  uint32_t GenerationOf(const Channel& channel) const;
  // Hello refused, or rules broken: alarm, and the session ends.
  void Stop(Channel& channel, const std::string& why);
  void StopForGood(Channel& channel, const std::string& why);
  // Every channel, for good: this process must speak with nobody.
  void StopAll(const std::string& why);
  void EndSession(Channel& channel);

  absl::Status OnHello(Channel& channel, const Hello& hello);
  void Met(Channel& channel, const Incarnation& peer);
  absl::Status OnSealed(Channel& channel, const Sealed& sealed);
  absl::Status OnBatch(Channel& channel, const Sealed& sealed);
  absl::Status OnAcknowledgement(Channel& channel, const Acknowledgement& acknowledgement);
  // Why this batch cannot be one of the peer's; empty when it can.
  std::string FaultOf(const Channel& channel, const ledger::TransferBatch& batch) const;
  void Hear(Channel& channel, const ledger::NodeSums& sums);
  // Takes over the moves that the peer reported. May commit the group, to learn at its end.
  absl::Status Learn(const std::vector<ledger::Placement>& placements);
  // Which placement cannot be, and why; empty: none.
  std::string FaultOf(const std::vector<ledger::Placement>& placements) const;
  // False: a peer tells an epoch far past the one known here, and its channel was stopped.
  bool AcceptEpoch(Channel& channel, uint64_t epoch);
  // Enters `epoch` if it is later.
  absl::Status Follow(uint64_t epoch);

  void CheckChannels() const;
  absl::Status SendSealed(absl::Time now);
  // Sends what the window lets, up to batch `last`, from the store.
  absl::Status SendStored(Channel& channel, uint64_t last, absl::Time now);
  // Each goes when another one follows it, the last with SendLast.
  void SendBatch(Channel& channel, std::string bytes, absl::Time now);
  void SendLast(Channel& channel);
  bool WindowOpen(const Channel& channel) const;
  void SayHello(Channel& channel, absl::Time now);
  // Goes with the last batch where there is one and the peer reads it there.
  void Acknowledge(Channel& channel, absl::Time now);
  ledger::NodeSums Sums() const;
  absl::Time SumsDue(const Channel& channel, const ledger::NodeSums& sums) const;
  bool KnowsDemand(const Channel& channel) const { return channel.announced_demand == demand_; }
  bool IsIdle() const;
  void WatchIdleness(absl::Time now);

  const ShardMap& map_;
  const NodeId self_;
  ledger::Ledger& ledger_;
  Transport& transport_;
  const ExchangeOptions options_;
  std::vector<Channel> channels_;  // by number of the peer; the own one is not used
  schedule::RefreshDemand demand_;
  absl::Time share_next_ = absl::InfinitePast();
  bool wake_now_ = false;       // a commit was made whose batches were not sent yet
  bool idle_ = false;           // this node, without what is under way
  bool pages_arrived_ = false;  // with this group, so idle_ is not known
  bool all_idle_ = false;
  absl::Time idle_since_ = absl::InfiniteFuture();
  absl::Time sums_due_ = absl::InfiniteFuture();  // of the channel that is next
};

}  // namespace opic::cluster
