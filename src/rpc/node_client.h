// A running node's answers, asked for over gRPC.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ledger/peer_book.h"
#include "node/crawl_order.h"
#include "node/node.h"
#include "rpc/tls.h"
#include "scheduler/scheduler.h"

namespace opic::rpc {

struct NodeClientOptions {
  absl::Duration patience = absl::Seconds(60);  // deadline of every call
  // Of Top, which looks at every page; zero: as `patience`.
  absl::Duration scan_patience;
  bool local_only = false;         // asks for the node's own part, not for the whole cluster's
  std::optional<TlsIdentity> tls;  // the node must show a certificate for `name`,
  std::string name;                // or, when that is empty, for the host of its address
  std::string token;               // to be shown (rpc/gate.h); empty: none
};

class NodeClient : public node::Answers, public node::RestatingSteps {
 public:
  // Both ancestors ask for them.
  absl::StatusOr<node::NodeStats> Stats() override = 0;
  static std::unique_ptr<NodeClient> To(const std::string& address,
                                        const NodeClientOptions& options);
  static std::unique_ptr<NodeClient> To(const std::string& address, absl::Duration patience) {
    return To(address, NodeClientOptions{.patience = patience});
  }
  virtual absl::Status Pause(bool paused) = 0;
  virtual absl::Status AddSeeds(const std::vector<std::string>& urls) = 0;
  virtual absl::Status StopNode() = 0;
  // Idempotent. Unimplemented: the node is in no cluster.
  virtual absl::Status BeginCrawl(const node::CrawlOrder& order) = 0;
  // Idempotent; with `ask` nothing is declared. FailedPrecondition: the node is there, or has a
  // later generation already.
  virtual absl::StatusOr<ledger::LostChannel> DeclareLost(NodeId lost, uint32_t generation,
                                                          bool ask) = 0;
  // See Node; of this node alone, here and below.
  virtual absl::StatusOr<node::CrawlOrder> CrawlOrder() = 0;
  virtual absl::StatusOr<node::MendedEpoch> MendEpoch() = 0;
  virtual absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) = 0;
  virtual absl::StatusOr<std::vector<node::ShardStatus>> Shards() = 0;
  // Pages of this node alone.
  virtual absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition& position) = 0;
  virtual absl::StatusOr<scheduler::Status> SchedulerStatus() = 0;
  virtual absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) = 0;
  // Negative: leave as it is.
  virtual absl::Status SetBudget(double pages_per_s, absl::Duration delay) = 0;
};

}  // namespace opic::rpc
