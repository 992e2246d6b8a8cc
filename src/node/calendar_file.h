// The calendar's chunks in a file without a name, as long as the process lives: what is due when is
// made again from the rows at every start (refresh_plan.h), so nothing of it has to survive a
// crash.
//
// Thread safety: confined to the calendar's thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/nameless_file.h"
#include "refresh/calendar_store.h"

namespace opic::node {

class CalendarFile final : public refresh::CalendarStore {
 public:
  // On the disk of `folder`, which must exist.
  static absl::StatusOr<std::unique_ptr<CalendarFile>> Create(const std::string& folder);

  absl::Status Write(absl::Span<const refresh::Chunk> added,
                     absl::Span<const refresh::ChunkKey> removed) override;
  absl::StatusOr<std::string> Read(const refresh::ChunkKey& key) override;
  absl::StatusOr<std::vector<refresh::ChunkKey>> List() override;
  uint64_t bytes() const { return end_; }  // of the file

 private:
  // A chunk lies in an extent: one or more blocks of this size in a row.
  static constexpr uint64_t kBlockBytes = 64 << 10;
  struct Extent {
    uint64_t at = 0;  // in the file
    size_t bytes = 0;
    uint64_t blocks() const { return (bytes + kBlockBytes - 1) / kBlockBytes; }
  };

  explicit CalendarFile(base::NamelessFile file) : file_(std::move(file)) {}
  uint64_t TakeFree(uint64_t blocks);  // where they begin in the file

  base::NamelessFile file_;
  std::map<refresh::ChunkKey, Extent> extents_;
  std::multimap<uint64_t, uint64_t> free_;  // by number of blocks: where they begin
  uint64_t end_ = 0;                        // of the file
};

}  // namespace opic::node
