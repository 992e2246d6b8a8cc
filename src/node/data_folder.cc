#include "node/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/disk_failure.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

std::string LockPath(const std::string& path) { return path + "/opic.lock"; }
std::string AddressPath(const std::string& path) { return path + "/node.address"; }
std::string ControlPath(const std::string& path) { return path + "/control"; }

constexpr absl::Duration kLookAgain = absl::Milliseconds(20);
constexpr size_t kAddressBytesMax = 1024;

// A folder that we may not use is refused, as one that another process has.
absl::Status FolderFailed(int error_number, const std::string& what) {
  const absl::Status status = base::DiskFailure(error_number, what);
  return absl::IsPermissionDenied(status) ? absl::FailedPreconditionError(status.message())
                                          : status;
}

// No folder can have that name, whoever asks.
bool OfTheName(int error_number) {
  return error_number == ENOTDIR || error_number == EEXIST || error_number == ENOENT ||
         error_number == ELOOP || error_number == ENAMETOOLONG;
}

absl::StatusOr<int> OpenLock(const std::string& path, int flags) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return error == std::errc::permission_denied
               ? FolderFailed(error.value(), absl::StrCat("cannot open ", path))
               : absl::NotFoundError(absl::StrCat("no data folder at ", path));
  }
  const int fd = ::open(LockPath(path).c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) return FolderFailed(errno, absl::StrCat("cannot open ", LockPath(path)));
  return fd;
}

// Who has it has only taken it for a look.
bool OnlyLookedAt(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return false;
  ::flock(fd, LOCK_UN);
  return true;
}

// Empty: the process that has the folder does not say.
std::string WhereItAnswers(const std::string& path) {
  const absl::StatusOr<std::string> address = base::ReadFile(AddressPath(path), kAddressBytesMax);
  if (!address.ok()) return "";
  return absl::StrCat(", which answers at ", absl::StripAsciiWhitespace(*address));
}

// Closes `fd`.
absl::Status NotLocked(const std::string& path, int fd, int failed) {
  // Who only reads does not answer; the address would be that of a process before it.
  const std::string where = OnlyLookedAt(fd) ? "" : WhereItAnswers(path);
  ::close(fd);
  if (failed == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat("data folder ", path, " is in use by another process", where));
  }
  return FolderFailed(failed, absl::StrCat("cannot lock ", LockPath(path)));
}

// With those above it that are missing. They survive a power cut, like what will be in them.
absl::Status MakeFolders(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) return absl::OkStatus();
  const std::filesystem::path above = std::filesystem::absolute(path, error).parent_path();
  if (above != path) RETURN_IF_ERROR(MakeFolders(above));
  std::filesystem::create_directory(path, error);
  if (error) {
    const absl::Status failed =
        FolderFailed(error.value(), absl::StrCat("cannot make data folder ", path.string()));
    return OfTheName(error.value()) ? absl::InvalidArgumentError(failed.message()) : failed;
  }
  const absl::Status synced = base::SyncFolder(above);
  return absl::IsPermissionDenied(synced) ? absl::OkStatus() : synced;  // written to, not read
}

}  // namespace

absl::StatusOr<std::unique_ptr<DataFolder>> DataFolder::Lock(const std::string& path, bool create,
                                                             absl::Duration patience) {
  if (create) RETURN_IF_ERROR(MakeFolders(path));
  ASSIGN_OR_RETURN(const int fd, OpenLock(path, O_RDWR | O_CREAT));
  const absl::Time deadline = absl::Now() + patience;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int failed = errno;
    if (failed != EWOULDBLOCK || !OnlyLookedAt(fd) || absl::Now() >= deadline)
      return NotLocked(path, fd, failed);
    absl::SleepFor(kLookAgain);
  }
  // Left by a process that was killed.
  ::unlink(AddressPath(path).c_str());
  ::unlink(ControlPath(path).c_str());
  return std::unique_ptr<DataFolder>(new DataFolder(path, fd, /*alone=*/true));
}

absl::StatusOr<std::unique_ptr<DataFolder>> DataFolder::Look(const std::string& path) {
  absl::StatusOr<int> fd = OpenLock(path, O_RDONLY);
  if (!fd.ok() && HoldsCrawl(path)) fd = OpenLock(path, O_RDWR | O_CREAT);  // of a copy without it
  std::error_code error;
  if (absl::IsNotFound(fd.status()) && std::filesystem::is_directory(path, error)) {
    return absl::NotFoundError(absl::StrCat("there is no crawl in ", path,
                                            "; give the folder of one, or begin one: `opic crawl "
                                            "URL... --data FOLDER`"));
  }
  RETURN_IF_ERROR(fd.status());
  if (::flock(*fd, LOCK_SH | LOCK_NB) != 0) return NotLocked(path, *fd, errno);
  return std::unique_ptr<DataFolder>(new DataFolder(path, *fd, /*alone=*/false));
}

DataFolder::~DataFolder() {
  if (announced_) ::unlink(AddressPath(path_).c_str());
  if (alone_) ::unlink(control().c_str());
  ::close(fd_);
}

std::string DataFolder::control() const { return ControlPath(path_); }

absl::Status DataFolder::Announce(const std::string& address) {
  announced_ = true;
  return base::WriteFileDurably(AddressPath(path_), address + "\n");
}

// Anything that is left of one: a damaged folder is not an empty one.
bool HoldsCrawl(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path + "/store", error) ||
         std::filesystem::exists(path + "/store.mark", error) ||
         std::filesystem::exists(path + "/checkpoints", error);
}

absl::StatusOr<std::string> AddressOfRunningNode(const std::string& path) {
  const int fd = ::open(LockPath(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::NotFoundError(absl::StrCat("no crawl in data folder ", path));
  const bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
  ::close(fd);
  if (free) return absl::NotFoundError(absl::StrCat("no process uses data folder ", path));
  absl::StatusOr<std::string> address = base::ReadFile(AddressPath(path), kAddressBytesMax);
  if (!address.ok()) {
    return absl::UnavailableError(
        absl::StrCat("a process uses data folder ", path, " but does not answer yet"));
  }
  return std::string(absl::StripAsciiWhitespace(*address));
}

std::string ControlAddress(const std::string& path, const std::string& address) {
  std::error_code error;
  return std::filesystem::is_socket(ControlPath(path), error) ? "unix:" + ControlPath(path)
                                                              : address;
}

}  // namespace opic::node
