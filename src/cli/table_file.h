// A table that a command writes: rows to a file or to standard output.
#pragma once

#include <cstdio>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace opic::cli {

// Has `rows` write to the file at `path`, which is replaced when all is written, and stays as it
// was until then: the table grows in PATH.new beside it. A device or a pipe is written to as it is,
// and so is a file that no new one can replace: its folder may not be written, or its owner is
// somebody else.
// Empty: to standard output, whose failures RunAndWrite tells. ResourceExhausted: the disk is full;
// InvalidArgument: it may not be written there.
//
// Thread safety: pure, but for the file.
absl::Status WriteTable(const std::string& path, absl::FunctionRef<absl::Status(std::FILE*)> rows);

}  // namespace opic::cli
