// opic cluster mend-epochs: sets right a cluster of which an epoch far past all others has made
// audits impossible.
#pragma once

#include <string>

#include "rpc/tls.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct MendEpochsFlags {
  std::string cluster;
  std::string patience = "60s";
  rpc::TlsFiles tls;
  void AddTo(CLI::App& app);
};

// Tells every node, and prints what each has set right. The exit code: kPartial when some did not
// answer; the same command again is for them.
int MendEpochs(const MendEpochsFlags& flags);

}  // namespace opic::cli
