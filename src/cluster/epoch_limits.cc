#include "cluster/epoch_limits.h"

#include "absl/strings/str_cat.h"

namespace opic::cluster {

absl::Status CheckEpoch(uint64_t epoch, uint64_t known, uint64_t ahead) {
  if (epoch <= kEpochMax && (epoch <= known || epoch - known <= ahead)) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("epoch ", epoch, " is far past ", known,
                   ", the latest one known here: nobody has taken so many audits. If it does not "
                   "pass by itself, `opic cluster mend-epochs` sets all nodes right; no cash is "
                   "touched by that"));
}

}  // namespace opic::cluster
