#include "cli/table_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/disk_failure.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

absl::Status NotWritten(int error_number, const std::string& path) {
  return base::DiskFailure(error_number, absl::StrCat("cannot write ", path));
}

// Another name is wanted, not more room.
bool OfTheName(int error_number) {
  return error_number == EISDIR || error_number == ENOTDIR || error_number == EACCES;
}

absl::Status NotOpened(int error_number, const std::string& path) {
  const absl::Status status = base::WithContext(NotWritten(error_number, path), "--out");
  return OfTheName(error_number) ? absl::InvalidArgumentError(status.message()) : status;
}

// fmt throws what the stream refuses.
absl::Status Fill(std::FILE* file, const std::string& path,
                  absl::FunctionRef<absl::Status(std::FILE*)> rows) {
  try {
    return rows(file);
  } catch (const std::system_error& failed) {
    if (!std::ferror(file)) throw;
    return NotWritten(failed.code().value(), path);
  }
}

// A device or a pipe stays. Behind a link it is the file that goes.
void RemoveFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (!error && std::filesystem::is_regular_file(file, error)) std::filesystem::remove(file, error);
}

}  // namespace

absl::Status WriteTable(const std::string& path, absl::FunctionRef<absl::Status(std::FILE*)> rows) {
  if (path.empty()) return rows(stdout);
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return NotOpened(errno, path);
  absl::Status status = Fill(file, path, rows);
  if (std::fclose(file) != 0 && status.ok()) status = NotWritten(errno, path);
  if (!status.ok()) RemoveFile(path);
  return status;
}

}  // namespace opic::cli
