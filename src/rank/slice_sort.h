// Sorts more numbers than fit in memory, and drops repeated ones: sorted runs in a file, merged.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "rank/slice_file.h"

namespace opic::rank {

// Thread safety: confined to one thread.
class SliceSort {
 public:
  explicit SliceSort(SliceFile file) : file_(std::move(file)) {}

  // Sorts `numbers` and writes them as one run.
  absl::Status AddRun(absl::Span<uint64_t> numbers);
  // Calls `take` for each distinct number, ascending. Uses about `memory_bytes`, but at least
  // 512 bytes a run.
  absl::Status Merge(size_t memory_bytes, absl::FunctionRef<absl::Status(uint64_t)> take) const;
  size_t runs() const { return runs_.size(); }

 private:
  struct Run {
    uint64_t begin, end;  // indexes in file_
  };
  SliceFile file_;
  uint64_t written_ = 0;
  std::vector<Run> runs_;
};

}  // namespace opic::rank
