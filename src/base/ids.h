// The words everyone shares for "which page" (docs/design.md section 3).
//
// A page is always named by (shard, id): its shard is one of a power of two of virtual shards
// (1,024 by default, at most 65,536) and its id one of 2^45 numbers within the shard. Both are cut
// from hashes of the URL (`url/page_id.h`). The pair is held in one 64-bit word, shard in the upper
// 16 bits, so that sorted words, and sorted store keys (big-endian), keep a shard contiguous.
//
// Thread safety: values; const members may be called from any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace opic {

inline constexpr int kPageIdBits = 45;
inline constexpr uint64_t kPageIdCount = uint64_t{1} << kPageIdBits;

// One virtual shard. Its value is below the cluster's number of shards, fixed at genesis.
struct ShardId {
  uint16_t value = 0;
  friend auto operator<=>(ShardId, ShardId) = default;
};

// Numbers of shards and of nodes have 16 bits.
inline constexpr uint64_t kShardOrNodeMax = 0xffff;

// The shard of this number. REQUIRES: `number` <= kShardOrNodeMax.
constexpr ShardId ShardAt(uint64_t number) {
  OPIC_CHECK(number <= kShardOrNodeMax) << "shard " << number;
  return ShardId{static_cast<uint16_t>(number)};
}

// One node of a cluster: its number in the shard map (cluster/shard_map.h). A crawl on one machine
// is node 0.
struct NodeId {
  uint16_t value = 0;
  friend constexpr auto operator<=>(NodeId, NodeId) = default;
  template <typename H>
  friend H AbslHashValue(H h, NodeId node) {
    return H::combine(std::move(h), node.value);
  }
};

// The node of this number. REQUIRES: `number` <= kShardOrNodeMax.
constexpr NodeId NodeAt(uint64_t number) {
  OPIC_CHECK(number <= kShardOrNodeMax) << "node " << number;
  return NodeId{static_cast<uint16_t>(number)};
}

// One page. Immutable value, 8 bytes; hashable by absl containers.
class PageId {
 public:
  PageId() = default;
  // REQUIRES: `id` < kPageIdCount.
  constexpr PageId(ShardId shard, uint64_t id) : word_(uint64_t{shard.value} << 48 | id) {}
  // The inverse of word(). Words from a stranger must be checked with IsValidWord first.
  static constexpr PageId FromWord(uint64_t word) {
    PageId page;
    page.word_ = word;
    return page;
  }
  static constexpr bool IsValidWord(uint64_t word) { return (word >> kPageIdBits & 7) == 0; }

  constexpr ShardId shard() const { return ShardAt(word_ >> 48); }
  constexpr uint64_t id() const { return word_ & (kPageIdCount - 1); }
  constexpr uint64_t word() const { return word_; }

  friend constexpr auto operator<=>(PageId, PageId) = default;
  template <typename H>
  friend H AbslHashValue(H h, PageId page) {
    return H::combine(std::move(h), page.word_);
  }

 private:
  uint64_t word_ = 0;
};

}  // namespace opic
