// The pages of one shard: a roster while they are few, then segments by the top bits of the id.
//
// Growth copies one segment: by a fifth while it has less than some 260,000 pages, then into two
// halves. The sizes a segment passes through are shifted by a hash of its name, so that the
// segments of a table, which fill at the same pace, are at all stages of their growth at once: the
// whole takes 8.0 bytes a page at any moment.
//
// Knows layout only; what the states add up to is PageTable's business.
// Thread safety: confined to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/ids.h"
#include "page_table/roster.h"
#include "page_table/segment.h"

namespace opic::page_table {

class Shard {
 public:
  // `arena` must outlive it.
  Shard(ShardId id, Arena& arena) : id_(id), arena_(arena) {}

  // The same pages, once `copies` has copied all blocks.
  std::unique_ptr<Shard> CopyBy(BlockCopies& copies) const;

  // Nowhere: not known.
  Place Find(uint64_t id);
  // REQUIRES: not known. Every other place in the shard may become invalid.
  Place Add(uint64_t id, State state);
  // Likewise, but nowhere and unchanged if that needs more than a look at one line (segment.h).
  Place AddAtHome(uint64_t id, State state);
  // Makes room for `pages` pages of ids spread evenly, so that adding them grows little. REQUIRES:
  // empty.
  void Reserve(uint64_t pages);

  // The segment that holds or would hold `id`; null while the shard is a roster.
  const Segment* SegmentOf(uint64_t id) const {
    if (segments_.empty()) return nullptr;
    return &segments_[depth_ == 0 ? 0 : directory_[id >> (kPageIdBits - depth_)]];
  }
  // Empty once there are segments.
  Roster& roster() { return roster_; }

  uint64_t bytes() const { return bytes_; }  // allocated for slots
  // Changes when a place or a lookup under way may have become void.
  uint64_t moves() const { return moves_; }

  // Calls visit(id, place) for all pages of segments that meet first <= id < last.
  template <typename Visit>
  void ForEach(uint64_t first, uint64_t last, Visit&& visit) {
    roster_.ForEach(0, roster_.size(), visit);
    for (const Segment& segment : segments_) {
      const uint64_t end = segment.first() + (uint64_t{1} << segment.id_bits());
      if (segment.first() < last && first < end) segment.ForEach(visit);
    }
  }

  // Visits the wanted pages of the lines from (segment, line) on until it has seen about `slots`
  // slots; takes them off `slots` and moves the position. True: the end of the shard was reached.
  bool Walk(uint32_t& segment, uint64_t& line, uint64_t& slots, const Wanted& wanted,
            absl::FunctionRef<void(uint64_t id, State)> visit);
  // The position of the byte `offset` < bytes() of the slots.
  void Locate(uint64_t offset, uint32_t& segment, uint64_t& line) const;

  // Calls visit(id, state) by ascending id. Sorts a segment at a time.
  void ForEachSorted(absl::FunctionRef<void(uint64_t id, State)> visit) const;

 private:
  bool IsRoster() const { return segments_.empty(); }
  // A line count for `pages` pages of a segment, more than `lines_above`.
  uint64_t LinesFor(uint64_t first, int id_bits, uint64_t pages, uint64_t lines_above) const;
  // A segment of the pages of `from` in its range. It has more than `lines_above` lines and room
  // left.
  Segment Rebuilt(const Segment& from, uint64_t first, int id_bits, uint64_t pages,
                  uint64_t lines_above) const;
  void BecomeSegment();
  void MakeRoom(uint32_t index);
  void Split(uint32_t index);
  void CountBytes();

  const ShardId id_;
  Arena& arena_;
  int depth_ = 0;  // the directory has 2^depth_ entries, by the top bits of the id
  std::vector<uint32_t> directory_;
  std::vector<Segment> segments_;
  Roster roster_;
  uint64_t bytes_ = 0;
  uint64_t moves_ = 0;
};

}  // namespace opic::page_table
