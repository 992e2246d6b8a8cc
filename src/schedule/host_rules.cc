#include "schedule/host_rules.h"

#include "absl/strings/string_view.h"

namespace opic::schedule {

HostRules::HostRules(std::vector<HostRule> rules) {
  for (HostRule& rule : rules) {
    auto& named = rule.domain ? domains_ : own_;
    std::string name = rule.name;
    any_budget_ |= rule.pages.has_value() || rule.bytes.has_value();
    named.insert_or_assign(std::move(name), std::move(rule));
  }
}

template <typename Stop>
const HostRule* HostRules::First(std::string_view host, Stop stop) const {
  if (empty()) return nullptr;
  while (host.ends_with('.')) host.remove_suffix(1);  // the same host
  const auto own = own_.find(absl::string_view(host.data(), host.size()));
  if (own != own_.end() && stop(own->second)) return &own->second;
  for (std::string_view name = host; !domains_.empty();) {
    const auto domain = domains_.find(absl::string_view(name.data(), name.size()));
    if (domain != domains_.end() && stop(domain->second)) return &domain->second;
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) break;
    name.remove_prefix(dot + 1);
  }
  return nullptr;
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

const HostRule* HostRules::Find(std::string_view name, bool domain) const {
  const auto& named = domain ? domains_ : own_;
  const auto found = named.find(absl::string_view(name.data(), name.size()));
  return found == named.end() ? nullptr : &found->second;
}

}  // namespace opic::schedule
