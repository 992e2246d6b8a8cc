// The file of --token-file: who may call what (rpc/gate.h), by tokens.
//
// Thread safety: pure, but for the file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "rpc/gate.h"

namespace opic::cli {

// No tokens for an empty path. InvalidArgument names the flag and the file: it is not a regular
// file, may not be opened, is larger than 1 MiB, has a wrong line, or has no token; NotFound, too.
absl::StatusOr<rpc::Tokens> ReadTokens(const std::string& path);
// The token with the highest role, which a client shows; empty for an empty path.
absl::StatusOr<std::string> ReadBestToken(const std::string& path);

}  // namespace opic::cli
