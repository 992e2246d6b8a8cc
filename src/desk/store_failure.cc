#include "desk/store_failure.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/log.h"

namespace opic::desk {

void EndOnStoreFailure(std::string_view who, const absl::Status& status) {
  if (status.ok()) return;
  const std::string name(who), why = status.ToString();
  base::LogError("{} cannot continue: {}", name, why);
  const bool damaged = absl::IsDataLoss(status);
  std::fprintf(stderr, "opic: %s cannot continue: %s\n%s\n", name.c_str(), why.c_str(),
               damaged ? "Data on disk is damaged. `opic verify` shows what; restore the data "
                         "folder from a backup."
                       : "Nothing is lost. Remove the cause, then start again.");
  std::fflush(nullptr);
  std::_Exit(damaged ? kExitDamaged : kExitStoreFailed);
}

}  // namespace opic::desk
