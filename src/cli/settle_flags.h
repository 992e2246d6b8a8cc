// The flags of settling: visits of pages without a fetch, which make the ranking converge.
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

struct SettleFlags {
  bool no_settle = false;
  double error_max = node::kErrorMax;
  double rate = 200, per_fetch = 1;  // visits
  double unread_share = 0;

  void AddTo(CLI::App& app);
  // InvalidArgument names the flag.
  absl::Status ApplyTo(node::CrawlOptions& options) const;
};

}  // namespace opic::cli
