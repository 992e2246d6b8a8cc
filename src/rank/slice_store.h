// Links on disk, ready to be ranked in bounded memory (thesis 2.3.2 to 2.3.4, 2.5).
//
// A slice of the direct ranking needs the sums of its pages in memory; links and the shares of
// their sources pass by in order. The inverse ranking uses the same slices the other way round: the
// shares of the slice's pages are in memory, and the sums of the sources pass by, growing with
// every slice. So one pass over the links serves both.
#pragma once

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "rank/engine.h"
#include "rank/slice_file.h"
#include "rank/slice_matrix.h"
#include "rank/slice_sort.h"

namespace opic::rank {

// How the memory bound is divided.
struct SlicePlan {
  RankResources resources;
  uint32_t workers = 1;  // at most so many slices are worked on at a time
  int rankings = 1;      // in one pass

  size_t buffer_bytes() const;  // of one file's buffer
  uint32_t width() const;       // pages a slice
  size_t run_links() const;     // sorted in memory at a time
  size_t merge_bytes() const;
};

// A link as one number, ordered by slice, then source, then target.
uint64_t SliceKey(uint32_t from, uint32_t to, uint32_t width);

// Thread safety: Prepare is confined to one thread.
class SliceStore final : public LinkStore {
 public:
  // `links` are SliceKeys. `traffic` is that of their file.
  static absl::StatusOr<std::unique_ptr<SliceStore>> Of(const SlicePlan& plan, uint32_t pages,
                                                        const SliceSort& links,
                                                        std::unique_ptr<SliceTraffic> traffic);

  uint32_t pages() const override { return pages_; }
  uint64_t links() const override { return links_; }
  bool on_disk() const override { return true; }
  // Also InvalidArgument: more workers or rankings than planned for; the inverse ranking with more
  // than one worker (turn the links round and rank directly).
  absl::StatusOr<std::unique_ptr<RankEngine>> Prepare(const RankOptions& options,
                                                      const Rankings& rankings) override;

  // For the engine.
  const SlicePlan& plan() const { return plan_; }
  uint32_t width() const { return width_; }
  uint32_t slices() const {
    return static_cast<uint32_t>((uint64_t{pages_} + width_ - 1) / width_);
  }
  SliceReader ReaderOf(uint32_t slice) const;
  const SliceFile& LinkCounts(Direction direction) const { return counts_[IndexOf(direction)]; }
  SliceTraffic& traffic() const { return *traffic_; }

 private:
  SliceStore(const SlicePlan& plan, uint32_t pages, std::unique_ptr<SliceTraffic> traffic,
             SliceFile matrix, SliceFile out_counts, SliceFile in_counts)
      : plan_(plan),
        pages_(pages),
        width_(plan.width()),
        traffic_(std::move(traffic)),
        matrix_(std::move(matrix)),
        counts_{std::move(out_counts), std::move(in_counts)} {}
  absl::Status Fill(const SliceSort& links);

  const SlicePlan plan_;
  const uint32_t pages_;
  const uint32_t width_;
  uint64_t links_ = 0;
  std::unique_ptr<SliceTraffic> traffic_;
  SliceFile matrix_;
  std::array<SliceFile, 2> counts_;  // of links, 4 bytes a page, by Direction
  std::vector<SliceWriter::Slice> slices_;
};

}  // namespace opic::rank
