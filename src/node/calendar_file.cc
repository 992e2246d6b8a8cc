#include "node/calendar_file.h"

#include <utility>

#include "base/status_macros.h"

namespace opic::node {

absl::StatusOr<std::unique_ptr<CalendarFile>> CalendarFile::Create(const std::string& folder) {
  ASSIGN_OR_RETURN(base::NamelessFile file, base::NamelessFile::Create(folder));
  return std::unique_ptr<CalendarFile>(new CalendarFile(std::move(file)));
}

// Chunks of one size are the rule, so what became free fits the next one.
uint64_t CalendarFile::TakeFree(uint64_t blocks) {
  if (const auto free = free_.find(blocks); free != free_.end()) {
    const uint64_t at = free->second;
    free_.erase(free);
    return at;
  }
  const uint64_t at = end_;
  end_ += blocks * kBlockBytes;
  return at;
}

absl::Status CalendarFile::Write(absl::Span<const refresh::Chunk> added,
                                 absl::Span<const refresh::ChunkKey> removed) {
  for (const refresh::Chunk& chunk : added) {
    Extent extent;
    extent.bytes = chunk.bytes.size();
    extent.at = TakeFree(extent.blocks());
    RETURN_IF_ERROR(file_.Write(extent.at, chunk.bytes));
    extents_[chunk.key] = extent;
  }
  for (const refresh::ChunkKey& key : removed) {
    const auto found = extents_.find(key);
    if (found == extents_.end()) continue;
    free_.emplace(found->second.blocks(), found->second.at);
    extents_.erase(found);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> CalendarFile::Read(const refresh::ChunkKey& key) {
  const auto found = extents_.find(key);
  if (found == extents_.end()) return absl::NotFoundError("the calendar has no such chunk");
  std::string bytes(found->second.bytes, '\0');
  RETURN_IF_ERROR(file_.Read(found->second.at, absl::MakeSpan(bytes)));
  return bytes;
}

absl::StatusOr<std::vector<refresh::ChunkKey>> CalendarFile::List() {
  std::vector<refresh::ChunkKey> keys;
  for (const auto& [key, extent] : extents_) keys.push_back(key);
  return keys;
}

}  // namespace opic::node
