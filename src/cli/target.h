// What a question goes to: the node at an address, the node that uses a data folder, the folder
// itself at rest, or any node of a cluster, which answers for all of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/cluster_nodes.h"
#include "node/data_folder.h"
#include "node/running_node.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct TargetFlags : CallFlags {
  std::string data = "opic-data";
  std::string node;     // HOST:PORT; with `cluster` a name or number in it
  bool local = false;   // of a node in a cluster: its own part only
  bool steers = false;  // the calls are an operator's; not a flag
  void AddTo(CLI::App& app);
};

// Holds what the answers come from.
//
// Thread safety: the clients are synchronised inside; the rest is confined to one thread.
class Target {
 public:
  // In a cluster: the first node that answers, or the one that is named. Unavailable: none does.
  static absl::StatusOr<Target> Find(const TargetFlags& flags);
  node::Answers& answers() { return client_ ? *client_ : *resting_; }
  // The folder at rest, ours alone if `steers`; null: it is in use, or none was asked for.
  const node::DataFolder* folder() const { return folder_.get(); }
  // Null when the folder is at rest.
  rpc::NodeClient* client() { return client_.get(); }

  // With --cluster, else empty: every node, by number.
  absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes() const;
  const cluster::ShardMap& map() const { return cluster_->map(); }

 private:
  absl::Status FindInCluster(const TargetFlags& flags);

  std::unique_ptr<node::DataFolder> folder_;
  std::unique_ptr<node::Answers> resting_;
  std::optional<ClusterNodes> cluster_;
  std::shared_ptr<rpc::NodeClient> client_;
};

}  // namespace opic::cli
