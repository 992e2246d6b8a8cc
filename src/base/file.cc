#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "base/check.h"
#include "base/disk_failure.h"
#include "base/status_macros.h"

namespace opic::base {
namespace {

absl::Status Failed(std::string_view what, const std::string& path) {
  return DiskFailure(errno, absl::StrCat(std::string(what), " ", path));
}

constexpr size_t kGatheredBytes = size_t{256} << 10;

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot write", path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  // Begins to write back: the sync at the end then has little left.
  ::sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t bytes_max) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed("cannot open", path);
  absl::Cleanup close = [fd] { ::close(fd); };
  std::string content;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR) return absl::InvalidArgumentError(path + " is a folder");
    if (got < 0) return Failed("cannot read", path);
    if (got == 0) return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > bytes_max) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, " is larger than ", bytes_max, " bytes"));
    }
  }
}

absl::Status WriteFileDurably(const std::string& path, std::string_view content) {
  FileToReplace file(path);
  file.Append(content);
  return file.End();
}

FileToReplace::FileToReplace(std::string path)
    : path_(std::move(path)),
      beside_(path_ + ".new"),
      fd_(::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (fd_ < 0) status_ = Failed("cannot create", beside_);
}

FileToReplace::~FileToReplace() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!replaced_) ::unlink(beside_.c_str());
}

void FileToReplace::Append(std::string_view piece) {
  OPIC_CHECK(!replaced_) << "bytes behind the end of " << path_;
  if (gathered_.size() + piece.size() > kGatheredBytes) WriteOut();
  if (piece.size() < kGatheredBytes) {
    gathered_.append(piece);
  } else if (status_.ok()) {
    status_ = WriteAll(fd_, piece, beside_);
  }
}

void FileToReplace::WriteOut() {
  if (status_.ok()) status_ = WriteAll(fd_, gathered_, beside_);
  gathered_.clear();
}

absl::Status FileToReplace::End() {
  WriteOut();
  RETURN_IF_ERROR(status_);
  if (::fsync(fd_) != 0) return Failed("cannot sync", beside_);
  if (::rename(beside_.c_str(), path_.c_str()) != 0) return Failed("cannot rename", beside_);
  replaced_ = true;
  return SyncFolder(std::filesystem::path(path_).parent_path().string());
}

absl::Status SyncFolder(const std::string& path) {
  const int fd = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed("cannot open folder", path);
  absl::Cleanup close = [fd] { ::close(fd); };
  if (::fsync(fd) != 0) return Failed("cannot sync folder", path);
  return absl::OkStatus();
}

}  // namespace opic::base
