// The options of a crawl that say how much is fetched of each host and of each registrable domain.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "node/host_budgets.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct BudgetFlags {
  uint64_t host_pages = 0, domain_pages = 0;
  std::string host_bytes, domain_bytes;  // empty: no limit

  void AddTo(CLI::App& app);
  // InvalidArgument names the option that is not a size.
  absl::StatusOr<node::BudgetOptions> Options() const;
};

}  // namespace opic::cli
