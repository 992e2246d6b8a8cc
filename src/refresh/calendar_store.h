// What the calendar keeps on disk: chunks of bytes under a number, each of one bucket of time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace opic::refresh {

// Ordered by bucket: `start` is when its first entry may be due, in Unix seconds, `level` how wide
// it is; `number` is never used twice.
struct ChunkKey {
  int64_t start = 0;
  int level = 0;
  uint64_t number = 0;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

struct Chunk {
  ChunkKey key;
  std::string bytes;
};

// Thread safety: confined to the calendar's thread.
class CalendarStore {
 public:
  virtual ~CalendarStore() = default;
  // Writes `added` and removes `removed`, all or nothing. Durable when the caller's next synced
  // write is.
  virtual absl::Status Write(absl::Span<const Chunk> added, absl::Span<const ChunkKey> removed) = 0;
  // NotFound: there is no such chunk.
  virtual absl::StatusOr<std::string> Read(const ChunkKey& key) = 0;
  // All keys there are, in any order.
  virtual absl::StatusOr<std::vector<ChunkKey>> List() = 0;
};

}  // namespace opic::refresh
