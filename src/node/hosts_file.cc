#include "node/hosts_file.h"

#include <cstdint>
#include <map>
#include <utility>

namespace opic::node {
namespace {

// Keys that are in one of the maps alone, or have other values.
template <typename Map>
size_t DifferencesOf(const Map& one, const Map& other) {
  size_t differ = 0, common = 0;
  for (const auto& [key, value] : one) {
    const auto found = other.find(key);
    common += found != other.end();
    differ += found == other.end() || found->second != value;
  }
  return differ + other.size() - common;
}

std::map<schedule::HostName, schedule::HostRule> ByName(const HostsFile& file) {
  std::map<schedule::HostName, schedule::HostRule> rules;
  for (const schedule::HostRule& rule : file.rules) rules.emplace(schedule::NameOf(rule), rule);
  return rules;
}

}  // namespace

const std::string* HostsFile::GroupOf(const std::string& host, const std::string& domain) const {
  if (members.empty()) return nullptr;
  auto found = members.find({false, host});
  if (found == members.end()) found = members.find({true, domain});
  return found == members.end() ? nullptr : &found->second;
}

std::vector<schedule::HostGroup> HostsFile::PacedGroups() const {
  std::map<std::string, schedule::HostGroup> paced;
  for (const auto& [member, name] : members) {
    const auto group = groups.find(name);
    if (group == groups.end()) continue;
    const GroupSettings& settings = group->second;
    if (!settings.delay && !settings.share && !settings.parallel) continue;
    schedule::HostGroup& told = paced[name];
    told.name = name;
    told.delay = settings.delay;
    told.share = settings.share.value_or(0);
    told.parallel = settings.parallel.value_or(0);
    (member.domain ? told.domains : told.hosts).push_back(member.name);
  }
  std::vector<schedule::HostGroup> list;
  list.reserve(paced.size() + shares.size());
  for (auto& [name, group] : paced) list.push_back(std::move(group));
  for (const auto& [of, share] : shares) {
    schedule::HostGroup& own = list.emplace_back();
    own.name = schedule::NameOfOwnShare(of);
    own.share = share;
    (of.domain ? own.domains : own.hosts).push_back(of.name);
  }
  return list;
}

size_t Differences(const HostsFile& one, const HostsFile& other) {
  return DifferencesOf(ByName(one), ByName(other)) + DifferencesOf(one.groups, other.groups) +
         DifferencesOf(one.members, other.members) + DifferencesOf(one.shares, other.shares) +
         DifferencesOf(one.depths, other.depths);
}

schedule::HostRule Together(const schedule::HostRule& given, const schedule::HostRule& file) {
  using schedule::HostRule;
  HostRule both = given;
  if (file.blocked) both.blocked = true, both.from_file |= HostRule::kBlock;
  if (!both.delay && file.delay) both.delay = file.delay, both.from_file |= HostRule::kDelay;
  if (!both.pages && file.pages) both.pages = file.pages, both.from_file |= HostRule::kPages;
  if (!both.bytes && file.bytes) both.bytes = file.bytes, both.from_file |= HostRule::kBytes;
  if (!both.parallel && file.parallel)
    both.parallel = file.parallel, both.from_file |= HostRule::kParallel;
  return both;
}

std::vector<schedule::HostRule> RulesTogether(const std::vector<schedule::HostRule>& given,
                                              const std::vector<schedule::HostRule>& file) {
  std::map<schedule::HostName, schedule::HostRule> all;
  for (const schedule::HostRule& rule : given) all.emplace(schedule::NameOf(rule), rule);
  for (const schedule::HostRule& rule : file) {
    schedule::HostRule& both = all[schedule::NameOf(rule)];
    both.name = rule.name;
    both.domain = rule.domain;
    both = Together(both, rule);
  }
  std::vector<schedule::HostRule> list;
  list.reserve(all.size());
  for (auto& [key, rule] : all) list.push_back(std::move(rule));
  return list;
}

}  // namespace opic::node
