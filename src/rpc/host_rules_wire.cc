#include "rpc/host_rules_wire.h"

#include "absl/strings/str_cat.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/session.pb.h"
#include "rpc/time_wire.h"

namespace opic::rpc {

void ToWire(const schedule::HostRule& rule, v1::HostRule* wire) {
  wire->set_name(rule.name);
  wire->set_domain(rule.domain);
  wire->set_blocked(rule.blocked);
  if (rule.delay) *wire->mutable_delay() = WireDuration(*rule.delay);
  if (rule.pages) wire->set_pages(*rule.pages);
  if (rule.bytes) wire->set_bytes(*rule.bytes);
  if (rule.parallel) wire->set_parallel(*rule.parallel);
  wire->set_from_file(rule.from_file);
}

std::optional<schedule::HostRule> FromWire(const v1::HostRule& wire) {
  const std::optional<absl::Duration> delay = DelayOf(wire);
  const bool negative = delay && *delay < absl::ZeroDuration();
  if (wire.name().empty() || negative || wire.pages() > schedule::kBudgetMax ||
      wire.bytes() > schedule::kBudgetMax || wire.parallel() > schedule::kParallelMax) {
    return std::nullopt;
  }
  schedule::HostRule rule{.name = wire.name(), .domain = wire.domain(), .blocked = wire.blocked()};
  rule.delay = delay;
  if (wire.has_pages()) rule.pages = wire.pages();
  if (wire.has_bytes()) rule.bytes = wire.bytes();
  if (wire.parallel() > 0) rule.parallel = wire.parallel();
  rule.from_file = static_cast<uint8_t>(wire.from_file() & schedule::HostRule::kAllFromFile);
  return rule;
}

void ToWire(const node::KeptRule& kept, v1::KeptHostRule* wire) {
  ToWire(kept.rule, wire->mutable_rule());
  *wire->mutable_since() = WireTime(kept.since);
  wire->set_by(kept.by);
}

std::optional<node::KeptRule> FromWire(const v1::KeptHostRule& wire) {
  std::optional<schedule::HostRule> rule = FromWire(wire.rule());
  if (!rule) return std::nullopt;
  rule->from_file = 0;     // an operator's
  rule->parallel.reset();  // which only files say
  return node::KeptRule{*std::move(rule), TimeOf(wire.since()), wire.by()};
}

void ToWire(const std::vector<node::HostChange>& changes, v1::TuneHostsRequest* wire) {
  for (const node::HostChange& change : changes) {
    v1::HostChange& told = *wire->add_changes();
    told.set_host(change.host);
    told.set_domain(change.domain);
    if (change.blocked) told.set_blocked(*change.blocked);
    if (change.delay) *told.mutable_delay() = WireDuration(*change.delay);
    told.set_clear_delay(change.clear_delay);
    if (change.pages) told.set_pages(*change.pages);
    if (change.bytes) told.set_bytes(*change.bytes);
    told.set_clear_budget(change.clear_budget);
  }
}

absl::StatusOr<std::vector<node::HostChange>> FromWire(const v1::TuneHostsRequest& wire) {
  if (static_cast<size_t>(wire.changes_size()) > schedule::kHostRulesMax) {
    return absl::InvalidArgumentError(absl::StrCat(wire.changes_size(), " hosts at once: give ",
                                                   schedule::kHostRulesMax, " at most"));
  }
  std::vector<node::HostChange> changes;
  for (const v1::HostChange& told : wire.changes()) {
    node::HostChange change{.host = told.host(), .domain = told.domain()};
    if (told.has_blocked()) change.blocked = told.blocked();
    change.delay = DelayOf(told);
    change.clear_delay = told.clear_delay();
    if (told.has_pages()) change.pages = told.pages();
    if (told.has_bytes()) change.bytes = told.bytes();
    change.clear_budget = told.clear_budget();
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace opic::rpc
