// opic cluster recover: after the loss of a data folder (cli/declare_lost.h) the pages that were
// lost are found again, and the ranking is made right.
#pragma once

#include "absl/status/status.h"
#include "cli/cluster_nodes.h"

namespace opic::cli {

// Every node is told what is crawled, as another one remembers it, and to fetch all its pages once
// more; when all are fetched, the cluster is restated. May be ended and begun again at any time.
absl::Status RecoverCluster(const CallFlags& flags);

}  // namespace opic::cli
