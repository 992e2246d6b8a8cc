// opic cluster recover: after the loss of a data folder (cli/declare_lost.h) the pages that were lost
// are found again, and the ranking is made right.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "rpc/tls.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct RecoverFlags {
  std::string cluster;
  std::string patience = "60s";
  rpc::TlsFiles tls;
  void AddTo(CLI::App& app);
};

// Every node is told what is crawled, as another one remembers it, and to fetch all its pages once
// more; when all are fetched, the cluster is restated. May be ended and begun again at any time.
absl::Status RecoverCluster(const RecoverFlags& flags);

}  // namespace opic::cli
