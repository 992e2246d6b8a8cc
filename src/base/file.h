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

// The same for several files of one folder, for little more than the price of one. After an error,
// or a crash, each is the old one or the new one.
struct FileContent {
  std::string path;
  std::string content;
};
absl::Status WriteFilesDurably(const std::vector<FileContent>& files);

// Syncs a folder, so that names made, renamed or removed in it survive a crash.
absl::Status SyncFolder(const std::string& path);

}  // namespace opic::base
