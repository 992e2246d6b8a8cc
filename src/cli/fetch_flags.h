// The flags of how pages are fetched: limits of one fetch, what is downloaded, the way to a host,
// and what its server is told.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "desk/accept_list.h"
#include "node/crawl_options.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct FetchFlags {
  std::string timeout = "60s", connect_timeout = "10s", body_max = "10M";
  std::string accept{desk::kAcceptDefault};
  std::string proxy, proxy_file, ca_file;
  std::vector<std::string> headers, insecure, connect_to;
  bool cookies = false;
  std::string auth_file;

  void AddTo(CLI::App& app);
  // The files are read anew each time. InvalidArgument and NotFound name the flag.
  absl::Status ApplyTo(node::CrawlOptions& options) const;
};

}  // namespace opic::cli
