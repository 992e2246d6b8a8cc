#include "base/nameless_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace opic::base {

absl::StatusOr<NamelessFile> NamelessFile::Create(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return NamelessFile(fd, folder);
  if (errno != EOPNOTSUPP && errno != EISDIR) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a file in ", folder));
  }
  // A file system without nameless files.
  std::string path = folder + "/opic-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
  unlink(path.c_str());
  return NamelessFile(named, folder);
}

NamelessFile::NamelessFile(NamelessFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), folder_(std::move(other.folder_)) {}

NamelessFile& NamelessFile::operator=(NamelessFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(folder_, other.folder_);
  return *this;
}

NamelessFile::~NamelessFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status NamelessFile::Write(uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("writing a nameless file in ", folder_));
    }
    at += static_cast<uint64_t>(put);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

absl::Status NamelessFile::Read(uint64_t at, absl::Span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("reading a nameless file in ", folder_));
    }
    if (got == 0) {
      return absl::DataLossError(absl::StrCat("a nameless file in ", folder_, " ends before byte ",
                                              at + bytes.size(),
                                              ": check the disk, and start again"));
    }
    at += static_cast<uint64_t>(got);
    bytes.remove_prefix(static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

}  // namespace opic::base
