// What the file of --hosts-file says (cli/hosts_file.h reads it): rules for hosts beside those that
// operators give while the node runs. It is read at each start, and kept nowhere else.
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "schedule/host_rules.h"

namespace opic::node {

// Of all members of a group together, beside what each may have by itself. Budgets: nothing, or 0:
// no limit. A delay, a share, how many at once: as in schedule::HostGroup.
struct GroupSettings {
  std::optional<uint64_t> pages, bytes;
  std::optional<absl::Duration> delay = std::nullopt;
  std::optional<double> share = std::nullopt;  // of --rate; above 0, at most 1
  std::optional<uint32_t> parallel = std::nullopt;

  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

// How many links from a seed pages may lie; 0: any number.
using HostDepths = std::map<schedule::HostName, uint32_t>;

struct HostsFile {
  std::string path;
  absl::Time read;                        // when it was
  std::vector<schedule::HostRule> rules;  // each host or domain once; domains first, by name
  // Hosts and domains that share a server or an owner.
  std::map<std::string, GroupSettings> groups;        // by name
  std::map<schedule::HostName, std::string> members;  // to the name of a group
  // Of hosts and domains that are in no group: as GroupSettings::share.
  std::map<schedule::HostName, double> shares;
  HostDepths depths;  // pages that lie deeper are out of the crawl's scope (page_scope.h)

  // The group of `host`, which is of `domain`, both without final dots: its own, else its domain's;
  // null: it is in none.
  const std::string* GroupOf(const std::string& host, const std::string& domain) const;
  // The groups that have a delay, a share or a number at once; and one for each host or domain with
  // its own share.
  std::vector<schedule::HostGroup> PacedGroups() const;
};
// Hosts, domains and groups of which the two say different things, shares, and depths.
size_t Differences(const HostsFile& one, const HostsFile& other);

// Of a host or a domain, what `given` by operators and a `file` say together: number by number what
// was given, else what the file says; a block by either holds. What is the file's is marked
// (HostRule::from_file).
schedule::HostRule Together(const schedule::HostRule& given, const schedule::HostRule& file);
// The same of whole lists of rules; domains first, by name.
std::vector<schedule::HostRule> RulesTogether(const std::vector<schedule::HostRule>& given,
                                              const std::vector<schedule::HostRule>& file);

}  // namespace opic::node
