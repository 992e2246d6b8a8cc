#include "cli/target.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/crawl_flags.h"

namespace opic::cli {

void TargetFlags::AddTo(CLI::App& app) {
  app.add_option("--data", data, "data folder, in use or at rest (default opic-data)");
  app.add_option("--node", node, "HOST:PORT of a running node, instead of --data");
  app.add_option("--patience", patience, "how long to wait for an answer (default 60s)");
  app.add_flag("--json", json, "print JSON");
}

absl::StatusOr<Target> Target::Find(const TargetFlags& flags) {
  ASSIGN_OR_RETURN(const absl::Duration patience, ParseDuration(flags.patience, "patience"));
  Target target;
  if (!flags.node.empty()) {
    target.client_ = rpc::NodeClient::To(flags.node, patience);
    return target;
  }
  const absl::StatusOr<std::string> address = node::AddressOfRunningNode(flags.data);
  if (address.ok()) {
    target.client_ = rpc::NodeClient::To(*address, patience);
    return target;
  }
  if (!absl::IsNotFound(address.status())) return address.status();
  ASSIGN_OR_RETURN(target.folder_, node::DataFolder::Lock(flags.data, /*create=*/false));
  ASSIGN_OR_RETURN(target.resting_, node::OpenAtRest(*target.folder_));
  return target;
}

}  // namespace opic::cli
