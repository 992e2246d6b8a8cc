// A change of a rule for a host or a domain, as a person asks for it, and what a rule may say:
// names of hosts, bounds of delays and budgets.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "node/kept_rule.h"
#include "schedule/host_rules.h"

namespace opic::node {

// What is to change of the rule for a host or a domain; what is not given stays.
struct HostChange {
  std::string host;     // as a person writes it: a name, or a URL on it
  bool domain = false;  // a registrable domain, with all names below it
  std::optional<bool> blocked;
  std::optional<absl::Duration> delay;
  bool clear_delay = false;  // the delay of all hosts again
  // Of pages and bytes; at most schedule::kBudgetMax, 0: no limit.
  std::optional<uint64_t> pages = std::nullopt, bytes = std::nullopt;
  bool clear_budget = false;  // the budget of all hosts, or domains, again

  static constexpr absl::Duration kDelayMax = kHostDelayMax;
};

// The host that a person means by a name or a URL, without final dots. InvalidArgument: none.
absl::StatusOr<std::string> HostNamed(const std::string& typed);

// Where somebody has written a name, for what an error says to write instead.
enum class WrittenIn { kCommand, kQuestion, kFile };
// `host`, as HostNamed gives it, when it is a registrable domain. InvalidArgument: a part of one, a
// public suffix, an address, a single label.
absl::StatusOr<std::string> DomainNamed(const std::string& host, WrittenIn where);

// It takes something back, and sets nothing.
bool OnlyLifts(const HostChange& change);
// Why this budget cannot be; empty: it can.
std::string WrongBudget(std::optional<uint64_t> pages, std::optional<uint64_t> bytes);

// Why this delay cannot be; empty: it can.
std::string WrongDelay(std::optional<absl::Duration> delay);

// The rule that `change` is about, which says nothing yet. InvalidArgument: not a host, not a
// registrable domain, or a delay or budget out of bounds; a change that only lifts is for any host.
absl::StatusOr<schedule::HostRule> RuleNamed(const HostChange& change,
                                             WrittenIn where = WrittenIn::kCommand);
void Apply(const HostChange& change, schedule::HostRule& rule);
// The error for a name with a '*' in it.
absl::Status PatternRefused(const std::string& name, WrittenIn where = WrittenIn::kCommand);

// InvalidArgument: no node of ours would tell this rule.
absl::Status CheckTold(const KeptRule& told, absl::Time now);

}  // namespace opic::node
