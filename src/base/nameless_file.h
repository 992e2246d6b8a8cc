// A file that has no name: it is gone when it is closed, and after a crash, too. For what is too
// large for memory and wanted for a while.
//
// Thread safety: reads and writes may happen at the same time. Where they overlap, a
// reader sees some of the old bytes and some of the new.
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
  // On the disk of `folder`, which must exist. Errors name it, here and below.
  static absl::StatusOr<NamelessFile> Create(const std::string& folder);
  ~NamelessFile();
  NamelessFile(NamelessFile&& other) noexcept;
  NamelessFile& operator=(NamelessFile&& other) noexcept;

  // All of `bytes`, or an error. ResourceExhausted: the disk is full.
  absl::Status Write(uint64_t at, std::string_view bytes);
  // Fills `bytes` from there on. DataLoss: the file ends before.
  absl::Status Read(uint64_t at, absl::Span<char> bytes) const;

 private:
  NamelessFile(int fd, std::string folder) : fd_(fd), folder_(std::move(folder)) {}

  int fd_;
  std::string folder_;
};

}  // namespace opic::base
