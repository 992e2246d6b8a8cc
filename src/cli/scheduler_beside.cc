#include "cli/scheduler_beside.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace opic::cli {

absl::Status NameTheScheduler(const absl::Status& status, std::string_view flag) {
  if (!absl::IsUnimplemented(status)) return status;
  return absl::UnavailableError(absl::StrCat(
      "the scheduler of this node is an opic-scheduler of its own: give its address with ",
      std::string(flag), " HOST:PORT"));
}

}  // namespace opic::cli
