// Small files that must be whole or absent: read, written durably, listed.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::base {

// The whole file. NotFound when absent; ResourceExhausted above `bytes_max`; InvalidArgument: it is
// a folder.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t bytes_max = size_t{1} << 40);

// Replaces `path` by `content` so that a crash at any moment leaves the old file or the new one:
// written beside it, synced, renamed, and the folder synced.
absl::Status WriteFileDurably(const std::string& path, std::string_view content);

// The same, of what is made piece by piece. Gathers up to 256 KiB in memory.
//
// Thread safety: confined to the owner thread.
class FileToReplace {
 public:
  // What fails is told by End().
  explicit FileToReplace(std::string path);
  FileToReplace(const FileToReplace&) = delete;
  FileToReplace& operator=(const FileToReplace&) = delete;
  // Unless End() was called the file stays as it was.
  ~FileToReplace();

  void Append(std::string_view piece);
  // Replaces the file. REQUIRES: called once, and last.
  absl::Status End();

 private:
  void WriteOut();  // what is gathered

  const std::string path_, beside_;
  int fd_ = -1;
  std::string gathered_;
  absl::Status status_;  // the first failure
  bool replaced_ = false;
};

// Syncs a folder, so that names made, renamed or removed in it survive a crash.
absl::Status SyncFolder(const std::string& path);

}  // namespace opic::base
