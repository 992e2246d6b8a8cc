// What operators have set on a running node, as JSON: for `opic control show --json`, and for the
// actions of opic control, which answer with it.
//
// Thread safety: pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/in_force_words.h"
#include "node/host_rule_book.h"

namespace opic::cli {

nlohmann::ordered_json InForceJson(const Shown& shown);
// What a rule says.
nlohmann::ordered_json RuleJson(const schedule::HostRule& rule);
// The same of one that an operator has given, with `since` in Unix seconds.
nlohmann::ordered_json RuleJson(const node::KeptRule& kept);

}  // namespace opic::cli
