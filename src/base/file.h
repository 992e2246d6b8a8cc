// Small files that must be whole or absent: read, written durably, listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace opic::base {

// The whole file. NotFound when absent; ResourceExhausted above `bytes_max`.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t bytes_max = size_t{1} << 40);

// Replaces `path` by `content` so that a crash at any moment leaves the old file or the new one:
// written beside it, synced, renamed, and the folder synced.
absl::Status WriteFileDurably(const std::string& path, std::string_view content);

// Several files of one folder, replaced for little more than the price of one. After an error, or a
// crash, each is the old one or the new one. Gathers up to 256 KiB in memory; holds a descriptor for
// each file.
//
// Thread safety: confined to the owner thread.
class FilesToReplace {
 public:
  FilesToReplace() = default;
  FilesToReplace(const FilesToReplace&) = delete;
  FilesToReplace& operator=(const FilesToReplace&) = delete;
  // Unless End() was called all files stay as they were.
  ~FilesToReplace();

  // The next file that will be replaced. What is appended from now on is its content.
  void Begin(std::string path);
  // REQUIRES: a file was begun. What fails is told by End().
  void Append(std::string_view piece);
  // Replaces the files. REQUIRES: called once, and last.
  absl::Status End();

 private:
  struct Open {
    std::string path;
    int fd = -1;
  };
  void WriteOut();  // what is gathered
  absl::Status Sync() const;

  std::vector<Open> files_;
  std::string gathered_;   // of the last file
  absl::Status status_;    // the first failure
  bool replaced_ = false;  // all of them
};

// Syncs a folder, so that names made, renamed or removed in it survive a crash.
absl::Status SyncFolder(const std::string& path);

}  // namespace opic::base
