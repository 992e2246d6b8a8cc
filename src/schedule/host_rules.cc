#include "schedule/host_rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"

namespace opic::schedule {
namespace {

absl::string_view View(std::string_view name) { return {name.data(), name.size()}; }

// Looks at "www.example.org", "example.org", "org", until `look` says that it has found something.
template <typename Look>
void ForNameAndParents(std::string_view name, Look look) {
  while (!look(name)) {
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return;
    name.remove_prefix(dot + 1);
  }
}

std::string_view WithoutFinalDots(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);  // the same host
  return host;
}

constexpr std::string_view kOwnHost = "host ", kOwnDomain = "domain ";

}  // namespace

std::string NameOfOwnShare(const HostName& of) {
  return std::string(of.domain ? kOwnDomain : kOwnHost).append(of.name);
}

std::string WithOwnShare(std::string_view group) {
  if (group.starts_with(kOwnHost)) return std::string(group.substr(kOwnHost.size()));
  return group.starts_with(kOwnDomain) ? "the " + std::string(group) : "";
}

HostRules::HostRules(std::vector<HostRule> rules, std::vector<HostGroup> groups)
    : groups_(std::move(groups)) {
  for (size_t n = 0; n < groups_.size(); ++n) {
    for (const std::string& host : groups_[n].hosts) group_of_host_[host] = n;
    for (const std::string& domain : groups_[n].domains) group_of_domain_[domain] = n;
  }
  for (HostRule& rule : rules) {
    auto& named = rule.domain ? domains_ : own_;
    std::string name = rule.name;
    any_budget_ |= rule.pages.has_value() || rule.bytes.has_value();
    if (rule.domain && rule.delay)
      longest_domain_delay_ = std::max(longest_domain_delay_, *rule.delay);
    named.insert_or_assign(std::move(name), std::move(rule));
  }
}

template <typename Stop>
const HostRule* HostRules::First(std::string_view host, Stop stop) const {
  if (empty()) return nullptr;
  host = WithoutFinalDots(host);
  const auto own = own_.find(View(host));
  if (own != own_.end() && stop(own->second)) return &own->second;
  if (domains_.empty()) return nullptr;
  const HostRule* found = nullptr;
  ForNameAndParents(host, [&](std::string_view name) {
    const auto domain = domains_.find(View(name));
    if (domain != domains_.end() && stop(domain->second)) found = &domain->second;
    return found != nullptr;
  });
  return found;
}

const HostGroup* HostRules::GroupOf(std::string_view host) const {
  if (groups_.empty()) return nullptr;
  host = WithoutFinalDots(host);
  const auto own = group_of_host_.find(View(host));
  if (own != group_of_host_.end()) return &groups_[own->second];
  if (group_of_domain_.empty()) return nullptr;
  const HostGroup* found = nullptr;
  ForNameAndParents(host, [&](std::string_view name) {
    const auto domain = group_of_domain_.find(View(name));
    if (domain != group_of_domain_.end()) found = &groups_[domain->second];
    return found != nullptr;
  });
  return found;
}

void HostRules::ForEachHostDelay(
    absl::FunctionRef<void(const std::string& host, absl::Duration delay)> take) const {
  for (const auto& [host, rule] : own_)
    if (rule.delay) take(host, *rule.delay);
}

const HostRule* HostRules::BlockOf(std::string_view host) const {
  return First(host, [](const HostRule& rule) { return rule.blocked; });
}

const HostRule* HostRules::DelayRuleOf(std::string_view host) const {
  return First(host, [](const HostRule& one) { return one.delay.has_value(); });
}

std::optional<absl::Duration> HostRules::DelayOf(std::string_view host) const {
  const HostRule* rule = DelayRuleOf(host);
  return rule == nullptr ? std::nullopt : rule->delay;
}

std::optional<uint32_t> HostRules::ParallelOf(std::string_view host) const {
  const HostRule* rule = First(host, [](const HostRule& one) { return one.parallel.has_value(); });
  if (rule != nullptr) return rule->parallel;
  const HostGroup* group = GroupOf(host);
  if (group == nullptr || group->parallel == 0) return std::nullopt;
  return group->parallel;
}

const HostRule* HostRules::Find(std::string_view name, bool domain) const {
  const auto& named = domain ? domains_ : own_;
  const auto found = named.find(View(name));
  return found == named.end() ? nullptr : &found->second;
}

}  // namespace opic::schedule
