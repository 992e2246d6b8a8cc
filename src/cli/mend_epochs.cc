#include "cli/mend_epochs.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"

namespace opic::cli {
namespace {

// The names of the nodes that did not answer. An error: none did.
absl::StatusOr<std::vector<std::string>> MendAll(const CallFlags& flags) {
  ASSIGN_OR_RETURN(const ClusterNodes nodes, ClusterNodes::Open(flags));
  NodeFailures away;
  nlohmann::ordered_json json = {{"nodes", nlohmann::ordered_json::array()}};
  for (const cluster::MemberNode& node : nodes.map().nodes()) {
    const absl::StatusOr<node::MendedEpoch> mended = nodes.node(node.id).control().MendEpoch();
    if (!mended.ok()) {
      away.emplace_back(node.name, mended.status());
    } else if (flags.json) {
      json["nodes"].push_back(
          {{"node", node.name}, {"epoch_before", mended->before}, {"batches", mended->batches}});
    } else {
      fmt::print("{}: its epoch was {}; {} waiting batches were rewritten\n", node.name,
                 mended->before, mended->batches);
    }
  }
  if (away.size() == nodes.map().nodes().size()) {
    const absl::Status why(away.back().second.code(), WhyTheyAreAway(away));
    return base::WithContext(why, "not reset");
  }
  std::vector<std::string> missing;
  for (const auto& [name, why] : away) {
    fmt::print(stderr, "{}: {}\n", name, std::string(why.message()));
    missing.push_back(name);
  }
  json["missing_nodes"] = missing;
  if (flags.json) PrintJson(json);
  return missing;
}

}  // namespace

int MendEpochs(const CallFlags& flags) {
  const absl::StatusOr<std::vector<std::string>> missing = MendAll(flags);
  if (!missing.ok()) return PrintError(missing.status());
  if (missing->empty()) return kOk;
  fmt::print(stderr, "not reset: {}; run the same command again when they answer\n",
             absl::StrJoin(*missing, ", "));
  return kPartial;
}

}  // namespace opic::cli
