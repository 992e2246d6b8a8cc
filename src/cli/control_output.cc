#include "cli/control_output.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "cli/in_force_json.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of what is in force that which `action` is about, with since when and by whom.
void AddInForce(const std::string& action, const Shown& after, Json& json) {
  static const auto& subjects =
      *new std::map<std::string, std::vector<const char*>>{{"pause", {"paused", "paused_since"}},
                                                           {"resume", {"paused", "paused_since"}},
                                                           {"budget", {"budget"}},
                                                           {"limits", {"limits", "scope"}},
                                                           {"log", {"log_level", "log_modules"}},
                                                           {"refresh", {"refresh"}}};
  const auto keys = subjects.find(action);
  if (keys == subjects.end()) return;
  const Json all = InForceJson(after);
  for (const char* key : keys->second) {
    if (all.contains(key)) json[key] = all[key];
  }
  const Json& acts = all["acts"];
  if (const auto act = acts.find(CallOf(action)); act != acts.end())
    json["since"] = (*act)["at"], json["by"] = (*act)["by"];
}

// The same words of several nodes are one line: by words, in the order of the first of them.
struct WordsOfNodes {
  std::string nodes, words;
};

std::string WordsOf(const std::string& action, const NodeAnswer& answer, bool alone) {
  if (action == "stop") return "stopping; it ends when the fetches under way are done";
  if (CallOf(action).empty()) return "";  // the rules say it
  if (!answer.after) return "done";
  return WordsAfter(action, alone ? *answer.after : WithoutAddresses(*answer.after));
}

}  // namespace

std::string ActionWords(const std::string& action, const std::vector<NodeAnswer>& answers) {
  std::vector<WordsOfNodes> lines;
  for (const NodeAnswer& answer : answers) {
    if (!answer.status.ok()) continue;
    const std::string words = WordsOf(action, answer, answers.size() == 1);
    if (words.empty()) continue;
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const WordsOfNodes& line) { return line.words == words; });
    if (same == lines.end()) {
      lines.push_back({answer.node, words});
    } else {
      absl::StrAppend(&same->nodes, ", ", answer.node);
    }
  }
  std::string text;
  for (const WordsOfNodes& line : lines)
    absl::StrAppend(&text, line.nodes, line.nodes.empty() ? "" : ": ", line.words, "\n");
  return text;
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
    if (answer.after) AddInForce(action, *answer.after, nodes.back());
  }
  Json json = {{"action", action}, {"done", done}};
  if (nodes.empty() && !answers.empty() && answers.front().after)
    AddInForce(action, *answers.front().after, json);
  if (!nodes.empty()) json["nodes"] = nodes;
  for (const node::KeptRule& kept : rules) json["rules"].push_back(RuleJson(kept));
  return json;
}

}  // namespace opic::cli
