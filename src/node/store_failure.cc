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
  std::fprintf(stderr,
               "opic: %s cannot go on: %s\n"
               "Nothing is lost: start again when the cause is mended.\n",
               name.c_str(), why.c_str());
  std::fflush(nullptr);
  std::_Exit(kExitStoreFailed);
}

}  // namespace opic::node
