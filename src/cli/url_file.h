// The URLs of numbered pages in a file without a name, for looking them up by number: names of both
// ends of many links without holding them in memory.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/spool_file.h"

namespace opic::cli {

class UrlFile {
 public:
  // `folder`: where the file lies.
  static absl::StatusOr<UrlFile> Create(const std::string& folder);
  // The URL of the next page: 0, 1, ... in turn. Memory: 8 bytes each.
  absl::Status Add(std::string_view url);
  size_t size() const { return ends_.size(); }
  // REQUIRES: the page was added.
  absl::StatusOr<std::string> Read(uint32_t page);

 private:
  explicit UrlFile(base::SpoolFile file) : file_(std::move(file)) {}
  base::SpoolFile file_;
  std::vector<uint64_t> ends_;
};

}  // namespace opic::cli
