#include "rank/slice_sort.h"

#include <algorithm>
#include <optional>

#include "base/status_macros.h"

namespace opic::rank {
namespace {

// One run, read piece by piece.
class RunReader {
 public:
  RunReader(const SliceFile& file, uint64_t begin, uint64_t end, size_t piece)
      : file_(file), next_(begin), end_(end), piece_(piece) {}

  // Goes to the next number. False: there is none.
  absl::StatusOr<bool> Next() {
    if (++at_ < buffer_.size()) return true;
    if (next_ == end_) return false;
    buffer_.resize(std::min<uint64_t>(piece_, end_ - next_));
    RETURN_IF_ERROR(file_.ReadValues(next_, absl::MakeSpan(buffer_)));
    next_ += buffer_.size();
    at_ = 0;
    return true;
  }
  uint64_t value() const { return buffer_[at_]; }

 private:
  const SliceFile& file_;
  uint64_t next_;  // to be read from the file
  const uint64_t end_;
  const size_t piece_;
  std::vector<uint64_t> buffer_;
  size_t at_ = 0;
};

// Of a heap whose front is the smallest.
struct Head {
  uint64_t value;
  size_t run;
  friend bool operator<(const Head& a, const Head& b) { return a.value > b.value; }
};

// After the front has grown.
void SinkFront(std::vector<Head>& heap) {
  const Head sinking = heap.front();
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < heap.size(); at = child) {
    if (child + 1 < heap.size() && heap[child + 1].value < heap[child].value) ++child;
    if (sinking.value <= heap[child].value) break;
    heap[at] = heap[child];
  }
  heap[at] = sinking;
}

}  // namespace

absl::Status SliceSort::AddRun(absl::Span<uint64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const auto end = std::unique(numbers.begin(), numbers.end());
  const size_t size = static_cast<size_t>(end - numbers.begin());
  RETURN_IF_ERROR(file_.WriteValues<uint64_t>(written_, numbers.first(size)));
  runs_.push_back({written_, written_ + size});
  written_ += size;
  return absl::OkStatus();
}

absl::Status SliceSort::Merge(size_t memory_bytes,
                              absl::FunctionRef<absl::Status(uint64_t)> take) const {
  constexpr size_t kLeast = 512, kMost = size_t{1} << 20;
  const size_t bytes = std::clamp(memory_bytes / std::max<size_t>(runs_.size(), 1), kLeast, kMost);
  std::vector<RunReader> readers;
  std::vector<Head> heap;
  readers.reserve(runs_.size());
  for (const Run& run : runs_) {
    readers.emplace_back(file_, run.begin, run.end, bytes / sizeof(uint64_t));
    ASSIGN_OR_RETURN(const bool any, readers.back().Next());
    if (any) heap.push_back({readers.back().value(), readers.size() - 1});
  }
  std::make_heap(heap.begin(), heap.end());
  for (std::optional<uint64_t> last; !heap.empty();) {
    Head& front = heap.front();
    if (front.value != last) RETURN_IF_ERROR(take(front.value));
    last = front.value;
    ASSIGN_OR_RETURN(const bool more, readers[front.run].Next());
    if (more) {
      front.value = readers[front.run].value();
    } else {
      front = heap.back();
      heap.pop_back();
      if (heap.empty()) break;
    }
    SinkFront(heap);
  }
  return absl::OkStatus();
}

}  // namespace opic::rank
