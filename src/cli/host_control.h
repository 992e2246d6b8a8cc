// opic control block, unblock and host: rules for hosts, given to the nodes that are to know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/target.h"

namespace opic::cli {

struct HostControl {
  std::vector<std::string> hosts;
  bool domain = false;
  std::string delay;              // of `host`; empty: not given
  std::optional<uint64_t> pages;  // likewise, and the next two
  std::string bytes;
  bool clear = false;
};

inline bool IsHostAction(const std::string& action) {
  return action == "block" || action == "unblock" || action == "host";
}

// InvalidArgument: a flag is wrong, or missing.
absl::StatusOr<std::vector<node::HostChange>> HostChanges(const std::string& action,
                                                          const HostControl& flags);

// What the nodes have answered, for people: one line a rule. `nodes`: of how many; 0: of one that
// was asked alone.
void PrintRules(const std::vector<node::KeptRule>& rules, size_t nodes);
// Says so on standard error when `node` has peers, which lack the change.
void WarnIfOthersMustKnow(rpc::NodeClient& node);

}  // namespace opic::cli
