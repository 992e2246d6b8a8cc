#include "cli/table_file.h"

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace opic::cli {

absl::StatusOr<TableFile> TableFile::Create(const std::string& path) {
  std::FILE* file = path.empty() ? stdout : std::fopen(path.c_str(), "w");
  if (file == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  return TableFile(file);
}

absl::Status TableFile::Close() {
  errno = 0;
  const bool failed = std::ferror(file_.get()) != 0 || std::fflush(file_.get()) != 0;
  const int error = errno == 0 ? EIO : errno;
  file_.reset();
  return failed ? absl::ErrnoToStatus(error, "writing the table") : absl::OkStatus();
}

}  // namespace opic::cli
