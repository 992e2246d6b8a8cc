// A crawler node, assembled: data folder, store, ledger and its loop, order desk, and the link to
// its Page Scheduler (paper section 4.1). Owns its threads; the order of starting and stopping is
// written here, once.
//
//   auto node = Node::Open(options, folder, clock);  // recovers, genesis, seeds
//   node->Start(link);  // the link calls OnSession, OnMessage
//   ... node->Drain(); node->Stop();
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/ledger.h"
#include "node/crawl_options.h"
#include "node/data_folder.h"
#include "node/ledger_loop.h"
#include "node/order_desk.h"
#include "node/ranking.h"
#include "store/store.h"

namespace opic::node {

struct NodeStats {
  LoopStats loop;
  uint64_t requests = 0, robots_requests = 0, wire_bytes = 0, body_bytes = 0, transient = 0,
           network_errors = 0, http_errors = 0, too_large = 0, scanner_pages = 0, links_found = 0,
           links_rejected = 0, forbidden = 0;
  uint64_t in_flight = 0;    // requests under way
  uint64_t in_progress = 0;  // those, and pages whose visit is not recorded yet
  absl::Duration fetch_cpu, worker_cpu;
  ledger::RecoveryReport recovery;
  absl::Duration recovery_time;
  absl::Duration uptime;           // of the node
  uint64_t memory_bytes_peak = 0;  // of its process
  // Of a whole cluster, whose sums stand above: the nodes that answered, and the names of those
  // that did not.
  std::string name;
  std::vector<NodeStats> nodes;
  std::vector<std::string> missing;
};

// Answers questions about the money and the ranking, of a running node or of a folder at rest.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) = 0;
  struct TopPages {
    std::vector<PageImportance> pages;
    uint64_t known = 0;
    double clock = 0, error_bound = 0;  // in supplies; the paper's 1/G
    std::vector<std::string> missing;   // nodes of a cluster that did not answer
  };
  virtual absl::StatusOr<TopPages> Top(size_t count) = 0;
  virtual absl::StatusOr<Audit> TakeAudit() = 0;
  virtual absl::StatusOr<NodeStats> Stats() = 0;
};

class Node final : public Answers {
 public:
  // `folder` and `clock` must outlive the node.
  static absl::StatusOr<std::unique_ptr<Node>> Open(const CrawlOptions& options,
                                                    const DataFolder& folder, base::Clock& clock);
  ~Node() override;  // as Stop()

  absl::Status Start(SchedulerLink& link);
  // Called by the link.
  void OnSession() { loop_->BeginSession(); }
  void OnMessage(schedule::ToNode message);

  // No new fetches. What still goes on: see stats().in_progress.
  void Pause(bool paused);
  // New seeds while it runs. InvalidArgument names the first that is no URL; none is taken then.
  absl::Status AddSeeds(const std::vector<std::string>& urls);
  // Ends fetches under way, records what was reported, checkpoints. Idempotent.
  absl::Status Stop();

  NodeStats stats() const;
  const ledger::Charter& charter() const { return ledger_->charter(); }

  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  absl::StatusOr<TopPages> Top(size_t count) override;
  absl::StatusOr<Audit> TakeAudit() override;
  absl::StatusOr<NodeStats> Stats() override { return stats(); }

 private:
  Node(const CrawlOptions& options, base::Clock& clock) : options_(options), clock_(clock) {}
  absl::Status Prepare(const DataFolder& folder);
  absl::Status TakeSeeds();
  absl::Status ReopenPages(absl::FunctionRef<bool(const ledger::HistoryRow&)> which);
  // Runs `ask` on the ledger's thread and waits.
  absl::Status OnLedger(std::function<void()> ask);

  CrawlOptions options_;
  base::Clock& clock_;
  std::string fetch_log_;
  // Destroyed in the reverse order: the loop and the desk stop before what they use.
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<url::UrlHash> hash_;
  CrawlMemory crawl_;
  absl::Duration recovery_time_;
  absl::Time started_;
  std::unique_ptr<LedgerLoop> loop_;
  std::unique_ptr<OrderDesk> desk_;
};

// The same answers from a folder that no process uses: the ledger is recovered in memory, nothing
// is written.
absl::StatusOr<std::unique_ptr<Answers>> OpenAtRest(const DataFolder& folder);

}  // namespace opic::node
