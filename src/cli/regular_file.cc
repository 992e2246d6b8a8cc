#include "cli/regular_file.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"

namespace opic::cli {

absl::StatusOr<std::string> ReadRegularFile(const std::string& path, const std::string& flag,
                                            size_t mib_max) {
  static constexpr char kMark[] = "\xef\xbb\xbf";
  const auto refused = [&flag](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat(flag, ": ", why));
  };
  std::error_code error;
  const std::filesystem::file_status found = std::filesystem::status(path, error);
  // A pipe would hang, a device may have no end.
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    return refused(path + " is not a regular file");
  const absl::StatusOr<std::string> text = base::ReadFile(path, mib_max << 20);
  if (absl::IsResourceExhausted(text.status()))
    return refused(absl::StrCat(path, " is larger than ", mib_max, " MiB"));
  if (!text.ok()) return base::WithContext(base::OfNamedFile(text.status()), flag);
  return std::string(absl::StripPrefix(*text, kMark));
}

}  // namespace opic::cli
