#include "base/spool_file.h"

#include "base/status_macros.h"

namespace opic::base {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<SpoolFile> SpoolFile::Create(const std::string& folder) {
  ASSIGN_OR_RETURN(NamelessFile file, NamelessFile::Create(folder));
  return SpoolFile(std::move(file));
}

absl::Status SpoolFile::Append(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
}

absl::Status SpoolFile::Flush() {
  RETURN_IF_ERROR(file_.Write(written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status SpoolFile::Read(uint64_t at, absl::Span<char> bytes) {
  RETURN_IF_ERROR(Flush());
  return file_.Read(at, bytes);
}

}  // namespace opic::base
