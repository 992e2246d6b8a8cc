#include "desk/store_failure.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/reason.h"

namespace opic::desk {
namespace {

constexpr char kEndsProcess[] = "opic/ends-process";

}  // namespace

bool IsStoreFailure(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDataLoss(status) || absl::IsInternal(status);
}

absl::Status ProcessEnds(const absl::Status& status) {
  const bool damaged = absl::IsDataLoss(status);
  absl::Status told(
      damaged ? absl::StatusCode::kDataLoss : absl::StatusCode::kResourceExhausted,
      absl::StrCat("not done: the data folder cannot be ", damaged ? "read" : "written",
                   ", and the process ends (exit code ", damaged ? kExitDamaged : kExitStoreFailed,
                   "): ", status.message()));
  told.SetPayload(kEndsProcess, absl::Cord());
  return base::WithReason(told, "STORE_FAILED");
}

bool EndsProcess(const absl::Status& status) { return status.GetPayload(kEndsProcess).has_value(); }

void EndOnStoreFailure(std::string_view who, const absl::Status& status) {
  if (status.ok()) return;
  const std::string name(who), why(status.message());
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
