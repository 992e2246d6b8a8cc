// What operators have set of a running node, and what it crawls, as it holds now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/log.h"
#include "node/audit_trail.h"
#include "node/crawl_order.h"
#include "node/host_rule_book.h"
#include "node/limits.h"
#include "node/refresh_options.h"

namespace opic::node {

struct InForce {
  std::string node;  // its name; empty: in no cluster
  std::optional<absl::Time> paused_since;
  CrawlOrder crawl;  // without its seeds
  uint64_t seeds = 0;
  Limits limits;             // as they hold
  LimitChanges limits_set;   // those that operators have set
  base::LogLevels log;       // of its process
  bool reads_again = false;  // pages, by itself
  RefreshTuning refresh;     // what operators have set of that
  std::vector<KeptRule> hosts;
  std::optional<HostsFile> hosts_file;  // beside those
  std::vector<LastAct> acts;            // the last of each kind
};

}  // namespace opic::node
