#include "cli/target.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/cluster_nodes.h"

namespace opic::cli {
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
  Target target;
  if (!flags.cluster.empty()) {
    RETURN_IF_ERROR(target.FindInCluster(flags));
    return target;
  }
  ASSIGN_OR_RETURN(rpc::NodeClientOptions options, ClientOptions(flags));
  options.local_only = flags.local;
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
  ASSIGN_OR_RETURN(target.folder_, flags.steers
                                       ? node::DataFolder::Lock(flags.data, /*create=*/false)
                                       : node::DataFolder::Look(flags.data));
  ASSIGN_OR_RETURN(target.resting_, node::OpenAtRest(*target.folder_));
  return target;
}

absl::Status Target::FindInCluster(const TargetFlags& flags) {
  ASSIGN_OR_RETURN(cluster_, ClusterNodes::Open(flags, flags.local));
  if (!flags.node.empty()) {
    ASSIGN_OR_RETURN(const NodeId named, NodeNamed(map(), flags.node, flags.cluster));
    client_ = nodes()[named.value];
    return absl::OkStatus();
  }
  NodeFailures away;
  for (const cluster::MemberNode& node : map().nodes()) {
    const absl::Status there = cluster_->Knock(node.id).status();
    if (there.ok()) {
      client_ = nodes()[node.id.value];
      return absl::OkStatus();
    }
    away.emplace_back(node.name, there);
  }
  const absl::Status why(away.back().second.code(), WhyTheyAreAway(away));
  return base::WithContext(why, "no node of the cluster answers");
}

absl::Span<const std::shared_ptr<rpc::NodeClient>> Target::nodes() const {
  if (!cluster_) return {};
  return cluster_->clients();
}

}  // namespace opic::cli
