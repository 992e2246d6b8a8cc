// What the file of --hosts-file says (cli/hosts_file.h reads it): rules for hosts beside those that
// operators give while the node runs. It is read at each start, and kept nowhere else.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "schedule/host_rules.h"

namespace opic::node {

struct HostsFile {
  std::string path;
  absl::Time read;                        // when it was
  std::vector<schedule::HostRule> rules;  // each host or domain once; domains first, by name
};

// Of a host or a domain, what `given` by operators and a `file` say together: number by number what
// was given, else what the file says; a block by either holds. What is the file's is marked
// (HostRule::from_file).
schedule::HostRule Together(const schedule::HostRule& given, const schedule::HostRule& file);
// The same of whole lists of rules; domains first, by name.
std::vector<schedule::HostRule> RulesTogether(const std::vector<schedule::HostRule>& given,
                                              const std::vector<schedule::HostRule>& file);

}  // namespace opic::node
