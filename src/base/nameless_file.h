// A file that has no name and ends with the process: for what is too large for memory and wanted
// for a while.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace opic::base {

class NamelessFile {
 public:
  // On the disk of `folder`. Errors name it, here and below.
  static absl::StatusOr<NamelessFile> Create(const std::string& folder);
  ~NamelessFile();
  NamelessFile(NamelessFile&& other) noexcept;
  NamelessFile& operator=(NamelessFile&& other) noexcept;

  // Appends; some of it waits in memory until the next call of Read.
  absl::Status Append(std::string_view bytes);
  uint64_t size() const { return written_ + buffer_.size(); }
  // Fills `bytes` from there on. DataLoss: the file ends before.
  absl::Status Read(uint64_t at, absl::Span<char> bytes);

 private:
  NamelessFile(int fd, std::string folder) : fd_(fd), folder_(std::move(folder)) {}
  absl::Status Flush();

  int fd_;
  std::string folder_;
  std::string buffer_;  // to be appended
  uint64_t written_ = 0;
};

}  // namespace opic::base
