#include "links/arena.h"

#include <algorithm>

namespace opic::links {
namespace {

constexpr size_t kAlignment = alignof(std::max_align_t);
// Small enough that malloc keeps the first blocks instead of returning them to the system each
// time.
constexpr size_t kFirstBlockBytes = 64 << 10;
constexpr size_t kBlockBytesMax = 1 << 20;

}  // namespace

void* Arena::Allocate(size_t size) {
  size = (std::max<size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  if (static_cast<size_t>(end_ - next_) < size) Reserve(size);
  last_ = next_;
  next_ += size;
  return last_;
}

void Arena::Reserve(size_t size) {
  const size_t usual = std::clamp(bytes_, kFirstBlockBytes, kBlockBytesMax);
  const size_t block = std::max(size, usual);
  blocks_.push_back(std::unique_ptr<char[]>(new char[block]));  // not cleared
  next_ = blocks_.back().get();
  end_ = next_ + block;
  bytes_ += block;
  if (bytes_ <= bytes_max_ || exhausted_) return;
  exhausted_ = true;
  on_exhausted_();
}

void Arena::Free(void* pointer) {
  if (pointer == last_ && pointer != nullptr) next_ = last_;
}

}  // namespace opic::links
