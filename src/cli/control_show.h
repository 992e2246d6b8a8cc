// opic control show: what operators have set, since when and by whom; and what is crawled.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/in_force_words.h"
#include "cli/target.h"

namespace opic::cli {

// Nodes, by name, with the same settings since the same second and by the same caller are shown
// together. A caller's address does not count: every node sees another port.
std::string TextOfCluster(const std::vector<std::pair<std::string, Shown>>& nodes);

// In a cluster every node is asked. The exit code: 7 when one of them did not answer.
absl::StatusOr<int> ShowControl(const TargetFlags& flags, Target& target);

}  // namespace opic::cli
