// A table that a command writes: rows to a file or to standard output.
#pragma once

#include <cstdio>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace opic::cli {

// Has `rows` write to the file at `path`, which is replaced; empty: to standard output, whose
// failures RunAndWrite tells. A file that was not written wholly is removed, so that nobody takes
// it for whole. ResourceExhausted: the disk is full; InvalidArgument: it may not be written there.
//
// Thread safety: pure, but for the file.
absl::Status WriteTable(const std::string& path, absl::FunctionRef<absl::Status(std::FILE*)> rows);

}  // namespace opic::cli
