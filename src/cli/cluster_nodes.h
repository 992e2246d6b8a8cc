// Running nodes, as a command's flags name them: here the cluster's file is read, and clients are
// made that show certificate and token.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cluster/shard_map.h"
#include "rpc/node_client.h"
#include "rpc/tls.h"

namespace CLI {
class App;
}

namespace opic::cli {

// --tls-ca, --tls-cert and --tls-key.
void AddCertificateFlags(CLI::App& app, rpc::TlsFiles& files);
// And --token-file.
void AddTlsFlags(CLI::App& app, rpc::TlsFiles& files);

// How to call nodes; most commands that do have these flags.
struct CallFlags {
  std::string cluster;           // the shard map's file
  std::string patience = "60s";  // for an answer
  rpc::TlsFiles tls;
  bool json = false;

  void AddPatience(CLI::App& app);  // --patience and those of TLS
  // --cluster, which must be given, and the others.
  void AddTo(CLI::App& app);
};

// With them a wait for a node is told on standard error. InvalidArgument names the flag that is
// wrong; NotFound: a file is missing.
absl::StatusOr<rpc::NodeClientOptions> ClientOptions(const CallFlags& flags);
absl::StatusOr<cluster::ShardMap> ReadShardMap(const std::string& file);

// Nodes by name, and why each gave no answer.
using NodeFailures = std::vector<std::pair<std::string, absl::Status>>;
// "n0 at 10.0.0.1:7070: why; n1 at 10.0.0.2:7070: why; and 3 more".
std::string WhyTheyAreAway(const NodeFailures& away);

// By name or number. InvalidArgument: it is not a node of the map in `file`.
absl::StatusOr<NodeId> FindNode(const cluster::ShardMap& map, const std::string& word,
                                const std::string& file);
// The same of what --node said.
absl::StatusOr<NodeId> NodeNamed(const cluster::ShardMap& map, const std::string& flag,
                                 const std::string& file);

// All nodes of a cluster, by the clients that a command has.
//
// Thread safety: synchronised inside.
class ClusterNodes {
 public:
  // `local_only`: each is asked for its own part, else for the cluster's sums.
  static absl::StatusOr<ClusterNodes> Open(const CallFlags& flags, bool local_only = true);

  const cluster::ShardMap& map() const { return map_; }
  absl::Duration patience() const { return options_.patience; }
  rpc::NodeClient& node(NodeId node) const { return *clients_[node.value]; }
  const std::vector<std::shared_ptr<rpc::NodeClient>>& clients() const { return clients_; }
  // Another client of the node, which waits for this long at most, and says nothing of it.
  std::unique_ptr<rpc::NodeClient> WithPatience(NodeId node, absl::Duration most) const;
  // What it tells of itself: little patience for one that is not there.
  absl::StatusOr<node::NodeStats> Knock(NodeId node) const;

 private:
  ClusterNodes(cluster::ShardMap map, rpc::NodeClientOptions options);
  rpc::NodeClientOptions Options(NodeId node, absl::Duration most, bool local_only) const;

  cluster::ShardMap map_;
  rpc::NodeClientOptions options_;
  std::vector<std::shared_ptr<rpc::NodeClient>> clients_;  // by number
};

}  // namespace opic::cli
