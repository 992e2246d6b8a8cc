// opic cluster mend-epochs: sets right a cluster of which an epoch far past all others has made
// audits impossible.
#pragma once

#include "cli/cluster_nodes.h"

namespace opic::cli {

// Tells every node, and prints what each has set right. The exit code: kPartial when some did not
// answer; the same command again is for them. kUnreachable: none does.
int MendEpochs(const CallFlags& flags);

}  // namespace opic::cli
