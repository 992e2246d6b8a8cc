// What an action of opic control has done, as JSON (--json).
//
// Thread safety: pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "node/host_rule_book.h"

namespace opic::cli {

struct NodeAnswer {
  std::string node;  // its name; empty: it was asked alone
  absl::Status status;
};

// What a rule says.
nlohmann::ordered_json RuleJson(const schedule::HostRule& rule);
// The same of one that an operator has given, with `since` in Unix seconds.
nlohmann::ordered_json RuleJson(const node::KeptRule& kept);
// `rules`: those for the hosts that the action was about.
nlohmann::ordered_json ActionJson(const std::string& action, const std::vector<NodeAnswer>& answers,
                                  const std::vector<node::KeptRule>& rules);

}  // namespace opic::cli
