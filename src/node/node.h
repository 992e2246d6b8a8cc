// A crawler node, assembled: data folder, store, ledger and its loop, order desk, the link to its
// Page Scheduler, and the exchange with the other nodes of its cluster (paper section 4.1). Owns
// its threads; the order of starting and stopping is written here, once.
//
//   auto node = Node::Open(options, folder, clock);  // recovers, genesis, seeds
//   node->Start(link, &transport);  // the link calls OnSession, OnMessage; the transport OnPeer...
//   ... node->Drain(); node->Stop();
//
// Thread safety: synchronised inside.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "cluster/transport.h"
#include "ledger/ledger.h"
#include "node/answers.h"
#include "node/crawl_options.h"
#include "node/crawl_order.h"
#include "node/data_folder.h"
#include "node/export_desk.h"
#include "node/lease_relay.h"
#include "node/ledger_loop.h"
#include "node/order_desk.h"
#include "node/reopening.h"
#include "node/restating_steps.h"
#include "store/store.h"

namespace opic::node {

// What Node::MendEpoch has changed.
struct MendedEpoch {
  uint64_t before = 0;   // the node's epoch until then
  uint64_t batches = 0;  // waiting for peers, that told a later epoch
};

class Node final : public Answers, public RestatingSteps {
 public:
  // `folder` and `clock` must outlive the node. A node of a cluster needs no seeds.
  // FailedPrecondition: the folder is of another cluster, node or generation.
  static absl::StatusOr<std::unique_ptr<Node>> Open(const CrawlOptions& options,
                                                    const DataFolder& folder, base::Clock& clock);
  ~Node() override;  // as Stop()

  // `transport` leads to the peers; null where there are none.
  absl::Status Start(SchedulerLink& link, cluster::Transport* transport = nullptr);
  // Called by the link.
  void OnSession() { loop_->BeginSession(); }
  void OnMessage(schedule::ToNode message);

  // Called by the transport's owner. They block while the ledger lags.
  void OnPeerConnected(NodeId peer) { loop_->PeerConnected(peer); }
  void OnPeerDisconnected(NodeId peer);
  void OnPeerMessage(NodeId peer, cluster::Message message, std::function<void()> read_next);

  // No new fetches. What still goes on: see stats().in_progress.
  void Pause(bool paused);
  // Both may be called while it runs, extend the crawl that the folder remembers, and come back
  // when that is durable. InvalidArgument names what is wrong; nothing is taken then.
  //
  // New seeds; their hosts come into the scope of this node. Those of peers are told to them.
  absl::Status AddSeeds(const std::vector<std::string>& urls);
  // Of the seeds, this node's own are taken up; all of them count for the scope. Pages that came
  // into it are fetched after all. The same order again changes nothing.
  absl::Status BeginCrawl(const CrawlOrder& order);
  // What it crawls, as an order for another node.
  absl::StatusOr<CrawlOrder> Order();
  // An operator's act: an epoch that nobody can pass is forgotten here (Exchange::MendEpoch). To be
  // done on all nodes of the cluster; the same again changes nothing.
  absl::StatusOr<MendedEpoch> MendEpoch();
  // An operator's act: the folder of this peer is lost for good, and one of `generation` takes its
  // place (Ledger::BeginAnew). What passed between the peer's lost folders and this node, over all
  // times; the same again changes nothing. With `ask` nothing is declared, and the answer is what
  // it would be. FailedPrecondition: the peer is there, by its session or, as the caller knows,
  // `answers`.
  struct Loss {
    NodeId peer;
    uint32_t generation = 2;
    bool ask = false;
    bool answers = false;
  };
  absl::StatusOr<ledger::LostChannel> DeclareLost(const Loss& loss);
  // An operator's act: these shards are to go to another node, as soon as nothing of them is being
  // fetched. Idempotent; to be asked again after a restart. FailedPrecondition: one is not here;
  // Unavailable: one is arriving; the others are taken all the same.
  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to);
  // Who has the shard, as this node knows it.
  NodeId OwnerOf(ShardId shard);
  // Every shard, by number, as this node knows it.
  absl::StatusOr<std::vector<ShardStatus>> Shards();
  // This node's own pages, as ExportDesk hands them out. Not for the ledger's thread.
  absl::StatusOr<ExportedRows> ReadExport(const ExportPosition& position) {
    return exports_->Read(position);
  }
  // Ends fetches under way, records what was reported, checkpoints. Idempotent.
  absl::Status Stop();

  NodeStats stats() const;
  const ledger::Charter& charter() const { return ledger_->charter(); }

  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  absl::StatusOr<TopPages> Top(size_t count) override;
  absl::StatusOr<Audit> TakeAudit() override;
  absl::StatusOr<NodeStats> Stats() override { return stats(); }

  absl::Status PrepareRestating(uint64_t epoch) override;
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override;
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override;
  absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                         absl::Span<const ledger::Drift> claims) override;
  absl::StatusOr<RestatedPart> EndRestating(const RestatementEnd& end) override;

 private:
  absl::StatusOr<ledger::LostChannel> DeclareLostHere(const Loss& loss);  // ledger's thread
  Node(const CrawlOptions& options, base::Clock& clock) : options_(options), clock_(clock) {}
  absl::Status Prepare(const DataFolder& folder);
  absl::StatusOr<ledger::Charter> WantedCharter() const;
  absl::Status TakeSeeds();
  void LendHosts(SchedulerLink& link, cluster::Transport& transport);
  absl::Status ChangeCrawl(const std::function<void(CrawlMemory&)>& change,
                           const std::vector<ledger::Link>& pages);
  absl::Status Reopen(Reopening::Which which);
  absl::Status ReopenAll();
  void ForgetRestating();
  absl::StatusOr<RestatedPart> EndRecovery();
  Reopening::Which CameIntoScope() const;
  std::vector<ledger::Link> OwnOf(const std::vector<ledger::Link>& pages) const;
  // Runs `ask` on the ledger's thread and waits. Before that thread is started: here, for whoever
  // opened the node; Unavailable for others, who may ask as soon as the server listens.
  absl::Status OnLedger(std::function<void()> ask);
  absl::Status DoOnLedger(std::function<absl::Status()> act);

  CrawlOptions options_;
  base::Clock& clock_;
  std::string fetch_log_;
  // Destroyed in the reverse order: the loop and the desk stop before what they use.
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<url::UrlHash> hash_;
  std::unique_ptr<cluster::Exchange> exchange_;
  absl::Duration recovery_time_;
  absl::Time started_;
  const std::thread::id opener_ = std::this_thread::get_id();
  std::atomic<bool> running_ = false;  // the ledger has its thread
  absl::Mutex orders_;                 // one change of the crawl at a time
  std::unique_ptr<LedgerLoop> loop_;
  std::unique_ptr<OrderDesk> desk_;
  std::unique_ptr<LeaseRelay> relay_;  // where hosts are lent
  std::unique_ptr<ExportDesk> exports_;
  RunningRestatement restatement_{
      [this](std::function<void()> work) { return OnLedger(std::move(work)); }};
};

}  // namespace opic::node
