#include "base/named_file.h"

namespace opic::base {

absl::Status OfNamedFile(const absl::Status& failed) {
  // EACCES and EPERM; EISDIR and ENOTDIR.
  const bool of_the_name = absl::IsPermissionDenied(failed) || absl::IsFailedPrecondition(failed);
  return of_the_name ? absl::InvalidArgumentError(failed.message()) : failed;
}

}  // namespace opic::base
