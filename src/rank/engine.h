// Where a ranking's links and values live: in memory (tiles.h) or in files (slice_engine.cc).
//
// An engine cuts the work of one iteration into units; iteration.h decides who does which and
// when. Vectors begin as E.
//
// Thread safety: Work may run on several threads at once, each with a worker number and units of
// its own; everything else of an engine or a store is confined to one thread, while no Work runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rank/equation.h"
#include "rank/options.h"

namespace opic::rank {

struct IoCount {
  uint64_t read = 0, written = 0;  // bytes
};

class RankEngine {
 public:
  virtual ~RankEngine() = default;

  virtual uint32_t pages() const = 0;
  // The totals of the vector as it begins; 1 and 1 where nothing is ranked.
  virtual RankTotals totals(Direction direction) const = 0;
  virtual bool ranks(Direction direction) const = 0;
  // The number of units of one iteration. All direct ones are done first; they may serve the
  // inverse ranking alone.
  virtual uint32_t units(Direction direction) const = 0;
  // Unit `unit` of an iteration. With Order::kJacobi it reads the vector of the last EndIteration,
  // else the newest values. Different units may be worked on at the same time by different
  // workers; `worker` is below the number of workers. REQUIRES: the iteration's units of the other
  // direction are not under way.
  virtual absl::StatusOr<RenewalSums> Work(Direction direction, uint32_t unit, uint32_t worker,
                                           const RankStep& step) = 0;
  // All units of all directions were done.
  virtual void EndIteration() = 0;
  // The values of pages first, first + 1, ... as they are kept: of any size.
  virtual absl::Status Read(Direction direction, uint32_t first, absl::Span<double> values) = 0;
  virtual IoCount io() const { return {}; }
};

// Which rankings to compute together, each with its E.
using Rankings = std::array<std::optional<Personalisation>, 2>;  // by IndexOf(Direction)

// Links that can be ranked, once or again.
class LinkStore {
 public:
  virtual ~LinkStore() = default;
  virtual uint32_t pages() const = 0;
  virtual uint64_t links() const = 0;  // distinct, without self links
  virtual bool on_disk() const = 0;
  // `this` must outlive the engine. At most one engine at a time, for the memory's sake.
  // InvalidArgument: options that do not go together, or pages in E that there are not.
  virtual absl::StatusOr<std::unique_ptr<RankEngine>> Prepare(const RankOptions& options,
                                                              const Rankings& rankings) = 0;
};

// What every Prepare refuses.
absl::Status CheckRanking(const RankOptions& options, const Rankings& rankings, uint32_t pages);

}  // namespace opic::rank
