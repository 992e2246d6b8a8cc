// How a process refuses a data folder that it cannot read as a whole.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace opic::base {

// DataLoss. `what` names the thing that cannot be read, or lacks something, and says so.
inline absl::Status DamagedFolder(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the data folder is damaged: ", std::string(what),
                                          "; restore it from a backup"));
}

}  // namespace opic::base
