#include "cli/auth_file.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/log.h"

namespace opic::cli {
namespace {

constexpr char kAuthFileMark[] = "\xef\xbb\xbf";

absl::Status NoAuthFile(const std::string& why) {
  return absl::InvalidArgumentError("--auth-file: " + why);
}

}  // namespace

absl::StatusOr<std::string> ReadAuthFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(path, error);
  // A pipe would hang, a device may have no end.
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    return NoAuthFile(path + " is not a regular file");
  const absl::StatusOr<std::string> text = base::ReadFile(path, kAuthFileBytesMax);
  if (absl::IsResourceExhausted(text.status()))
    return NoAuthFile(absl::StrCat(path, " is larger than 1 MiB"));
  if (!text.ok()) return NoAuthFile(std::string(text.status().message()));
  return std::string(absl::StripPrefix(*text, kAuthFileMark));
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
