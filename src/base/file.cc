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

std::string Beside(const std::string& path) { return path + ".new"; }

constexpr size_t kGatheredBytes = size_t{256} << 10;

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot write", path);
    content.remove_prefix(static_cast<size_t>(written));
  }
  // Begins to write back: the first sync of several files then finds the others on their way.
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
  FilesToReplace files;
  files.Begin(path);
  files.Append(content);
  return files.End();
}

FilesToReplace::~FilesToReplace() {
  for (const Open& file : files_) {
    ::close(file.fd);
    if (!replaced_) ::unlink(Beside(file.path).c_str());
  }
}

void FilesToReplace::Begin(std::string path) {
  WriteOut();
  if (!status_.ok()) return;
  const std::string beside = Beside(path);
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    status_ = Failed("cannot create", beside);
    return;
  }
  files_.push_back({std::move(path), fd});
}

void FilesToReplace::Append(std::string_view piece) {
  if (!status_.ok()) return;
  OPIC_CHECK(!files_.empty() && !replaced_) << "bytes of no file";
  if (gathered_.size() + piece.size() > kGatheredBytes) WriteOut();
  if (piece.size() < kGatheredBytes) {
    gathered_.append(piece);
  } else if (status_.ok()) {
    status_ = WriteAll(files_.back().fd, piece, Beside(files_.back().path));
  }
}

void FilesToReplace::WriteOut() {
  if (status_.ok() && !gathered_.empty()) {
    status_ = WriteAll(files_.back().fd, gathered_, Beside(files_.back().path));
  }
  gathered_.clear();
}

absl::Status FilesToReplace::Sync() const {
  for (const Open& file : files_) {
    if (::fsync(file.fd) != 0) return Failed("cannot sync", Beside(file.path));
  }
  return absl::OkStatus();
}

absl::Status FilesToReplace::End() {
  WriteOut();
  RETURN_IF_ERROR(status_);
  if (files_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Sync());
  for (const Open& file : files_) {
    const std::string beside = Beside(file.path);
    if (::rename(beside.c_str(), file.path.c_str()) != 0) return Failed("cannot rename", beside);
  }
  replaced_ = true;
  return SyncFolder(std::filesystem::path(files_.front().path).parent_path().string());
}

absl::Status SyncFolder(const std::string& path) {
  const int fd = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed("cannot open folder", path);
  absl::Cleanup close = [fd] { ::close(fd); };
  if (::fsync(fd) != 0) return Failed("cannot sync folder", path);
  return absl::OkStatus();
}

}  // namespace opic::base
