// A file that somebody has named and that cannot be opened, by what helps against it.
//
// Thread safety: pure.
#pragma once

#include "absl/status/status.h"

namespace opic::base {

// InvalidArgument, as of any wrong value, where another name or other permissions help: it may not
// be opened, it is a folder, its folder is a file. Everything else stays as it is: nothing is
// there, the disk is full or fails. Nobody needs to try again what is InvalidArgument or NotFound.
absl::Status OfNamedFile(const absl::Status& failed);

}  // namespace opic::base
