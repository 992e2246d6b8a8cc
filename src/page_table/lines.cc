#include "page_table/lines.h"

#include <sys/mman.h>

#include "base/check.h"

namespace opic::page_table {

Lines::Lines(uint64_t count) : count_(count) {
  // Every line is written soon: having them all at once is cheaper than a fault for each system
  // page.
  void* memory = mmap(nullptr, count * sizeof(Line), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  OPIC_CHECK(memory != MAP_FAILED) << "no memory for " << count << " lines of the page table";
  first_ = static_cast<Line*>(memory);
}

Lines::~Lines() {
  if (first_ != nullptr) munmap(first_, count_ * sizeof(Line));
}

}  // namespace opic::page_table
