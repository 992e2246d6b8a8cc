// What a running node is told to crawl (`opic crawl --cluster`). Every node of a cluster gets the
// same order; each takes from the seeds what it owns. The same order again changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opic::node {

struct CrawlOrder {
  std::vector<std::string> seeds;  // URLs
  std::string scope;               // as --scope: host, domain, any, ...; empty: as the node has it
  std::vector<std::string> include, exclude;  // as --include, --exclude
  uint32_t depth = 0;                         // links followed from a seed; 0: no limit
  bool strip_tracking = false;
  bool again = false;  // every page is fetched once more
};

}  // namespace opic::node
