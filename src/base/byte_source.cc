#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/disk_failure.h"
#include "base/status_macros.h"

namespace opic::base {
namespace {

constexpr size_t kReadAheadBytes = size_t{256} << 10;

class FileSource final : public ByteSource {
 public:
  FileSource(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), unread_(size) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { ::close(fd_); }

  uint64_t left() const override { return unread_ + (end_ - begin_); }

  absl::StatusOr<std::string_view> Take(size_t size) override {
    OPIC_CHECK(size <= left()) << "more than " << path_ << " has";
    if (size > end_ - begin_) RETURN_IF_ERROR(Fill(size));
    const std::string_view taken(buffer_.data() + begin_, size);
    begin_ += size;
    return taken;
  }

 private:
  // Reads on until the buffer holds `size`.
  absl::Status Fill(size_t size) {
    const size_t ahead = std::min<uint64_t>(kReadAheadBytes, left());
    buffer_.resize(std::max({buffer_.size(), ahead, size}));
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    while (end_ < size) {
      const size_t room = std::min<uint64_t>(buffer_.size() - end_, unread_);
      const ssize_t got = ::read(fd_, buffer_.data() + end_, room);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return DiskFailure(errno, absl::StrCat("cannot read ", path_));
      if (got == 0) return absl::DataLossError(absl::StrCat(path_, " has become shorter"));
      end_ += static_cast<size_t>(got);
      unread_ -= static_cast<uint64_t>(got);
    }
    return absl::OkStatus();
  }

  const std::string path_;
  const int fd_;
  uint64_t unread_;  // of the file
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what of the buffer is to be taken
};

}  // namespace

absl::StatusOr<std::string_view> StringSource::Take(size_t size) {
  OPIC_CHECK(size <= rest_.size()) << "more than there is";
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, uint64_t begin,
                                                     uint64_t bytes_max) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return DiskFailure(errno, absl::StrCat("cannot open ", path));
  struct stat info;
  if (::fstat(fd, &info) != 0 || ::lseek(fd, static_cast<off_t>(begin), SEEK_SET) < 0) {
    const absl::Status failed = DiskFailure(errno, absl::StrCat("cannot read ", path));
    ::close(fd);
    return failed;
  }
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  const auto size = static_cast<uint64_t>(info.st_size);
  const uint64_t behind = size - std::min(size, begin);
  return std::make_unique<FileSource>(path, fd, std::min(behind, bytes_max));
}

}  // namespace opic::base
