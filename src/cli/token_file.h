// The file of --token-file: who may call what (rpc/gate.h), by tokens.
//
// Thread safety: pure, but for the file.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "rpc/gate.h"

namespace opic::cli {

// No tokens for an empty path. InvalidArgument names the flag and the file: it is no regular file,
// cannot be read, is larger than 1 MiB, has a wrong line, or no token at all.
absl::StatusOr<rpc::Tokens> ReadTokens(const std::string& path);
// The best one of it, which a client shows; empty for an empty path.
absl::StatusOr<std::string> ReadBestToken(const std::string& path);

}  // namespace opic::cli
