#include "node/calendar_file.h"

#include <utility>

#include "base/status_macros.h"

namespace opic::node {

absl::StatusOr<std::unique_ptr<CalendarFile>> CalendarFile::Create(const std::string& folder) {
  ASSIGN_OR_RETURN(base::NamelessFile file, base::NamelessFile::Create(folder));
  return std::unique_ptr<CalendarFile>(new CalendarFile(std::move(file)));
}

// Chunks of one size are the rule, so what became free fits the next one.
uint64_t CalendarFile::FreePlace(uint64_t places) {
  if (const auto free = free_.find(places); free != free_.end()) {
    const uint64_t at = free->second;
    free_.erase(free);
    return at;
  }
  const uint64_t at = end_;
  end_ += places * kPlaceBytes;
  return at;
}

absl::Status CalendarFile::Write(absl::Span<const refresh::Chunk> added,
                                 absl::Span<const refresh::ChunkKey> removed) {
  for (const refresh::Chunk& chunk : added) {
    Place place;
    place.bytes = chunk.bytes.size();
    place.at = FreePlace(place.places());
    RETURN_IF_ERROR(file_.Write(place.at, chunk.bytes));
    places_[chunk.key] = place;
  }
  for (const refresh::ChunkKey& key : removed) {
    const auto found = places_.find(key);
    if (found == places_.end()) continue;
    free_.emplace(found->second.places(), found->second.at);
    places_.erase(found);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> CalendarFile::Read(const refresh::ChunkKey& key) {
  const auto found = places_.find(key);
  if (found == places_.end()) return absl::NotFoundError("the calendar has no such chunk");
  std::string bytes(found->second.bytes, '\0');
  RETURN_IF_ERROR(file_.Read(found->second.at, absl::MakeSpan(bytes)));
  return bytes;
}

absl::StatusOr<std::vector<refresh::ChunkKey>> CalendarFile::List() {
  std::vector<refresh::ChunkKey> keys;
  for (const auto& [key, place] : places_) keys.push_back(key);
  return keys;
}

}  // namespace opic::node
