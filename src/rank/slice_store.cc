#include "rank/slice_store.h"

#include <malloc.h>

#include <algorithm>
#include <optional>

#include "base/status_macros.h"
#include "rank/slice_window.h"

// jemalloc's, where the program is linked with it; else null.
extern "C" __attribute__((weak)) int mallctl(const char* name, void* old, size_t* old_size,
                                             void* value, size_t value_size);

namespace opic::rank {
namespace {

// What was freed goes back to the system, whichever of the two allocators the program has.
void GiveBackFreeMemory() {
  constexpr char kPurgeAllArenas[] = "arena.4096.purge";
  if (mallctl != nullptr) mallctl(kPurgeAllArenas, nullptr, nullptr, nullptr, 0);
  malloc_trim(0);
}

// More memory makes no larger slices: their sums (32 MB) would leave the processor's last cache,
// and Gauss-Seidel has nothing to gain from the newest values of one slice alone.
constexpr size_t kSlicePagesMax = size_t{1} << 22;

// A file of `pages` zeros.
absl::StatusOr<SliceFile> ZeroCounts(const std::string& folder, uint32_t pages, size_t buffer_bytes,
                                     SliceTraffic& traffic) {
  ASSIGN_OR_RETURN(SliceFile file, SliceFile::Create(folder, traffic));
  const std::vector<uint32_t> zeros(std::min<size_t>(pages, buffer_bytes / sizeof(uint32_t)));
  for (uint64_t at = 0; at < pages; at += zeros.size()) {
    const size_t size = std::min<uint64_t>(zeros.size(), pages - at);
    RETURN_IF_ERROR(file.WriteValues(at, absl::MakeConstSpan(zeros).first(size)));
  }
  return file;
}

}  // namespace

size_t SlicePlan::buffer_bytes() const {
  const size_t each = resources.memory_bytes / std::max<uint32_t>(workers, 1);
  return std::clamp(each / 64, size_t{2} << 10, size_t{1} << 20);
}

uint32_t SlicePlan::width() const {
  const size_t each = resources.memory_bytes / std::max<uint32_t>(workers, 1);
  const size_t page_bytes = sizeof(double) + (rankings > 1 ? sizeof(double) : 0);
  const size_t buffers = std::min(12 * buffer_bytes(), each / 2);
  return static_cast<uint32_t>(
      std::clamp<size_t>((each - buffers) / page_bytes, 1, kSlicePagesMax));
}

size_t SlicePlan::run_links() const {
  return std::max<size_t>(resources.memory_bytes / 4 * 3 / sizeof(uint64_t), 1);
}

size_t SlicePlan::merge_bytes() const { return resources.memory_bytes / 8; }

uint64_t SliceKey(uint32_t from, uint32_t to, uint32_t width) {
  return (uint64_t{to / width} << 32 | from) * width + to % width;
}

absl::StatusOr<std::unique_ptr<SliceStore>> SliceStore::Of(const SlicePlan& plan, uint32_t pages,
                                                           const SliceSort& links,
                                                           std::unique_ptr<SliceTraffic> traffic) {
  const std::string& folder = plan.resources.folder;
  ASSIGN_OR_RETURN(SliceFile matrix, SliceFile::Create(folder, *traffic));
  ASSIGN_OR_RETURN(SliceFile out, ZeroCounts(folder, pages, plan.buffer_bytes(), *traffic));
  ASSIGN_OR_RETURN(SliceFile in, ZeroCounts(folder, pages, plan.buffer_bytes(), *traffic));
  std::unique_ptr<SliceStore> store(new SliceStore(
      plan, pages, std::move(traffic), std::move(matrix), std::move(out), std::move(in)));
  RETURN_IF_ERROR(store->Fill(links));
  // What the sort gave back would stay with the process, and count, beside the ranking's memory.
  GiveBackFreeMemory();
  return store;
}

absl::Status SliceStore::Fill(const SliceSort& links) {
  const size_t buffer = plan_.buffer_bytes();
  SliceWriter writer(matrix_, width_, buffer);
  SliceWindow<uint32_t> out(counts_[0], pages_, buffer, true);
  std::vector<uint32_t> in(std::min(width_, pages_));  // of slice_of_in
  uint32_t slice_of_in = 0;
  const auto store_in = [&] {
    const uint64_t begin = uint64_t{slice_of_in} * width_;
    const size_t size = std::min<uint64_t>(in.size(), pages_ - begin);
    return counts_[1].WriteValues(begin, absl::MakeConstSpan(in).first(size));
  };
  RETURN_IF_ERROR(links.Merge(plan_.merge_bytes(), [&](uint64_t key) -> absl::Status {
    const uint32_t from = static_cast<uint32_t>(key / width_);
    const uint32_t slice = static_cast<uint32_t>(key / width_ >> 32);
    const uint32_t local = static_cast<uint32_t>(key % width_);
    if (slice != slice_of_in) {
      RETURN_IF_ERROR(store_in());
      std::fill(in.begin(), in.end(), 0);
      slice_of_in = slice;
    }
    ++in[local];
    ++links_;
    RETURN_IF_ERROR(out.Reach(from));
    ++out[from];
    return writer.Add(from, slice * width_ + local);
  }));
  RETURN_IF_ERROR(out.Flush());
  if (pages_ > 0) RETURN_IF_ERROR(store_in());
  ASSIGN_OR_RETURN(slices_, writer.Finish());
  return absl::OkStatus();
}

SliceReader SliceStore::ReaderOf(uint32_t slice) const {
  // The last slices may have no links at all.
  const SliceWriter::Slice empty;
  return SliceReader(matrix_, slice < slices_.size() ? slices_[slice] : empty, width_,
                     plan_.buffer_bytes());
}

}  // namespace opic::rank
