// Memory for one parse: handed out in order, given back all at once.
//
// There is no failing: the parser that uses it could not cope. When the sum passes `bytes_max` the
// arena calls `on_exhausted` once and goes on; the owner then sees to it that little more is asked
// for.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace opic::links {

class Arena {
 public:
  Arena(size_t bytes_max, std::function<void()> on_exhausted)
      : bytes_max_(bytes_max), on_exhausted_(std::move(on_exhausted)) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` bytes, aligned for anything; never null.
  void* Allocate(size_t size);
  // Takes back only what was handed out last; the rest waits for the end of the arena.
  void Free(void* pointer);

  size_t bytes() const { return bytes_; }  // reserved so far
  bool exhausted() const { return exhausted_; }

 private:
  void Reserve(size_t size);

  const size_t bytes_max_;
  const std::function<void()> on_exhausted_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  char* last_ = nullptr;
  size_t bytes_ = 0;
  bool exhausted_ = false;
};

}  // namespace opic::links
