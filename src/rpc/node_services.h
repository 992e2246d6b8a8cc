// The services of a running node for those who ask and those who steer: importance, control, audit,
// export (proto/opic/v1). Who may call what: rpc/gate.h.
//
// Questions wait for threads of their own, so that a scan for the top pages holds no gRPC thread:
// one answers what this node knows at once, one scans, one asks the whole cluster. So two nodes
// that ask each other never wait for each other. At most 64 wait for each, more are refused with
// RESOURCE_EXHAUSTED.
//
// The server listens before the node works, and still listens when it stops: until Open and from
// Stop on every question is refused with UNAVAILABLE, and nothing of the node is touched.
//
// Thread safety: synchronised inside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ledger/peer_book.h"
#include "node/crawl_order.h"
#include "node/node.h"
#include "rpc/gate.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

class NodeServices {
 public:
  // What the services may do; `answers` must outlive them.
  struct Node {
    node::Answers* answers;
    std::function<void(bool)> pause;
    std::function<absl::Status(const std::vector<std::string>&)> add_seeds;
    std::function<void()> stop;
    // Of a node in a cluster; null elsewhere. Questions that are not `local_only` go to `cluster`,
    // which must outlive the services.
    node::Answers* cluster = nullptr;
    std::function<absl::StatusOr<ledger::Cut>(uint64_t epoch)> cut;
    std::function<absl::Status(const node::CrawlOrder&)> begin_crawl;
    std::function<absl::StatusOr<ledger::LostChannel>(NodeId, uint32_t generation, bool ask)>
        declare_lost;
    std::function<absl::StatusOr<node::CrawlOrder>()> crawl_order;
    std::function<absl::StatusOr<node::MendedEpoch>()> mend_epoch;
    // Restates its pages while it runs; null: it does not.
    node::RestatingSteps* restating = nullptr;
    std::function<absl::Status(const std::vector<ShardId>&, NodeId to)> move_shards;
    std::function<absl::StatusOr<std::vector<node::ShardStatus>>()> shards;
    // This node's own pages; null: it gives none.
    std::function<absl::StatusOr<node::ExportedRows>(const node::ExportPosition&)> read_export;
    Gate gate;
  };
  explicit NodeServices(Node node);
  ~NodeServices();

  std::vector<grpc::Service*> services();
  // The node is there: questions are answered from now on.
  void Open();
  // No answers from now on. To be called before the server is shut down. Idempotent.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc
