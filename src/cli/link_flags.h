// The flags of how links are read from pages, and which of them are followed.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "node/crawl_options.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct LinkFlags {
  std::string parser = "scanner";
  size_t links_max = 50'000;
  std::vector<std::string> link_rels, link_elements, nofollow_rels;

  void AddTo(CLI::App& app);
  // InvalidArgument names the flag.
  absl::Status ApplyTo(node::CrawlOptions& options) const;
};

}  // namespace opic::cli
