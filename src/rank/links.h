// Takes in links one by one and makes them ready to be ranked: in memory when they fit its bound,
// on disk when they do not.
//
//   RankLinks links({.resources = {.memory_bytes = 80 << 20}});
//   for (...) RETURN_IF_ERROR(links.Add(from, to));
//   ASSIGN_OR_RETURN(auto store, std::move(links).Finish());
//   ASSIGN_OR_RETURN(auto engine, store->Prepare(options, {Personalisation(), std::nullopt}));
//   ASSIGN_OR_RETURN(auto summary, Iterate(*engine, options));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "rank/slice_store.h"
#include "rank/tiles.h"

namespace opic::rank {

inline constexpr uint32_t kPageNumberMax = UINT32_MAX - 1;

// How a link in the list is taken.
enum class LinkReading : uint8_t {
  kForward,
  kBackward,  // the other way round
  kBothWays,  // as two links: with LinkMatrix::kAdjacency the undirected matrix of paper section 1
};

// Thread safety: confined to one thread.
class RankLinks {
 public:
  // InvalidArgument: less memory than kRankMemoryMin is planned for a worker.
  static absl::StatusOr<RankLinks> Begin(const SlicePlan& plan, TileShape shape = {},
                                         LinkReading reading = LinkReading::kForward);

  // Repeated links count once, self links not at all (docs/algorithm.md section 5), but name their
  // page. InvalidArgument: a number above kPageNumberMax.
  absl::Status Add(uint64_t from, uint64_t to);
  // There are pages 0 to `pages` - 1, with links or without.
  void AddPages(uint32_t pages) { pages_ = std::max(pages_, pages); }

  // InvalidArgument: page numbers so much larger than the list is long that they cannot be dense
  // (one line could otherwise ask for gigabytes); AddPages vouches for them.
  absl::StatusOr<std::unique_ptr<LinkStore>> Finish() &&;

 private:
  RankLinks(const SlicePlan& plan, TileShape shape, LinkReading reading)
      : plan_(plan), shape_(shape), reading_(reading) {}
  absl::Status Push(uint32_t from, uint32_t to);
  absl::Status Spill();
  bool FitsInMemory() const;

  SlicePlan plan_;
  TileShape shape_;
  LinkReading reading_;
  uint32_t pages_ = 0;  // promised
  uint64_t named_ = 0;  // one more than the largest number
  uint64_t added_ = 0;
  std::vector<LinkWord> buffer_;  // not yet in a run
  std::unique_ptr<SliceTraffic> traffic_;
  std::optional<SliceSort> runs_;
};

}  // namespace opic::rank
