#include "cli/mend_epochs.h"

#include <fmt/core.h>

#include "base/status_macros.h"
#include "cli/exit_code.h"

namespace opic::cli {
namespace {

// The names of the nodes that did not answer, in a sentence.
absl::StatusOr<std::string> MendAll(const CallFlags& flags) {
  ASSIGN_OR_RETURN(const ClusterNodes nodes, ClusterNodes::Open(flags));
  std::string missing;
  for (const cluster::MemberNode& node : nodes.map().nodes()) {
    const absl::StatusOr<node::MendedEpoch> mended = nodes.node(node.id).control().MendEpoch();
    if (mended.ok()) {
      fmt::print("{}: its epoch was {}; {} waiting batches were rewritten\n", node.name,
                 mended->before, mended->batches);
      continue;
    }
    fmt::print(stderr, "{}: {}\n", node.name, std::string(mended.status().message()));
    missing += (missing.empty() ? "" : ", ") + node.name;
  }
  return missing;
}

}  // namespace

int MendEpochs(const CallFlags& flags) {
  const absl::StatusOr<std::string> missing = MendAll(flags);
  if (!missing.ok()) return PrintError(missing.status());
  if (missing->empty()) return kOk;
  fmt::print(stderr, "not reset: {}; run the same command again when they answer\n", *missing);
  return kPartial;
}

}  // namespace opic::cli
