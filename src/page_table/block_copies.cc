#include "page_table/block_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opic::page_table {

void BlockCopies::Add(const Line* block, Line** copy) {
  blocks_.push_back(block);
  left_.emplace(block, copy);
}

void BlockCopies::WillChange(const void* at) {
  const uint64_t begin = std::bit_cast<uint64_t>(at) & ~(Arena::kBlockBytes - 1);
  const auto left = left_.find(std::bit_cast<const Line*>(begin));
  if (left == left_.end()) return;
  Copy(left->first, left->second);
  left_.erase(left);
}

bool BlockCopies::CopySome(uint64_t bytes_max) {
  uint64_t blocks = std::max<uint64_t>(bytes_max / Arena::kBlockBytes, 1);
  for (; next_ < blocks_.size() && blocks > 0; ++next_) {
    const auto left = left_.find(blocks_[next_]);
    if (left == left_.end()) continue;  // it has changed since
    Copy(left->first, left->second);
    left_.erase(left);
    --blocks;
  }
  return left_.empty();
}

void BlockCopies::Copy(const Line* block, Line** copy) {
  uint8_t* const memory = into_.TakeUncleared();
  std::memcpy(memory, block, Arena::kBlockBytes);
  *copy = reinterpret_cast<Line*>(memory);
}

}  // namespace opic::page_table
