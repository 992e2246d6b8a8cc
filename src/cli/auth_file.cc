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

void WarnIfOthersMayRead(const std::string& auth_file) {
  if (auth_file.empty() || !OthersMayRead(auth_file)) return;
  base::LogWarning("--auth-file: others than its owner may read {}; forbid that with: chmod 600 {}",
                   auth_file, auth_file);
}

}  // namespace opic::cli
