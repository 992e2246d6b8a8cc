// The options of a crawl that are about single hosts and registrable domains: how much is fetched
// of each, and a file with settings of some (cli/hosts_file.h).
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/crawl_options.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct BudgetFlags {
  uint64_t host_pages = 0, domain_pages = 0;
  std::string host_bytes, domain_bytes;  // empty: no limit
  std::string hosts_file;                // empty: none

  void AddTo(CLI::App& app);
  // InvalidArgument names the option that is not a size.
  absl::StatusOr<node::BudgetOptions> Options() const;
  // Both into `crawl`; the file is read anew each time. InvalidArgument as well: a line of it is
  // wrong; NotFound: it is not there.
  absl::Status ApplyTo(node::CrawlOptions& crawl) const;
};

}  // namespace opic::cli
