// What operators have set on a running node, subject by subject, in words: as `opic control show`
// tells it, and as an action answers with what it has put in force.
//
// Thread safety: pure, but for AskShown, which asks the node.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "node/in_force.h"
#include "rpc/node_client.h"
#include "scheduler/scheduler.h"

namespace opic::cli {

// Of one node, and of the Page Scheduler where that is inside it.
struct Shown {
  node::InForce node;
  std::optional<scheduler::SchedulerStatus> scheduler;
};
absl::StatusOr<Shown> AskShown(rpc::NodeClient& client);
// The same without the addresses of those who have set it: every node sees another port.
Shown WithoutAddresses(Shown shown);

std::string FetchingWords(const Shown& shown);  // "paused since ..., by ..."
std::string BudgetWords(const Shown& shown);
std::string LimitsWords(const Shown& shown);
std::string ScopeWords(const Shown& shown);
std::string RefreshWords(const Shown& shown);

// The call by which `action` of opic control changes something, as the audit trail names it; empty:
// there is none whose effect is told here.
std::string CallOf(const std::string& action);
// What holds after `action`: "paused since ..., by ...".
std::string WordsAfter(const std::string& action, const Shown& shown);

}  // namespace opic::cli
