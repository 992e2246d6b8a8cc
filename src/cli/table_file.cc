#include "cli/table_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/disk_failure.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

absl::Status NotWritten(int error_number, const std::string& path) {
  return base::DiskFailure(error_number, absl::StrCat("cannot write ", path));
}

absl::Status NotOpened(int error_number, const std::string& path) {
  return base::WithContext(base::OfNamedFile(NotWritten(error_number, path)), "--out");
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

// The file to replace, behind links; empty: what is there is no file, such as a device or a link
// that leads to nothing, or may not be written.
std::string FileAt(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return path;
  if (!std::filesystem::is_regular_file(path, error) || access(path.c_str(), W_OK) != 0) return "";
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  return error ? "" : file.string();
}

// A device or a pipe stays. Behind a link it is the file that goes.
void RemoveFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (!error && std::filesystem::is_regular_file(file, error)) std::filesystem::remove(file, error);
}

// Fills the file that was opened, and closes it.
absl::Status FillWholly(std::FILE* file, const std::string& path,
                        absl::FunctionRef<absl::Status(std::FILE*)> rows) {
  absl::Status status = Fill(file, path, rows);
  if (std::fclose(file) != 0 && status.ok()) status = NotWritten(errno, path);
  return status;
}

absl::Status WriteThrough(const std::string& path,
                          absl::FunctionRef<absl::Status(std::FILE*)> rows) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return NotOpened(errno, path);
  absl::Status status = FillWholly(file, path, rows);
  if (!status.ok()) RemoveFile(path);
  return status;
}

// Whether a file beside `file` has got its owner, group and permissions, if it is there.
bool TakesAfter(int beside, const std::string& file) {
  struct stat old = {}, now = {};
  if (stat(file.c_str(), &old) != 0) return true;
  if (fstat(beside, &now) != 0) return false;
  const bool same = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  return (same || fchown(beside, old.st_uid, old.st_gid) == 0) &&
         fchmod(beside, old.st_mode & 07777) == 0;
}

absl::Status PutInPlace(const std::string& beside, const std::string& file) {
  std::error_code error;
  if (std::rename(beside.c_str(), file.c_str()) == 0) {
    base::SyncFolder(std::filesystem::path(file).parent_path().string()).IgnoreError();
    return absl::OkStatus();
  }
  // It is mounted there by itself, or is somebody else's in a folder such as /tmp.
  std::filesystem::copy_file(beside, file, std::filesystem::copy_options::overwrite_existing,
                             error);
  if (error)
    return base::WithContext(NotWritten(error.value(), file), "the whole table is in " + beside);
  std::filesystem::remove(beside, error);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteTable(const std::string& path, absl::FunctionRef<absl::Status(std::FILE*)> rows) {
  if (path.empty()) return rows(stdout);
  const std::string file = FileAt(path);
  if (file.empty()) return WriteThrough(path, rows);
  const std::string beside = file + ".new";
  std::FILE* opened = std::fopen(beside.c_str(), "we");
  if (opened == nullptr && errno != EACCES) return NotOpened(errno, path);
  // The folder may not be written, or a new file cannot have the old one's owner.
  if (opened == nullptr || !TakesAfter(fileno(opened), file)) {
    if (opened != nullptr) std::fclose(opened), std::remove(beside.c_str());
    return WriteThrough(path, rows);
  }
  const auto synced = [&](std::FILE* out) -> absl::Status {
    RETURN_IF_ERROR(rows(out));
    const bool whole = std::fflush(out) == 0 && fsync(fileno(out)) == 0;
    return whole ? absl::OkStatus() : NotWritten(errno, path);
  };
  absl::Status status = FillWholly(opened, path, synced);
  if (status.ok()) return PutInPlace(beside, file);
  std::remove(beside.c_str());
  return status;
}

}  // namespace opic::cli
