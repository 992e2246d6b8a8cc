#include "cli/in_force_json.h"

#include <nlohmann/json.hpp>

#include "node/hosts_file.h"
#include "refresh/category.h"

namespace opic::cli {

using Json = nlohmann::ordered_json;

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

Json InForceJson(const Shown& shown) {
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
      groups[group][member.domain ? "domains" : "hosts"].push_back(member.name);
    Json shares = Json::array();
    for (const auto& [of, share] : node.hosts_file->shares)
      shares.push_back({{of.domain ? "domain" : "host", of.name}, {"share", share}});
    Json depths = Json::array();
    for (const auto& [of, depth] : node.hosts_file->depths)
      depths.push_back({{of.domain ? "domain" : "host", of.name}, {"depth", depth}});
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

}  // namespace opic::cli
