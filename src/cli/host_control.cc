#include "cli/host_control.h"

#include <fmt/core.h>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"

namespace opic::cli {

absl::StatusOr<std::vector<node::HostChange>> HostChanges(const std::string& action,
                                                          const HostControl& flags) {
  if (flags.hosts.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(action, " needs at least one host: a name, or a URL on it"));
  }
  node::HostChange change{.domain = flags.domain};
  if (action == "host") {
    const bool sets = !flags.delay.empty() || flags.pages || !flags.bytes.empty();
    if (sets == flags.clear) {
      return absl::InvalidArgumentError(
          "host needs either one or more of --delay TIME (between two fetches of the host), "
          "--pages N and --bytes SIZE (its budget over all time), or --clear (back to the delay "
          "and the budget of all hosts)");
    }
    change.clear_delay = change.clear_budget = flags.clear;
    if (!flags.delay.empty()) {
      ASSIGN_OR_RETURN(change.delay, ParseDuration(flags.delay, "delay"));
    }
    change.pages = flags.pages;
    if (!flags.bytes.empty()) {
      ASSIGN_OR_RETURN(change.bytes, ParseBytes(flags.bytes, "bytes"));
    }
  } else {
    change.blocked = action == "block";
  }
  std::vector<node::HostChange> changes;
  for (const std::string& host : flags.hosts) {
    change.host = host;
    changes.push_back(change);
  }
  return changes;
}

void PrintRules(const std::vector<node::KeptRule>& rules, size_t nodes) {
  const std::string where = nodes == 0 ? "" : fmt::format(", on {}", base::Counted(nodes, "node"));
  for (const node::KeptRule& kept : rules) fmt::print("{}{}\n", node::InWords(kept.rule), where);
}

void WarnIfOthersMustKnow(rpc::NodeClient& node) {
  const absl::StatusOr<node::NodeStats> stats = node.Stats();
  if (!stats.ok() || stats->nodes.size() + stats->missing.size() < 2) return;
  fmt::print(
      stderr,
      "Only this node has the change. Its cluster has {}: give --cluster FILE to tell all.\n",
      base::Counted(stats->nodes.size() + stats->missing.size(), "node"));
}

}  // namespace opic::cli
