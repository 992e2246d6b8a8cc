// A calendar's store in memory, for tests and benchmarks. It forgets nothing and can be told to
// fail.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "refresh/calendar_store.h"

namespace opic::refresh {

class MemoryCalendarStore final : public CalendarStore {
 public:
  absl::Status Write(absl::Span<const Chunk> added, absl::Span<const ChunkKey> removed) override {
    if (fails) return absl::UnavailableError("the disk is gone");
    for (const Chunk& chunk : added) {
      bytes += chunk.bytes.size();
      chunks[chunk.key] = chunk.bytes;
    }
    for (const ChunkKey& key : removed) {
      bytes -= chunks[key].size();
      chunks.erase(key);
    }
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Read(const ChunkKey& key) override {
    const auto at = chunks.find(key);
    if (at == chunks.end()) return absl::NotFoundError("no such chunk");
    return at->second;
  }
  absl::StatusOr<std::vector<ChunkKey>> List() override {
    std::vector<ChunkKey> keys;
    for (const auto& [key, chunk] : chunks) keys.push_back(key);
    return keys;
  }

  std::map<ChunkKey, std::string> chunks;
  size_t bytes = 0;
  bool fails = false;
};

}  // namespace opic::refresh
