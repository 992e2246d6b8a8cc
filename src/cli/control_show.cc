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
#include "cli/control_output.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "node/hosts_file.h"
#include "refresh/category.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

absl::StatusOr<Shown> Ask(rpc::NodeClient& client) {
  Shown shown;
  ASSIGN_OR_RETURN(shown.node, client.control().WhatIsInForce());
  if (auto status = client.SchedulerStatus(); status.ok()) shown.scheduler = *std::move(status);
  return shown;
}

// " (since ..., by ...)" of the last call of that name; empty: there was none.
std::string Since(const node::InForce& node, std::string_view call) {
  for (const node::LastAct& act : node.acts) {
    if (act.name == call) return fmt::format(" (since {}, by {})", UtcTime(act.at), act.by);
  }
  return "";
}

std::string PausedText(const node::InForce& node) {
  if (!node.paused_since) return "not paused";
  std::string text = "paused since " + UtcTime(*node.paused_since);
  for (const node::LastAct& act : node.acts) {
    if (act.name == "Pause") text += ", by " + act.by;
  }
  return text;
}

std::string RefreshText(const node::RefreshTuning& tuning) {
  std::vector<std::string> parts;
  if (tuning.share) parts.push_back(fmt::format("share {}", *tuning.share));
  for (size_t c = 0; c < refresh::kCategories; ++c) {
    if (!tuning.factors[c]) continue;
    parts.push_back(fmt::format("{}={}", refresh::NameOf(static_cast<refresh::Category>(c)),
                                *tuning.factors[c]));
  }
  return parts.empty() ? "as started" : absl::StrJoin(parts, ", ");
}

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
  std::map<std::pair<bool, std::string>, const node::KeptRule*> given;
  std::vector<schedule::HostRule> rules;
  for (const node::KeptRule& kept : node.hosts) {
    given[{kept.rule.domain, kept.rule.name}] = &kept;
    rules.push_back(kept.rule);
  }
  if (node.hosts_file) rules = node::RulesTogether(rules, node.hosts_file->rules);
  std::vector<std::string> lines;
  for (const schedule::HostRule& rule : rules) {
    std::vector<std::string> by;
    if (const auto kept = given.find({rule.domain, rule.name}); kept != given.end())
      by.push_back(fmt::format("since {}, by {}", UtcTime(kept->second->since), kept->second->by));
    if (std::string file = OfTheFile(rule); !file.empty()) by.push_back(std::move(file));
    lines.push_back(fmt::format("{} ({})", node::InWords(rule), absl::StrJoin(by, "; ")));
  }
  return lines;
}

// "shops: at most 9 pages, a delay of 2s, of a.test, the domain b.test together"
std::vector<std::string> GroupLines(const node::HostsFile& file) {
  std::map<std::string, std::vector<std::string>> members;
  for (const auto& [member, group] : file.members)
    members[group].push_back((member.first ? "the domain " : "") + member.second);
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
                                of.first ? "the domain " : "", of.second));
  }
  return lines;
}

// "at most 5 links from a seed, of the domain b.test"
std::vector<std::string> DepthLines(const node::HostsFile& file) {
  std::vector<std::string> lines;
  for (const auto& [of, depth] : file.depths) {
    const std::string most =
        depth > 0 ? "at most " + base::Counted(depth, "link") : "any number of links";
    lines.push_back(most + " from a seed, of " + (of.first ? "the domain " : "") + of.second);
  }
  return lines;
}

std::string Text(const Shown& shown) {
  const node::InForce& node = shown.node;
  std::string out;
  const auto line = [&out](std::string_view name, const std::string& value) {
    out += fmt::format("{:<10} {}\n", name, value);
  };
  line("fetching", PausedText(node));
  if (shown.scheduler) {
    const scheduler::SchedulerStatus& pace = *shown.scheduler;
    line("budget",
         fmt::format(
             "{}, {} between two fetches of a host{}",
             pace.pages_per_s_max > 0 ? fmt::format("{} pages/s", pace.pages_per_s_max)
                                      : "no limit of pages/s",
             absl::FormatDuration(pace.delay),
             pace.rate_was_set || pace.delay_was_set ? Since(node, "SetBudget") : " (as started)"));
  } else {
    line("budget", "not known here: the Page Scheduler did not answer, or is in another process");
  }
  if (node.limits.in_flight > 0) {
    line("limits",
         fmt::format("{}, {} at once{}",
                     node.limits.pages > 0 ? base::Counted(node.limits.pages, "page")
                                           : "any number of pages",
                     base::Counted(node.limits.in_flight, "fetch", "fetches"),
                     node.limits_set.empty() ? " (as started)" : Since(node, "SetLimits")));
    line("log", "level " + base::InWords(node.log));
  }
  line("scope",
       fmt::format("{}{}{}, {}, {}", node.crawl.scope,
                   node.crawl.include && !node.crawl.include->empty()
                       ? " including " + absl::StrJoin(*node.crawl.include, " ")
                       : "",
                   node.crawl.exclude && !node.crawl.exclude->empty()
                       ? " excluding " + absl::StrJoin(*node.crawl.exclude, " ")
                       : "",
                   node.crawl.depth.value_or(0) == 0 ? "any depth"
                                                     : fmt::format("depth {}", *node.crawl.depth),
                   base::Counted(node.seeds, "seed")));
  if (!node.crawl.traps.empty()) line("traps", node.crawl.traps);
  if (node.reads_again) line("refresh", RefreshText(node.refresh) + Since(node, "TuneRefresh"));
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

// "anna@desk, operator by token, ipv4:127.0.0.1:4711" up to the address.
void CutAddress(std::string& by) {
  const size_t comma = by.rfind(", ");
  if (comma == std::string::npos) return;
  const std::string_view last = std::string_view(by).substr(comma + 2);
  if (last.starts_with("ipv4:") || last.starts_with("ipv6:") || last.starts_with("unix:"))
    by.resize(comma);
}

std::string TextWithoutAddresses(Shown shown) {
  for (node::LastAct& act : shown.node.acts) CutAddress(act.by);
  for (node::KeptRule& kept : shown.node.hosts) CutAddress(kept.by);
  return Text(shown);
}

Json ToJson(const Shown& shown) {
  const node::InForce& node = shown.node;
  Json json = {{"paused", node.paused_since.has_value()}};
  if (node.paused_since) json["paused_since"] = absl::ToUnixSeconds(*node.paused_since);
  if (shown.scheduler) {
    json["budget"] = {{"pages_per_s", shown.scheduler->pages_per_s_max},
                      {"delay_seconds", absl::ToDoubleSeconds(shown.scheduler->delay)},
                      {"rate_was_set", shown.scheduler->rate_was_set},
                      {"delay_was_set", shown.scheduler->delay_was_set}};
  }
  if (node.limits.in_flight > 0) {
    json["limits"] = {{"pages", node.limits.pages},
                      {"in_flight", node.limits.in_flight},
                      {"pages_was_set", node.limits_set.pages.has_value()},
                      {"in_flight_was_set", node.limits_set.in_flight.has_value()}};
    json["log_level"] = std::string(base::Name(node.log.all));
    json["log_modules"] = Json::object();
    for (const auto& [module, level] : node.log.modules)
      json["log_modules"][module] = std::string(base::Name(level));
  }
  json["scope"] = {{"kind", node.crawl.scope},
                   {"include", node.crawl.include.value_or(std::vector<std::string>())},
                   {"exclude", node.crawl.exclude.value_or(std::vector<std::string>())},
                   {"depth", node.crawl.depth.value_or(0)},
                   {"seeds", node.seeds}};
  if (!node.crawl.traps.empty()) json["scope"]["traps"] = node.crawl.traps;
  if (node.reads_again) {
    json["refresh"] = Json::object();
    if (node.refresh.share) json["refresh"]["share"] = *node.refresh.share;
    for (size_t c = 0; c < refresh::kCategories; ++c) {
      if (!node.refresh.factors[c]) continue;
      const std::string name(refresh::NameOf(static_cast<refresh::Category>(c)));
      json["refresh"]["factors"][name] = *node.refresh.factors[c];
    }
  }
  json["hosts"] = Json::array();
  for (const node::KeptRule& kept : node.hosts) json["hosts"].push_back(RuleJson(kept));
  if (node.hosts_file) {
    Json rules = Json::array();
    for (const schedule::HostRule& rule : node.hosts_file->rules) rules.push_back(RuleJson(rule));
    Json groups = Json::object();
    for (const auto& [name, settings] : node.hosts_file->groups) {
      groups[name] = {{"hosts", Json::array()}, {"domains", Json::array()}};
      if (settings.pages) groups[name]["pages"] = *settings.pages;
      if (settings.bytes) groups[name]["bytes"] = *settings.bytes;
      if (settings.delay) groups[name]["delay_s"] = absl::ToDoubleSeconds(*settings.delay);
      if (settings.share) groups[name]["share"] = *settings.share;
      if (settings.parallel) groups[name]["parallel"] = *settings.parallel;
    }
    for (const auto& [member, group] : node.hosts_file->members)
      groups[group][member.first ? "domains" : "hosts"].push_back(member.second);
    Json shares = Json::array();
    for (const auto& [of, share] : node.hosts_file->shares)
      shares.push_back({{of.first ? "domain" : "host", of.second}, {"share", share}});
    Json depths = Json::array();
    for (const auto& [of, depth] : node.hosts_file->depths)
      depths.push_back({{of.first ? "domain" : "host", of.second}, {"depth", depth}});
    json["hosts_file"] = {
        {"path", node.hosts_file->path}, {"read", absl::ToUnixSeconds(node.hosts_file->read)},
        {"rules", std::move(rules)},     {"groups", std::move(groups)},
        {"shares", std::move(shares)},   {"depths", std::move(depths)}};
  }
  json["acts"] = Json::object();
  for (const node::LastAct& act : node.acts)
    json["acts"][act.name] = {{"at", absl::ToUnixSeconds(act.at)}, {"by", act.by}};
  return json;
}

absl::StatusOr<int> ShowCluster(const TargetFlags& flags, Target& target) {
  Json all = Json::object();
  std::vector<std::pair<std::string, Shown>> answers;
  int code = kOk;
  for (const cluster::MemberNode& node : target.map().nodes()) {
    absl::StatusOr<Shown> shown = Ask(*target.nodes()[node.id.value]);
    if (!shown.ok()) {
      fmt::print(stderr, "node {}: {}\n", node.name, std::string(shown.status().message()));
      code = kPartial;
      continue;
    }
    all[node.name] = ToJson(*shown);
    answers.emplace_back(node.name, *std::move(shown));
  }
  if (all.empty()) return absl::UnavailableError("no node of the cluster answers");
  if (flags.json) {
    PrintJson(all);
  } else {
    fmt::print("{}", TextOfCluster(answers));
  }
  return code;
}

}  // namespace

std::string TextOfCluster(const std::vector<std::pair<std::string, Shown>>& nodes) {
  struct Group {
    std::string names, same, text;
  };
  std::vector<Group> groups;
  for (const auto& [name, shown] : nodes) {
    const std::string same = TextWithoutAddresses(shown);
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
  ASSIGN_OR_RETURN(const Shown shown, Ask(*target.client()));
  if (flags.json) {
    PrintJson(ToJson(shown));
  } else {
    fmt::print("{}\n", Text(shown));
  }
  return kOk;
}

}  // namespace opic::cli
