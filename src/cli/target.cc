#include "cli/target.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/status_macros.h"
#include "cli/cluster_nodes.h"
#include "url/page_id.h"

namespace opic::cli {
namespace {

// For "are you there?": enough for a node that lives, little for one that does not.
constexpr absl::Duration kKnockPatience = absl::Seconds(3);

absl::Status Knock(const std::string& address, rpc::NodeClientOptions options) {
  options.patience = std::min(options.patience, kKnockPatience);
  options.local_only = true;
  return rpc::NodeClient::To(address, options)->Stats().status();
}

}  // namespace

void TargetFlags::AddTo(CLI::App& app) {
  app.add_option("--data", data, "data folder, in use or at rest (default opic-data)");
  app.add_option("--node", node,
                 "HOST:PORT of a running node, instead of --data; with --cluster its name or "
                 "number");
  app.add_option(
      "--cluster", cluster,
      "file of the cluster, made by `opic cluster init`; any of its nodes answers for all");
  AddPatience(app);
  app.add_flag("--local", local, "only the own part of a node in a cluster");
  app.add_flag("--json", json, "print JSON");
}

absl::StatusOr<Target> Target::Find(const TargetFlags& flags) {
  ASSIGN_OR_RETURN(rpc::NodeClientOptions options, ClientOptions(flags));
  options.local_only = flags.local;
  Target target;
  if (!flags.cluster.empty()) {
    RETURN_IF_ERROR(target.FindInCluster(flags, options));
    return target;
  }
  if (!flags.node.empty()) {
    target.client_ = rpc::NodeClient::To(flags.node, options);
    return target;
  }
  const absl::StatusOr<std::string> address = node::AddressOfRunningNode(flags.data);
  if (address.ok()) {
    target.client_ = rpc::NodeClient::To(
        flags.steers ? node::ControlAddress(flags.data, *address) : *address, options);
    return target;
  }
  if (!absl::IsNotFound(address.status())) return address.status();
  ASSIGN_OR_RETURN(target.folder_, node::DataFolder::Lock(flags.data, /*create=*/false));
  ASSIGN_OR_RETURN(target.resting_, node::OpenAtRest(*target.folder_));
  return target;
}

absl::Status Target::FindInCluster(const TargetFlags& flags,
                                   const rpc::NodeClientOptions& options) {
  ASSIGN_OR_RETURN(map_, ReadShardMap(flags.cluster));
  std::optional<NodeId> named;
  if (!flags.node.empty()) {
    ASSIGN_OR_RETURN(named, NodeNamed(*map_, flags.node, flags.cluster));
  }
  absl::Status away = absl::UnavailableError("no node of the cluster answers");
  for (const cluster::MemberNode& node : map_->nodes()) {
    rpc::NodeClientOptions of_node = options;
    of_node.name = node.name;
    nodes_.push_back(rpc::NodeClient::To(node.address, of_node));
    if (client_ || (named && *named != node.id)) continue;
    const absl::Status there = named ? absl::OkStatus() : Knock(node.address, of_node);
    if (there.ok()) {
      client_ = nodes_.back();
    } else {
      away = base::WithContext(there, "no node of the cluster answers");
    }
  }
  return client_ ? absl::OkStatus() : away;
}

rpc::NodeClient* Target::OwnerOf(const url::Url& page) {
  if (nodes_.empty()) return client();
  const ledger::Charter charter = map_->CharterOf(NodeId{0});
  const url::UrlHash hash(charter.shard_by, charter.shards);
  const ShardId shard = hash.PageOf(page).shard();
  NodeId owner = map_->OwnerOf(shard);
  // It may have been moved since the file was made.
  if (const auto shards = client_->Shards(); shards.ok() && shard.value < shards->size()) {
    const NodeId now = (*shards)[shard.value].node;
    if (now.value < nodes_.size()) owner = now;
  }
  return nodes_[owner.value].get();
}

}  // namespace opic::cli
