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
#include "desk/order_desk.h"
#include "ledger/ledger.h"
#include "node/crawl_options.h"
#include "node/data_folder.h"
#include "node/export_desk.h"
#include "node/lease_relay.h"
#include "node/ledger_loop.h"
#include "node/reopening.h"
#include "node/running_node.h"
#include "store/store.h"

namespace opic::node {

class Node final : public RunningNode {
 public:
  // `folder` and `clock` must outlive the node. A node of a cluster needs no seeds.
  // FailedPrecondition: the folder is of another cluster, node or generation.
  static absl::StatusOr<std::unique_ptr<Node>> Open(const CrawlOptions& options,
                                                    const DataFolder& folder, base::Clock& clock);
  ~Node() override;  // as Stop()

  // `transport` leads to the peers, and `answers` knocks at one; null where there are none.
  absl::Status Start(desk::SchedulerLink& link, cluster::Transport* transport = nullptr,
                     std::function<bool(NodeId)> answers = nullptr);
  // Called by the link.
  void OnSession() { loop_->BeginSession(); }
  void OnMessage(schedule::ToNode message);

  // Called by the transport's owner. They block while the ledger lags.
  void OnPeerConnected(NodeId peer) { loop_->PeerConnected(peer); }
  void OnPeerDisconnected(NodeId peer);
  void OnPeerMessage(NodeId peer, cluster::Message message, std::function<void()> read_next);

  // Ends fetches under way, records what was reported, checkpoints. Idempotent.
  absl::Status Stop();

  NodeStats stats() const;
  const ledger::Charter& charter() const { return ledger_->charter(); }
  // StopNode was called: the process should drain and stop.
  bool stop_requested() const { return stop_requested_; }
  // By shard, as of the last commit.
  std::shared_ptr<const std::vector<NodeId>> Owners() const { return loop_->owners(); }

  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  absl::StatusOr<TopPages> Top(size_t count) override;
  absl::StatusOr<Audit> TakeAudit() override;
  absl::StatusOr<NodeStats> Stats() override { return stats(); }

  // Durable: the next start begins paused, too.
  absl::Status Pause(bool paused) override;
  // No new fetches from now on, until the process ends.
  void StopFetching() { HoldFetches(true); }
  absl::Status StopNode() override;
  absl::Status AddSeeds(const std::vector<std::string>& urls) override;
  absl::Status BeginCrawl(const CrawlOrder& order) override;
  absl::StatusOr<CrawlOrder> Order() override;
  absl::StatusOr<MendedEpoch> MendEpoch() override;
  absl::StatusOr<ledger::LostChannel> DeclareLost(const Loss& loss) override;
  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) override;
  absl::StatusOr<std::vector<ShardStatus>> Shards() override;
  absl::StatusOr<ExportedRows> ReadExport(const ExportPosition& position) override {
    return exports_->Read(position);
  }

  absl::Status PrepareRestating(uint64_t epoch) override;
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override;
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override;
  absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                         absl::Span<const ledger::Drift> claims) override;
  absl::StatusOr<RestatedPart> EndRestating(const RestatementEnd& end) override;

 private:
  Node(const CrawlOptions& options, base::Clock& clock) : options_(options), clock_(clock) {}
  absl::Status Prepare(const DataFolder& folder);
  absl::StatusOr<ledger::Charter> WantedCharter() const;
  absl::Status TakeSeeds();
  void HoldFetches(bool hold);
  absl::Status RecallPause();
  void LendHosts(desk::SchedulerLink& link, cluster::Transport& transport);
  absl::Status ChangeCrawl(const std::function<void(CrawlMemory&)>& change,
                           const std::vector<ledger::Link>& pages);
  absl::Status InCluster() const;
  absl::Status Reopen(Reopening::Which which);
  absl::Status ReopenAll();
  // REQUIRES: the ledger's thread. `answers`: the peer was knocked at, and answered.
  absl::StatusOr<ledger::LostChannel> DeclareLostHere(const Loss& loss, bool answers);
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
  desk::SchedulerLink* link_ = nullptr;  // once started
  std::atomic<bool> paused_ = false;
  // Destroyed in the reverse order: the loop and the desk stop before what they use.
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<url::UrlHash> hash_;
  std::unique_ptr<cluster::Exchange> exchange_;
  absl::Duration recovery_time_;
  absl::Time started_;
  const std::thread::id opener_ = std::this_thread::get_id();
  std::atomic<bool> running_ = false;  // the ledger has its thread
  std::atomic<bool> stop_requested_ = false;
  std::function<bool(NodeId)> answers_;  // null: there are no peers
  absl::Mutex orders_;                   // one change of the crawl at a time
  std::unique_ptr<LedgerLoop> loop_;
  std::unique_ptr<desk::OrderDesk> desk_;
  std::unique_ptr<LeaseRelay> relay_;  // where hosts are lent
  std::unique_ptr<ExportDesk> exports_;
  RunningRestatement restatement_{
      [this](std::function<void()> work) { return OnLedger(std::move(work)); }};
};

}  // namespace opic::node
