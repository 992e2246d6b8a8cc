// A crawler node, assembled: data folder, store, ledger and its loop, order desk, the link to its
// Page Scheduler, and the exchange with the other nodes of its cluster (paper section 4.1). Owns
// its threads; the order of starting and stopping is written here, once.
//
//   auto node = Node::Open(options, folder, clock);  // recovers, genesis, seeds
//   node->Start(link, &transport);  // the link calls OnSession, OnMessage; the transport OnPeer...
//   node->operations().Top({10});   // all that is asked of it, and that it is told to do
//   ... node->StopFetching(); node->Stop();
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "cluster/transport.h"
#include "node/crawl_changes.h"
#include "node/crawl_options.h"
#include "node/data_folder.h"
#include "node/hosts_file_change.h"
#include "node/node_parts.h"
#include "node/running_node.h"

namespace opic::node {

class Node {
 public:
  // `folder` and `clock` must outlive the node. A node of a cluster needs no seeds.
  // FailedPrecondition: the folder is of another cluster, node or generation.
  static absl::StatusOr<std::unique_ptr<Node>> Open(const CrawlOptions& options,
                                                    const DataFolder& folder, base::Clock& clock);
  ~Node();  // as Stop()

  // `transport` leads to the peers, and `answers` knocks at one; null where there are none.
  absl::Status Start(desk::SchedulerLink& link, cluster::Transport* transport = nullptr,
                     std::function<bool(NodeId)> answers = nullptr);
  // Called by the link.
  void OnSession() { parts_.loop->BeginSession(); }
  void OnMessage(schedule::ToNode message);

  // Called by the transport's owner. They block while the ledger lags.
  void OnPeerConnected(NodeId peer) { parts_.loop->PeerConnected(peer); }
  void OnPeerDisconnected(NodeId peer);
  void OnPeerMessage(NodeId peer, cluster::Message message, std::function<void()> read_next);

  // No new fetches from now on, until the process ends.
  void StopFetching() { parts_.StopFetching(); }
  // Ends fetches under way, records what was reported, checkpoints. Idempotent.
  absl::Status Stop();

  // The hosts file was read again (node/hosts_file_change.h). Waits for the ledger's thread, and
  // ends early when the node stops.
  void TakeHostsFile(absl::StatusOr<HostsFile> read) {
    node::TakeHostsFile(parts_, crawl_, std::move(read));
  }

  RunningNode& operations() { return *operations_; }
  AuditTrail& trail() { return *parts_.trail; }
  NodeStats stats() const { return parts_.Stats(); }
  // Each look at the node tells `ask` whether its crawl is over; while `ask` says no, a finished
  // one is told as kCorrecting. Called on any thread. REQUIRES: nobody has looked yet.
  void AskBeforeFinishing(std::function<bool(bool over)> ask) {
    parts_.may_finish = std::move(ask);
  }
  const ledger::Charter& charter() const { return parts_.charter(); }
  // StopNode was called: the process should drain and stop.
  bool stop_requested() const { return parts_.stop_requested; }
  // By shard, as of the last commit.
  std::shared_ptr<const std::vector<NodeId>> Owners() const { return parts_.loop->owners(); }

 private:
  Node(const CrawlOptions& options, base::Clock& clock);
  absl::Status Prepare(const DataFolder& folder);
  absl::StatusOr<ledger::Charter> WantedCharter() const;
  absl::Status RecallPause();
  void LendHosts(desk::SchedulerLink& link, cluster::Transport& transport);

  NodeParts parts_;
  CrawlChanges crawl_;
  std::unique_ptr<RunningNode> operations_;
};

}  // namespace opic::node
