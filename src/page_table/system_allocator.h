// An allocator that takes whole system pages straight from the system, and gives them back to it:
// arrays that are given up for a larger form must not stay behind in malloc's arenas, where they
// would count as memory of the process.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

#include "base/check.h"

namespace opic::page_table {

// Small arrays come from operator new.
//
// Thread safety: synchronised inside (stateless).
template <typename T>
struct SystemAllocator {
  using value_type = T;
  static constexpr size_t kMappedBytesMin = 4096;

  SystemAllocator() = default;
  template <typename U>
  explicit SystemAllocator(const SystemAllocator<U>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kMappedBytesMin) return static_cast<T*>(::operator new(bytes));
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    OPIC_CHECK(memory != MAP_FAILED) << "no memory for " << bytes << " bytes of the page table";
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kMappedBytesMin) {
      ::operator delete(memory);
    } else {
      munmap(memory, bytes);
    }
  }
  friend bool operator==(SystemAllocator, SystemAllocator) { return true; }
};

}  // namespace opic::page_table
