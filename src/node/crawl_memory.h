// What a data folder remembers of the crawl it holds: its seeds and its scope, so that `opic crawl`
// without seeds goes on where it stood, and a changed scope is noticed.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/crawl_options.h"
#include "store/store.h"

namespace opic::node {

struct CrawlMemory {
  std::vector<std::string> seeds;  // normalised, distinct, in the order given
  url::ScopeOptions scope;
  uint32_t depth_max = 0;

  std::string Encode() const;
  static absl::StatusOr<CrawlMemory> Decode(std::string_view bytes);
  // The scope with every seed added. REQUIRES: `seeds` are normalised URLs.
  url::Scope MakeScope() const;
};

// Nothing is remembered yet: an empty memory.
absl::StatusOr<CrawlMemory> RecallCrawl(store::Store& store);
absl::Status RememberCrawl(store::Store& store, const CrawlMemory& memory);

}  // namespace opic::node
