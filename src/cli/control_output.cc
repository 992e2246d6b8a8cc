#include "cli/control_output.h"

#include <nlohmann/json.hpp>

namespace opic::cli {
namespace {
using Json = nlohmann::ordered_json;
}  // namespace

Json RuleJson(const node::KeptRule& kept) {
  Json rule = {
      {"name", kept.rule.name}, {"domain", kept.rule.domain}, {"blocked", kept.rule.blocked}};
  if (kept.rule.delay) rule["delay_seconds"] = absl::ToDoubleSeconds(*kept.rule.delay);
  if (kept.rule.pages) rule["pages"] = *kept.rule.pages;
  if (kept.rule.bytes) rule["bytes"] = *kept.rule.bytes;
  rule["since"] = absl::ToUnixSeconds(kept.since);
  rule["by"] = kept.by;
  return rule;
}

Json ActionJson(const std::string& action, const std::vector<NodeAnswer>& answers,
                const std::vector<node::KeptRule>& rules) {
  bool done = true;
  Json nodes = Json::array();
  for (const NodeAnswer& answer : answers) {
    done = done && answer.status.ok();
    if (answer.node.empty()) continue;
    nodes.push_back({{"node", answer.node}, {"done", answer.status.ok()}});
    if (!answer.status.ok()) nodes.back()["error"] = std::string(answer.status.message());
  }
  Json json = {{"action", action}, {"done", done}};
  if (!nodes.empty()) json["nodes"] = nodes;
  for (const node::KeptRule& kept : rules) json["rules"].push_back(RuleJson(kept));
  return json;
}

}  // namespace opic::cli
