// The flags of reading pages again (--continuous), and of what counts as a change of a page.
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

struct RefreshFlags {
  bool continuous = false;
  std::string change_digest = "text";
  double share = 0.5;
  std::vector<std::string> factors;  // NAME=FACTOR
  std::string shortest = "1h", longest = "2160h";

  void AddTo(CLI::App& app);
  // `rate`: --rate, which --continuous needs. InvalidArgument names the flag.
  absl::Status ApplyTo(double rate, node::CrawlOptions& options) const;

 private:
  absl::StatusOr<node::RefreshOptions> Options(double rate) const;  // of --continuous
};

}  // namespace opic::cli
