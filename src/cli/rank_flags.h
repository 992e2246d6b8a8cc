// Flags of `opic rank`.
//
// Thread safety: confined to one thread.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/crawl_source.h"
#include "rank/links.h"
#include "rank/options.h"
#include "rank/slice_store.h"

namespace CLI {
class App;
}

namespace opic::cli {

// Values of 4 bytes come to rest a little below; a smaller --change takes 8 bytes.
inline constexpr double kSingleChangeMin = 1e-6;

struct RankFlags {
  std::string file;
  SourceFlags source;
  bool inverse = false, both = false, by_importance = false;
  std::string personalise, on;
  std::optional<double> damping;
  double change_max = kSingleChangeMin;
  double edge_weight = 0;
  std::string matrix = "random-walk", leak, norm = "l1", order = "jacobi";
  bool plus_identity = false, on_disk = false;
  uint32_t workers = 1, iterations_max = 1'000;
  std::string memory;
  std::string out;
  uint32_t top = 0;
  bool json = false, quiet = false;

  void AddTo(CLI::App& app);
  // InvalidArgument: flags that do not go together.
  absl::Status Check() const;
  // `otherwise`: the damping where none was given.
  rank::RankOptions Options(double otherwise) const;
  absl::StatusOr<rank::SlicePlan> Plan() const;
  // Interest alone: links are turned round when they are added, and ranked directly.
  bool turned() const { return inverse && !both && !by_importance; }
  rank::LinkReading Reading() const;
};

}  // namespace opic::cli
