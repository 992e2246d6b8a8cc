#include "cli/control_output.h"

#include <nlohmann/json.hpp>

namespace opic::cli {
namespace {
using Json = nlohmann::ordered_json;
}  // namespace

Json RuleJson(const schedule::HostRule& rule) {
  Json json = {{"name", rule.name}, {"domain", rule.domain}, {"blocked", rule.blocked}};
  if (rule.delay) json["delay_seconds"] = absl::ToDoubleSeconds(*rule.delay);
  if (rule.pages) json["pages"] = *rule.pages;
  if (rule.bytes) json["bytes"] = *rule.bytes;
  if (rule.parallel) json["parallel"] = *rule.parallel;
  return json;
}

Json RuleJson(const node::KeptRule& kept) {
  Json rule = RuleJson(kept.rule);
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
