// What operators have ruled of hosts: which are not to be asked at all, and at what pace others are.
//
// A rule is for a host, or for a domain and all names below it. When several rules fit a host,
// the nearest says its delay: its own, then that of its domain. A block by any of them holds.
//
// Thread safety: immutable.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace opic::schedule {

inline constexpr size_t kHostRulesMax = 10'000;  // what a node keeps, and sends in one message

struct HostRule {
  std::string name;     // as url::Url::host(), without final dots
  bool domain = false;  // for all names below it, too
  bool blocked = false;
  std::optional<absl::Duration> delay;  // between two fetches, instead of the one of all hosts

  friend bool operator==(const HostRule&, const HostRule&) = default;
};

class HostRules {
 public:
  HostRules() = default;
  explicit HostRules(std::vector<HostRule> rules);

  bool empty() const { return own_.empty() && domains_.empty(); }
  // The rule by which `host` is not to be asked; null: it may be.
  const HostRule* BlockOf(std::string_view host) const;
  // Nothing: as all hosts.
  std::optional<absl::Duration> DelayOf(std::string_view host) const;

 private:
  // The rules for `host`, the nearest first, until `stop` says so.
  template <typename Stop>
  const HostRule* First(std::string_view host, Stop stop) const;

  absl::flat_hash_map<std::string, HostRule> own_, domains_;
};

}  // namespace opic::schedule
