// The flags of what a crawl is to discover first.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "node/crawl_options.h"
#include "refresh/publication.h"

namespace CLI {
class App;
}

namespace opic::cli {

inline constexpr double kFocusFactor = 10;  // unless one is given

struct FocusFlags {
  std::vector<std::string> focus;     // PATTERN, or PATTERN=FACTOR
  std::vector<std::string> interest;  // NAME=FACTOR

  void AddTo(CLI::App& app);
  // InvalidArgument names the flag.
  absl::Status ApplyTo(node::CrawlOptions& options) const;
};

// The boosts that stand for the words of --focus. PATTERN is a URL, for all URLs that begin with
// it, or a host, for its subdomains, too. Each pattern has an id of its own, always the same: it
// can be given again, and with another factor, which holds from `now` on. InvalidArgument names
// what is wrong.
absl::StatusOr<std::vector<refresh::Publication>> ParseFocus(const std::vector<std::string>& words,
                                                             absl::Time now);

}  // namespace opic::cli
