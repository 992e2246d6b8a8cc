#include "cli/auth_file.h"

#include <filesystem>

#include "base/log.h"
#include "cli/regular_file.h"

namespace opic::cli {

absl::StatusOr<std::string> ReadAuthFile(const std::string& path) {
  return ReadRegularFile(path, "--auth-file", kAuthFileBytesMax >> 20);
}

bool OthersMayRead(const std::string& path) {
  using std::filesystem::perms;
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(path, error);
  return std::filesystem::exists(found) &&
         (found.permissions() & (perms::group_read | perms::others_read)) != perms::none;
}

void WarnIfOthersMayRead(const std::string& path, const std::string& flag) {
  if (path.empty() || !OthersMayRead(path)) return;
  base::LogWarning("{}: others than its owner may read {}; forbid that with: chmod 600 {}", flag,
                   path, path);
}

}  // namespace opic::cli
