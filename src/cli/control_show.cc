#include "cli/control_show.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/in_force_json.h"
#include "cli/json_output.h"
#include "node/hosts_file.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

// "delay, pages by the hosts file"; empty: nothing is.
std::string OfTheFile(const schedule::HostRule& rule) {
  using schedule::HostRule;
  static constexpr std::pair<HostRule::FromFile, const char*> kNames[] = {
      {HostRule::kBlock, "block"},
      {HostRule::kDelay, "delay"},
      {HostRule::kPages, "pages"},
      {HostRule::kBytes, "bytes"},
      {HostRule::kParallel, "parallel"}};
  std::vector<std::string> names;
  for (const auto& [bit, name] : kNames) {
    if ((rule.from_file & bit) != 0) names.push_back(name);
  }
  return names.empty() ? "" : absl::StrJoin(names, ", ") + " by the hosts file";
}

// What holds of each host, in words, with who says it.
std::vector<std::string> HostLines(const node::InForce& node) {
  std::map<schedule::HostName, const node::KeptRule*> given;
  std::vector<schedule::HostRule> rules;
  for (const node::KeptRule& kept : node.hosts) {
    given[schedule::NameOf(kept.rule)] = &kept;
    rules.push_back(kept.rule);
  }
  if (node.hosts_file) rules = node::RulesTogether(rules, node.hosts_file->rules);
  std::vector<std::string> lines;
  for (const schedule::HostRule& rule : rules) {
    std::vector<std::string> by;
    if (const auto kept = given.find(schedule::NameOf(rule)); kept != given.end())
      by.push_back(fmt::format("since {}, by {}", UtcTime(kept->second->since), kept->second->by));
    if (std::string file = OfTheFile(rule); !file.empty()) by.push_back(std::move(file));
    lines.push_back(fmt::format("{} ({})", node::InWords(rule), absl::StrJoin(by, "; ")));
  }
  return lines;
}

// "shops: at most 9 pages, a delay of 2s, of the domain b.test, a.test together"
std::vector<std::string> GroupLines(const node::HostsFile& file) {
  std::map<std::string, std::vector<std::string>> members;
  for (const auto& [member, group] : file.members)
    members[group].push_back((member.domain ? "the domain " : "") + member.name);
  std::vector<std::string> lines;
  for (const auto& [name, settings] : file.groups) {
    std::vector<std::string> limits;
    if (settings.pages.value_or(0) > 0) limits.push_back(base::Counted(*settings.pages, "page"));
    if (settings.bytes.value_or(0) > 0) limits.push_back(base::Counted(*settings.bytes, "byte"));
    std::string all = limits.empty() ? "" : "at most " + absl::StrJoin(limits, " and ");
    if (settings.delay) {
      absl::StrAppend(&all, all.empty() ? "" : ", ", "a delay of ",
                      absl::FormatDuration(*settings.delay));
    }
    if (settings.parallel) {
      absl::StrAppend(&all, all.empty() ? "" : ", ", "up to ",
                      base::Counted(*settings.parallel, "request"), " at once");
    }
    if (settings.share) {
      absl::StrAppend(&all, all.empty() ? "" : ", ",
                      fmt::format("{:g}% of --rate", *settings.share * 100));
    }
    lines.push_back(
        fmt::format("{}: {}, of {} together", name, all.empty() ? "no limit" : all,
                    members[name].empty() ? "no host" : absl::StrJoin(members[name], ", ")));
  }
  return lines;
}

// "5% of --rate, of the domain b.test"
std::vector<std::string> ShareLines(const node::HostsFile& file) {
  std::vector<std::string> lines;
  for (const auto& [of, share] : file.shares) {
    lines.push_back(fmt::format("{:g}% of --rate, of {}{}", share * 100,
                                of.domain ? "the domain " : "", of.name));
  }
  return lines;
}

// "at most 5 links from a seed, of the domain b.test"
std::vector<std::string> DepthLines(const node::HostsFile& file) {
  std::vector<std::string> lines;
  for (const auto& [of, depth] : file.depths) {
    const std::string most =
        depth > 0 ? "at most " + base::Counted(depth, "link") : "any number of links";
    lines.push_back(most + " from a seed, of " + (of.domain ? "the domain " : "") + of.name);
  }
  return lines;
}

std::string Text(const Shown& shown) {
  const node::InForce& node = shown.node;
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) {
    out += fmt::format("{:<10} {}\n", name, value);
  };
  line("fetching", FetchingWords(shown));
  line("budget", BudgetWords(shown));
  if (node.limits.in_flight > 0) {
    line("limits", LimitsWords(shown));
    line("log", "level " + base::InWords(node.log));
  }
  line("scope", ScopeWords(shown));
  if (!node.crawl.traps.empty()) line("traps", node.crawl.traps);
  if (node.reads_again) line("refresh", RefreshWords(shown));
  if (node.hosts_file) {
    line("hosts file", fmt::format("{}, {}", node.hosts_file->path,
                                   base::Counted(node.hosts_file->rules.size(), "rule")));
    for (const std::string& group : GroupLines(*node.hosts_file)) line("group", group);
    for (const std::string& share : ShareLines(*node.hosts_file)) line("share", share);
    for (const std::string& depth : DepthLines(*node.hosts_file)) line("depth", depth);
  }
  for (const std::string& host : HostLines(node)) line("host", host);
  return out;
}

absl::StatusOr<int> ShowCluster(const TargetFlags& flags, Target& target) {
  Json all = Json::object();
  std::vector<std::pair<std::string, Shown>> answers;
  absl::Status last;  // of those that did not answer
  for (const cluster::MemberNode& node : target.map().nodes()) {
    absl::StatusOr<Shown> shown = AskShown(*target.nodes()[node.id.value]);
    if (!shown.ok()) {
      if (!last.ok()) fmt::print(stderr, "{}\n", std::string(last.message()));
      last = base::WithContext(shown.status(), "node " + node.name);
      continue;
    }
    all[node.name] = InForceJson(*shown);
    answers.emplace_back(node.name, *std::move(shown));
  }
  if (all.empty()) return last;
  if (!last.ok()) fmt::print(stderr, "{}\n", std::string(last.message()));
  if (flags.json) {
    PrintJson(all);
  } else {
    fmt::print("{}", TextOfCluster(answers));
  }
  return last.ok() ? kOk : kPartial;
}

}  // namespace

std::string TextOfCluster(const std::vector<std::pair<std::string, Shown>>& nodes) {
  struct Group {
    std::string names, same, text;
  };
  std::vector<Group> groups;
  for (const auto& [name, shown] : nodes) {
    const std::string same = Text(WithoutAddresses(shown));
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& group) { return group.same == same; });
    if (found == groups.end()) {
      groups.push_back({name, same, Text(shown)});
    } else {
      found->names += ", " + name;
      found->text = same;
    }
  }
  std::string out;
  for (const Group& group : groups) out += group.names + ":\n" + group.text;
  return out;
}

absl::StatusOr<int> ShowControl(const TargetFlags& flags, Target& target) {
  if (!target.nodes().empty() && flags.node.empty()) return ShowCluster(flags, target);
  ASSIGN_OR_RETURN(const Shown shown, AskShown(*target.client()));
  if (flags.json) {
    PrintJson(InForceJson(shown));
  } else {
    fmt::print("{}", Text(shown));
  }
  return kOk;
}

}  // namespace opic::cli
