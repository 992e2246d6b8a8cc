// Iterations of a ranking until its change is small enough.
#pragma once

#include "absl/status/statusor.h"
#include "rank/engine.h"
#include "rank/options.h"

namespace opic::rank {

// Iterates `engine` with options.workers threads, the caller's among them. `options` are those that
// it was prepared with. Change is relative: ||x' - x|| / (sum of x). FailedPrecondition as
// StepFrom; or an error of the engine's files.
absl::StatusOr<RankSummary> Iterate(RankEngine& engine, const RankOptions& options,
                                    const RankWatcher& watcher = nullptr);

// Values [first, first + values.size()) of a ranking, scaled so that all pages sum to 1.
// Thread safety: confined to one thread.
class RankReader {
 public:
  // Reads the whole vector once, for its sum. `engine` must outlive the reader.
  static absl::StatusOr<RankReader> Of(RankEngine& engine, Direction direction);
  absl::Status Read(uint32_t first, absl::Span<double> values) const;

 private:
  RankReader(RankEngine& engine, Direction direction, double sum)
      : engine_(&engine), direction_(direction), sum_(sum) {}
  RankEngine* engine_;
  Direction direction_;
  double sum_;
};

// All values at once: 8 bytes a page.
absl::StatusOr<std::vector<double>> AllValues(RankEngine& engine, Direction direction);

}  // namespace opic::rank
