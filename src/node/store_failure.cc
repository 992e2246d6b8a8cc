#include "node/store_failure.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "node/ledger_loop.h"

namespace opic::node {

void EndOnStoreFailure(std::string_view who, const absl::Status& status) {
  if (status.ok()) return;
  const std::string name(who), why = status.ToString();
  base::LogError("{} cannot go on: {}", name, why);
  const bool damaged = absl::IsDataLoss(status);
  std::fprintf(stderr, "opic: %s cannot go on: %s\n%s\n", name.c_str(), why.c_str(),
               damaged
                   ? "What is on disk is damaged: `opic verify` tells what, and a backup has to "
                     "be restored."
                   : "Nothing is lost: start again when the cause is mended.");
  std::fflush(nullptr);
  std::_Exit(damaged ? kExitDamaged : kExitStoreFailed);
}

}  // namespace opic::node
