// The secret of a cluster, in a file of its own beside the cluster's: by it the nodes know each
// other where they have no certificates. Whoever can read it can speak as a node.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::cli {

std::string SecretFileOf(const std::string& cluster_file);

// Draws one; nobody but the owner can read the file.
absl::Status MakeSecret(const std::string& cluster_file);
// Empty when there is no file: the cluster has none. InvalidArgument: it is not a regular file or
// too short, or others may read it; NotFound: it is a dangling link.
absl::StatusOr<std::string> ReadSecret(const std::string& cluster_file);
// Beside another file of the same cluster; nothing when there is none.
absl::Status CopySecret(const std::string& from, const std::string& to);

}  // namespace opic::cli
