// What a running node is told to crawl (`opic crawl --cluster`). Every node of a cluster gets the
// same order; each takes from the seeds what it owns. The same order again changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/host_rule_book.h"
#include "refresh/publication.h"

namespace opic::node {

struct CrawlOrder {
  std::vector<std::string> seeds;  // URLs
  std::string scope;               // as --scope: host, domain, any, ...; empty: as the node has it
  // As --include, --exclude: they take the place of the patterns that the node has. Nothing: those
  // stay.
  std::optional<std::vector<std::string>> include, exclude;
  std::optional<uint32_t> depth;  // links followed from a seed; 0: no limit; nothing: as it is
  std::string traps;              // as --traps: off, show, skip; empty: as the node has it
  bool strip_tracking = false;
  bool again = false;  // every page is fetched once more, and hosts given up are tried again
  // Rules for hosts that other nodes have (HostRuleBook::Adopt): in force before a page is asked
  // for.
  std::vector<KeptRule> hosts;
  // Publications that other nodes have (refresh::UnionOf).
  std::vector<refresh::Publication> publications;
};

}  // namespace opic::node
