// The flags of fetches.jsonl: how much of it is kept, and what is known of a page for it.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "node/crawl_options.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct FetchLogFlags {
  bool referrers = false;
  std::string bytes_max = "100M";
  int files = 4;

  void AddTo(CLI::App& app);
  // InvalidArgument names the flag.
  absl::Status ApplyTo(node::CrawlOptions& options) const;
};

}  // namespace opic::cli
