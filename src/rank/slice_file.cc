#include "rank/slice_file.h"

#include "base/status_macros.h"

namespace opic::rank {

absl::StatusOr<SliceFile> SliceFile::Create(const std::string& folder, SliceTraffic& traffic) {
  ASSIGN_OR_RETURN(base::NamelessFile file, base::NamelessFile::Create(folder));
  return SliceFile(std::move(file), traffic);
}

absl::Status SliceFile::Read(uint64_t at, absl::Span<char> bytes) const {
  absl::ReaderMutexLock lock(mu_.get());
  traffic_->read += bytes.size();
  return file_.Read(at, bytes);
}

absl::Status SliceFile::Write(uint64_t at, absl::Span<const char> bytes) {
  absl::MutexLock lock(mu_.get());
  traffic_->written += bytes.size();
  return file_.Write(at, std::string_view(bytes.data(), bytes.size()));
}

}  // namespace opic::rank
