#include "rank/slice_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace opic::rank {

absl::StatusOr<SliceFile> SliceFile::Create(const std::string& folder, SliceTraffic& traffic) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return SliceFile(fd, traffic);
  if (errno != EOPNOTSUPP && errno != EISDIR) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a file in ", folder));
  }
  // A file system without nameless files.
  std::string path = folder + "/opic-rank-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", path));
  unlink(path.c_str());
  return SliceFile(named, traffic);
}

SliceFile::SliceFile(SliceFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), traffic_(other.traffic_), mu_(std::move(other.mu_)) {}

SliceFile& SliceFile::operator=(SliceFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(traffic_, other.traffic_);
  std::swap(mu_, other.mu_);
  return *this;
}

SliceFile::~SliceFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status SliceFile::Read(uint64_t at, absl::Span<char> bytes) const {
  absl::ReaderMutexLock lock(mu_.get());
  traffic_->read += bytes.size();
  while (!bytes.empty()) {
    const ssize_t got = pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, "reading a slice");
    if (got == 0) return absl::DataLossError("a slice ends too early");
    at += static_cast<uint64_t>(got);
    bytes.remove_prefix(static_cast<size_t>(got));
  }
  return absl::OkStatus();
}

absl::Status SliceFile::Write(uint64_t at, absl::Span<const char> bytes) {
  absl::MutexLock lock(mu_.get());
  traffic_->written += bytes.size();
  while (!bytes.empty()) {
    const ssize_t put = pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return absl::ErrnoToStatus(errno, "writing a slice");
    at += static_cast<uint64_t>(put);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

}  // namespace opic::rank
