// Memory for buckets, straight from the system, so that what is freed really leaves the process: a
// table that grows by copying must not leave its old size behind in the allocator.
//
// Each array is a mapping of its own, and Linux allows some 65,000 a process (vm.max_map_count):
// plenty for the default of 1,024 shards, but a node that holds nearly all of 65,536 shards with
// more than 2,000 pages each needs that limit raised.
#pragma once

#include <cstdint>
#include <utility>

#include "page_table/line.h"

namespace opic::page_table {

// An owned array of zeroed lines. Move-only. Running out of memory ends the process.
// Thread safety: confined to the owner thread.
class Lines {
 public:
  // A whole system page of lines: allocate multiples of it and nothing is wasted.
  static constexpr uint64_t kGranule = 4096 / sizeof(Line);

  explicit Lines(uint64_t count);
  ~Lines();
  Lines(Lines&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Lines& operator=(Lines&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(count_, other.count_);
    return *this;
  }

  uint64_t count() const { return count_; }
  Line& operator[](uint64_t index) const { return first_[index]; }

 private:
  Line* first_ = nullptr;
  uint64_t count_ = 0;
};

}  // namespace opic::page_table
