#include "cluster/epoch_limits.h"

#include "absl/strings/str_cat.h"

namespace opic::cluster {

absl::Status CheckEpoch(uint64_t epoch, uint64_t known, uint64_t ahead) {
  if (epoch <= kEpochMax && (epoch <= known || epoch - known <= ahead)) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("epoch ", epoch, " is impossibly far past ", known,
                   ", the latest one known here. If this persists, run `opic cluster mend-epochs`; "
                   "it moves no cash"));
}

}  // namespace opic::cluster
