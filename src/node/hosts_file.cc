#include "node/hosts_file.h"

#include <cstdint>
#include <map>
#include <utility>

namespace opic::node {

schedule::HostRule Together(const schedule::HostRule& given, const schedule::HostRule& file) {
  using schedule::HostRule;
  HostRule both = given;
  if (file.blocked) both.blocked = true, both.from_file |= HostRule::kBlock;
  if (!both.delay && file.delay) both.delay = file.delay, both.from_file |= HostRule::kDelay;
  if (!both.pages && file.pages) both.pages = file.pages, both.from_file |= HostRule::kPages;
  if (!both.bytes && file.bytes) both.bytes = file.bytes, both.from_file |= HostRule::kBytes;
  return both;
}

std::vector<schedule::HostRule> RulesTogether(const std::vector<schedule::HostRule>& given,
                                              const std::vector<schedule::HostRule>& file) {
  std::map<std::pair<bool, std::string>, schedule::HostRule> all;
  for (const schedule::HostRule& rule : given)
    all.emplace(std::pair(!rule.domain, rule.name), rule);
  for (const schedule::HostRule& rule : file) {
    schedule::HostRule& both = all[{!rule.domain, rule.name}];
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
