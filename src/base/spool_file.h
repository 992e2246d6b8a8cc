// A nameless file that is written from front to end, and read anywhere.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/nameless_file.h"

namespace opic::base {

class SpoolFile {
 public:
  // Errors as those of NamelessFile, here and below.
  static absl::StatusOr<SpoolFile> Create(const std::string& folder);

  // Some of it waits in memory until the next call of Read.
  absl::Status Append(std::string_view bytes);
  uint64_t size() const { return written_ + buffer_.size(); }
  absl::Status Read(uint64_t at, absl::Span<char> bytes);

 private:
  explicit SpoolFile(NamelessFile file) : file_(std::move(file)) {}
  absl::Status Flush();

  NamelessFile file_;
  std::string buffer_;  // to be written
  uint64_t written_ = 0;
};

}  // namespace opic::base
