#include "rank/tiles.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "base/workers.h"

namespace opic::rank {
namespace {

uint32_t BlocksOf(uint64_t pages, int bits) {
  return static_cast<uint32_t>((pages + (uint64_t{1} << bits) - 1) >> bits);
}

// Words of `to_bits` low bits of target and the source above.
template <bool kForward, typename Real>
void SumTile(absl::Span<const uint32_t> words, int to_bits, const Real* shares, double* sums) {
  const uint32_t mask = (uint32_t{1} << to_bits) - 1;
  const auto share_of = [=](uint32_t w) { return shares[kForward ? w >> to_bits : w & mask]; };
  const auto sum_of = [=](uint32_t w) -> double& {
    return sums[kForward ? w & mask : w >> to_bits];
  };
  // All shares first: the processor then need not wait for a sum in case it were a share.
  constexpr int kTogether = 8;
  const uint32_t* word = words.data();
  const uint32_t* const end = word + words.size();
  for (; end - word >= kTogether; word += kTogether) {
    __builtin_prefetch(word + 256);
    double passed[kTogether];
    for (int i = 0; i < kTogether; ++i) passed[i] = share_of(word[i]);
    for (int i = 0; i < kTogether; ++i) sum_of(word[i]) += passed[i];
  }
  for (; word != end; ++word) sum_of(*word) += share_of(*word);
}

}  // namespace

uint64_t TileMatrix::BytesFor(uint64_t pages, uint64_t links, TileShape shape) {
  const uint64_t tiles =
      uint64_t{BlocksOf(pages, shape.from_bits)} * BlocksOf(pages, shape.to_bits) + 1;
  return 4 * links + 16 * tiles + 8 * pages;
}

TileMatrix TileMatrix::Of(uint32_t pages, std::vector<LinkWord> links, uint32_t workers,
                          TileShape shape) {
  OPIC_CHECK(shape.from_bits > 0 && shape.to_bits > 0 && shape.from_bits + shape.to_bits <= 32);
  TileMatrix matrix;
  matrix.shape_ = shape;
  matrix.pages_ = pages;
  matrix.from_blocks_ = BlocksOf(pages, shape.from_bits);
  matrix.to_blocks_ = BlocksOf(pages, shape.to_bits);
  matrix.Place(links);
  std::vector<LinkWord>().swap(links);
  matrix.SortTiles(workers);
  matrix.Count();
  return matrix;
}

// A counting sort of the links by tile.
void TileMatrix::Place(const std::vector<LinkWord>& links) {
  const auto tile_of = [this](LinkWord link) {
    return TileOf(static_cast<uint32_t>(link) >> shape_.to_bits,
                  static_cast<uint32_t>(link >> 32) >> shape_.from_bits);
  };
  begins_.assign(size_t{to_blocks_} * from_blocks_ + 1, 0);
  for (const LinkWord link : links) ++begins_[tile_of(link) + 1];
  for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  words_.resize(links.size());
  std::vector<uint64_t> at(begins_.begin(), begins_.end() - 1);
  const uint32_t from_mask = (uint32_t{1} << shape_.from_bits) - 1;
  const uint32_t to_mask = (uint32_t{1} << shape_.to_bits) - 1;
  for (const LinkWord link : links) {
    const uint32_t from = static_cast<uint32_t>(link >> 32), to = static_cast<uint32_t>(link);
    OPIC_CHECK(from < pages_ && to < pages_) << from << " -> " << to;
    words_[at[tile_of(link)]++] = (from & from_mask) << shape_.to_bits | (to & to_mask);
  }
}

// Also drops repeated links, and closes the gaps they leave.
void TileMatrix::SortTiles(uint32_t workers) {
  std::vector<uint64_t> ends(begins_.size() - 1);
  std::atomic<size_t> next = 0;
  base::OnWorkers(workers, [&](uint32_t) {
    for (size_t tile; (tile = next++) < ends.size();) {
      const auto begin = words_.begin() + static_cast<ptrdiff_t>(begins_[tile]);
      const auto end = words_.begin() + static_cast<ptrdiff_t>(begins_[tile + 1]);
      std::sort(begin, end);
      ends[tile] = static_cast<uint64_t>(std::unique(begin, end) - words_.begin());
    }
    return absl::OkStatus();
  }).IgnoreError();
  uint64_t out = 0;
  for (size_t tile = 0; tile < ends.size(); ++tile) {
    const uint64_t begin = begins_[tile];
    begins_[tile] = out;
    for (uint64_t i = begin; i < ends[tile]; ++i) words_[out++] = words_[i];
  }
  begins_.back() = out;
  words_.resize(out);
}

void TileMatrix::Count() {
  for (std::vector<uint32_t>& counts : counts_) counts.assign(pages_, 0);
  const uint32_t to_mask = (uint32_t{1} << shape_.to_bits) - 1;
  for (uint32_t row = 0; row < to_blocks_; ++row) {
    for (uint32_t column = 0; column < from_blocks_; ++column) {
      const size_t tile = TileOf(row, column);
      for (uint64_t i = begins_[tile]; i < begins_[tile + 1]; ++i) {
        const uint32_t from = words_[i] >> shape_.to_bits, to = words_[i] & to_mask;
        ++counts_[0][(uint64_t{column} << shape_.from_bits) + from];
        ++counts_[1][(uint64_t{row} << shape_.to_bits) + to];
      }
    }
  }
}

template <typename Real>
void TileMatrix::Sum(Direction direction, uint32_t block, uint32_t source, const Real* shares,
                     double* sums) const {
  const bool direct = direction == Direction::kDirect;
  const size_t tile = direct ? TileOf(block, source) : TileOf(source, block);
  const auto words =
      absl::MakeConstSpan(words_).subspan(begins_[tile], begins_[tile + 1] - begins_[tile]);
  if (direct) {
    SumTile<true>(words, shape_.to_bits, shares, sums);
  } else {
    SumTile<false>(words, shape_.to_bits, shares, sums);
  }
}

template void TileMatrix::Sum<float>(Direction, uint32_t, uint32_t, const float*, double*) const;
template void TileMatrix::Sum<double>(Direction, uint32_t, uint32_t, const double*, double*) const;

}  // namespace opic::rank
