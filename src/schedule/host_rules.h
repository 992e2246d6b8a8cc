// The rules of operators for hosts: which are not to be asked at all, at what pace others are, and
// how much of them is fetched.
//
// A rule is for a host, or for a domain and all names below it. When several rules fit a host,
// the nearest says its delay: its own, then that of its domain; so it is with how many requests it
// may have at once, and a group's number is the last one asked. A block by any of them holds. A
// budget is of the host or of the domain that its rule names: a domain's is for all its hosts
// together.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace opic::schedule {

inline constexpr size_t kHostRulesMax = 10'000;  // what a node keeps, and sends in one message
inline constexpr uint64_t kBudgetMax = uint64_t{1} << 60;  // of pages, or of bytes
inline constexpr uint32_t kParallelMax = 100;  // that one connection of HTTP/2 carries (libcurl)

// A host, or a domain and all names below it. Domains come first, then by name.
struct HostName {
  bool domain = false;
  std::string name;  // as url::Url::host(), without final dots

  friend bool operator==(const HostName&, const HostName&) = default;
  friend bool operator<(const HostName& one, const HostName& other) {
    return one.domain != other.domain ? one.domain : one.name < other.name;
  }
};

struct HostRule {
  std::string name;     // as url::Url::host(), without final dots
  bool domain = false;  // for all names below it, too
  bool blocked = false;
  std::optional<absl::Duration> delay;  // between two fetches, instead of the one of all hosts
  // How many of its pages may be fetched, and how many bytes received for them, over all time,
  // instead of what all may (node/host_budgets.h); 0: no limit.
  std::optional<uint64_t> pages = std::nullopt, bytes = std::nullopt;
  // How many requests to it may be under way at once, instead of the number for all hosts: from 1
  // to kParallelMax.
  std::optional<uint32_t> parallel = std::nullopt;
  // Which of these the node's hosts file says, and no operator has changed; for people.
  enum FromFile : uint8_t {
    kBlock = 1,
    kDelay = 2,
    kPages = 4,
    kBytes = 8,
    kParallel = 16,
    kAllFromFile = 31
  };
  uint8_t from_file = 0;

  friend bool operator==(const HostRule&, const HostRule&) = default;
};

inline HostName NameOf(const HostRule& rule) { return {rule.domain, rule.name}; }

// Hosts and domains, with all names below these, that share a server or an owner. With a delay they
// are asked as one host is, one request at a time, and the next one `delay` after its end. With
// `parallel` they may have so many at once together, and each by itself; a delay is then one
// between starts. With a share they get that part of the pages a second that are in force, at most.
// Besides, each keeps its own pause.
struct HostGroup {
  std::string name;
  std::optional<absl::Duration> delay;
  double share = 0;                         // above 0, at most 1; 0: any
  uint32_t parallel = 0;                    // at most kParallelMax; 0: not said
  std::vector<std::string> hosts, domains;  // named as in rules
};

// A host, or a domain with all names below it, that has a share by itself is a group of its own.
// Its name is none that a hosts file can give a group: "host a.test", "domain a.test".
std::string NameOfOwnShare(const HostName& of);
// "a.test", "the domain a.test", for people; empty: the group is one of several.
std::string WithOwnShare(std::string_view group);

class HostRules {
 public:
  HostRules() = default;
  // A host or domain is in one group.
  explicit HostRules(std::vector<HostRule> rules, std::vector<HostGroup> groups = {});

  bool empty() const { return own_.empty() && domains_.empty(); }
  // Whether a rule gives any host or domain a budget.
  bool any_budget() const { return any_budget_; }
  // The rule by which `host` is not to be asked; null: it may be.
  const HostRule* BlockOf(std::string_view host) const;
  // Nothing: as all hosts.
  std::optional<absl::Duration> DelayOf(std::string_view host) const;
  // The longest that a rule for a domain says; zero: none says one.
  absl::Duration longest_domain_delay() const { return longest_domain_delay_; }
  // Each host that a rule for this very host gives a delay.
  void ForEachHostDelay(
      absl::FunctionRef<void(const std::string& host, absl::Duration delay)> take) const;
  // The rule that says it; null: none does.
  const HostRule* DelayRuleOf(std::string_view host) const;
  // How many requests to the host may be under way at once; nothing: as to all hosts.
  std::optional<uint32_t> ParallelOf(std::string_view host) const;
  // The rule for this very host, or this very domain, without final dots; null: there is none.
  const HostRule* Find(std::string_view name, bool domain) const;
  const std::vector<HostGroup>& groups() const { return groups_; }
  // The group of this host: its own, then its domain's; null: it is in none.
  const HostGroup* GroupOf(std::string_view host) const;

 private:
  // The rules for `host`, the nearest first, until `stop` says so.
  template <typename Stop>
  const HostRule* First(std::string_view host, Stop stop) const;

  absl::flat_hash_map<std::string, HostRule> own_, domains_;
  bool any_budget_ = false;
  absl::Duration longest_domain_delay_;
  std::vector<HostGroup> groups_;
  absl::flat_hash_map<std::string, size_t> group_of_host_, group_of_domain_;  // in groups_
};

}  // namespace opic::schedule
