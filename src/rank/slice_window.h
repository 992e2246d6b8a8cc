// A stretch of a file of equal values, moved along as ascending indexes are asked for.
#pragma once

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "rank/slice_file.h"

namespace opic::rank {

// Thread safety: confined to one thread.
template <typename T>
class SliceWindow {
 public:
  // `file` holds `values` values and must outlive the window. `writes`: changes go to the file when
  // the window moves on, and with Flush.
  SliceWindow(SliceFile& file, uint64_t values, size_t window_bytes, bool writes)
      : file_(file),
        values_(values),
        width_(std::max<size_t>(1, window_bytes / sizeof(T))),
        writes_(writes) {}

  // Brings value `index` into the window. REQUIRES: index < values.
  absl::Status Reach(uint64_t index) {
    if (index - first_ < buffer_.size()) return absl::OkStatus();
    if (absl::Status status = Flush(); !status.ok()) return status;
    first_ = index - index % width_;
    buffer_.resize(std::min<uint64_t>(width_, values_ - first_));
    return file_.ReadValues(first_, absl::MakeSpan(buffer_));
  }
  // REQUIRES: reached, and no other one since.
  T& operator[](uint64_t index) { return buffer_[index - first_]; }

  absl::Status Flush() {
    if (!writes_ || buffer_.empty()) return absl::OkStatus();
    return file_.WriteValues<T>(first_, buffer_);
  }

 private:
  SliceFile& file_;
  const uint64_t values_;
  const size_t width_;
  const bool writes_;
  uint64_t first_ = 0;
  std::vector<T> buffer_;
};

}  // namespace opic::rank
