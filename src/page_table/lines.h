// The lines of a segment.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "page_table/arena.h"
#include "page_table/block_copies.h"
#include "page_table/line.h"

namespace opic::page_table {

// An owned array of zeroed lines, in blocks. Move-only. Running out of memory ends the process.
// Thread safety: confined to one thread at a time.
class Lines {
 public:
  static constexpr uint64_t kLinesABlock = Arena::kBlockBytes / sizeof(Line);

  // `arena` must outlive them. What `count` lacks of whole blocks is wasted.
  Lines(Arena& arena, uint64_t count) : arena_(&arena), count_(count) {
    for (uint64_t line = 0; line < count; line += kLinesABlock) {
      blocks_.push_back(reinterpret_cast<Line*>(arena.Take()));
    }
  }
  // As `other` is now, once `copies` has copied all its blocks.
  Lines(const Lines& other, BlockCopies& copies)
      : arena_(&copies.into()), blocks_(other.blocks_.size()), count_(other.count_) {
    for (size_t i = 0; i < blocks_.size(); ++i) copies.Add(other.blocks_[i], &blocks_[i]);
  }
  ~Lines() {
    for (Line* block : blocks_) {
      if (block != nullptr) arena_->GiveBack(block->bytes);  // else it was never copied
    }
  }
  Lines(Lines&& other) noexcept
      : arena_(other.arena_),
        blocks_(std::exchange(other.blocks_, {})),
        count_(std::exchange(other.count_, 0)) {}
  Lines& operator=(Lines&& other) noexcept {
    std::swap(arena_, other.arena_);
    std::swap(blocks_, other.blocks_);
    std::swap(count_, other.count_);
    return *this;
  }

  uint64_t count() const { return count_; }
  Line& operator[](uint64_t index) const {
    return blocks_[index / kLinesABlock][index % kLinesABlock];
  }
  // One of these lines is about to change.
  void WillChange(const Line& line) const { arena_->WillChange(&line); }
  Line& ToChange(uint64_t index) const {
    Line& line = (*this)[index];
    WillChange(line);
    return line;
  }

 private:
  Arena* arena_;
  std::vector<Line*> blocks_;
  uint64_t count_;
};

}  // namespace opic::page_table
