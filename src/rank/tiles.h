// Links in memory, cut into tiles that fit a processor's cache.
//
// A tile holds the links from 2^15 neighbouring pages to 2^17 neighbouring pages as words of 32
// bits: 15 bits of source, 17 bits of target, each within its range; ascending, so that sources are
// met in order. One worker sums up a row of tiles, all links to the same 2^17 pages: their sums (1
// MB) and the shares of one tile's sources (128 KB) stay in the second-level cache, and only the
// words come from memory. A pull over compressed rows instead misses the cache at every link of a
// graph without locality. The inverse ranking works on columns of the same tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "rank/engine.h"

namespace opic::rank {

// A link as one word: from << 32 | to.
using LinkWord = uint64_t;
constexpr LinkWord PackLink(uint32_t from, uint32_t to) { return uint64_t{from} << 32 | to; }

struct TileShape {
  int from_bits = 15, to_bits = 17;  // together at most 32
};

// Thread safety: immutable.
class TileMatrix {
 public:
  // Repeated links count once. Takes 4 bytes a link beside `links`, which it frees.
  // REQUIRES: every page is below `pages`; no self links.
  static TileMatrix Of(uint32_t pages, std::vector<LinkWord> links, uint32_t workers,
                       TileShape shape = {});

  uint32_t pages() const { return pages_; }
  uint64_t links() const { return words_.size(); }
  // Blocks of pages that get their sums together.
  uint32_t blocks(Direction direction) const {
    return direction == Direction::kDirect ? to_blocks_ : from_blocks_;
  }
  uint32_t block_pages(Direction direction) const {
    return uint32_t{1} << (direction == Direction::kDirect ? shape_.to_bits : shape_.from_bits);
  }
  // A page's number of links in the direction's graph: to others, or from them.
  absl::Span<const uint32_t> LinkCounts(Direction direction) const {
    return counts_[IndexOf(direction)];
  }
  // sums[i] += shares of the pages linking to page i of `block`, out of block `source` of the other
  // kind; `shares` are those of the source block.
  template <typename Real>
  void Sum(Direction direction, uint32_t block, uint32_t source, const Real* shares,
           double* sums) const;

  // Bytes taken at the most while it is made, and when it is, beside the `links` themselves.
  static uint64_t BytesFor(uint64_t pages, uint64_t links, TileShape shape = {});

 private:
  void Place(const std::vector<LinkWord>& links);
  void SortTiles(uint32_t workers);
  void Count();
  size_t TileOf(uint32_t to_block, uint32_t from_block) const {
    return size_t{to_block} * from_blocks_ + from_block;
  }

  TileShape shape_;
  uint32_t pages_ = 0, from_blocks_ = 0, to_blocks_ = 0;
  std::vector<uint64_t> begins_;  // of each tile in words_, row by row, and the end of the last one
  std::vector<uint32_t> words_;
  std::array<std::vector<uint32_t>, 2> counts_;
};

// The ranking of a TileMatrix.
//
// Thread safety: immutable.
class TileStore final : public LinkStore {
 public:
  TileStore(TileMatrix matrix, bool single_precision)
      : matrix_(std::move(matrix)), single_precision_(single_precision) {}
  uint32_t pages() const override { return matrix_.pages(); }
  uint64_t links() const override { return matrix_.links(); }
  bool on_disk() const override { return false; }
  absl::StatusOr<std::unique_ptr<RankEngine>> Prepare(const RankOptions& options,
                                                      const Rankings& rankings) override;
  // Bytes of the vectors and sums of a ranking.
  static uint64_t BytesToRank(uint64_t pages, uint32_t workers, int rankings,
                              bool single_precision);

 private:
  const TileMatrix matrix_;
  const bool single_precision_;
};

}  // namespace opic::rank
