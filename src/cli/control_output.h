// What an action of opic control has done, in words or as JSON (--json).
//
// Thread safety: pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/in_force_words.h"
#include "node/host_rule_book.h"

namespace opic::cli {

struct NodeAnswer {
  std::string node;  // its name; empty: it was asked alone
  absl::Status status;
  std::optional<Shown> after;  // what holds on it then; nothing: it was not asked, or did not say
};

// What the nodes that have done it answer: a line for all that say the same ("a, b: paused since
// ..., by ..."), of a node that was asked alone without its name.
std::string ActionWords(const std::string& action, const std::vector<NodeAnswer>& answers);
// `rules`: those for the hosts that the action was about.
nlohmann::ordered_json ActionJson(const std::string& action, const std::vector<NodeAnswer>& answers,
                                  const std::vector<node::KeptRule>& rules);

}  // namespace opic::cli
