#include "cli/rank_flags.h"

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/rank_input.h"

namespace opic::cli {

void RankFlags::AddTo(CLI::App& app) {
  app.add_option("file", file,
                 "edge list: a line FROM TO each, numbered from 0; gzip too; - is standard input");
  app.add_option("--data", data, "rank the kept links of this data folder at rest instead");
  app.add_flag("--inverse", inverse, "interest instead of importance: links backward");
  app.add_flag("--both", both, "importance and interest in one pass over the links");
  app.add_option("--personalise", personalise,
                 "file of lines PAGE [WEIGHT]: where importance springs from; with "
                 "--both or --by-importance it is interest's alone");
  app.add_option("--on", on,
                 "the same for the URLs that match a pattern such as *.xml; with --data");
  app.add_flag("--by-importance", by_importance,
               "interest in pages by their importance: ranks twice");
  app.add_option("--damping", damping, "part that follows links (default 0.85)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--edge-weight", edge_weight,
                 "instead of --damping: a page passes W / (links + W) to all pages")
      ->check(CLI::PositiveNumber)
      ->excludes("--damping");
  app.add_option("--matrix", matrix,
                 "random-walk, adjacency: each link passes all of its page's importance; or "
                 "undirected: adjacency, each link both ways (default random-walk)")
      ->check(CLI::IsMember({"random-walk", "adjacency", "undirected"}));
  app.add_option("--leak", leak,
                 "spread: what pages without links hold goes to all; normalise: it is lost, the "
                 "rest scaled (default spread; of the other matrices normalise, always)")
      ->check(CLI::IsMember({"spread", "normalise"}));
  app.add_flag("--plus-identity", plus_identity,
               "iterate with L + I, the paper's second suite: converges on periodic graphs too");
  app.add_option("--order", order, "jacobi, gauss-seidel or chaotic (default jacobi)")
      ->check(CLI::IsMember({"jacobi", "gauss-seidel", "chaotic"}));
  app.add_option("--norm", norm, "of the change that stops: l1 or l2 (default l1)")
      ->check(CLI::IsMember({"l1", "l2"}));
  app.add_option("--change", change_max,
                 "the change that stops (default 1e-6; values take 4 bytes each, for less 8)")
      ->check(CLI::PositiveNumber);
  app.add_option("--iterations", iterations_max, "at most so many (default 1000)")
      ->check(CLI::PositiveNumber);
  app.add_option("--workers", workers, "threads (default 1)")->check(CLI::Range(1, 256));
  app.add_option("--memory", memory,
                 "bound of the process, such as 80M (default half the machine's); what does not "
                 "fit goes to files");
  app.add_option("--folder", folder, "where those files lie, nameless (default /tmp)");
  app.add_flag("--on-disk", on_disk, "use files even when the links would fit in memory");
  app.add_option("--top", top, "print the N best pages alone, best first");
  app.add_option("--out", out, "file to write (default standard output)");
  app.add_flag("--json", json, "a JSON object a line instead of a table");
  app.add_flag("--quiet", quiet, "no progress on standard error");
}

absl::Status RankFlags::Check() const {
  if (file.empty() == data.empty()) {
    return absl::InvalidArgumentError("either an edge list or --data must be given");
  }
  if (!on.empty() && data.empty())
    return absl::InvalidArgumentError("--on needs the URLs of --data");
  if (!on.empty() && !personalise.empty()) {
    return absl::InvalidArgumentError("--on and --personalise say the same");
  }
  if (by_importance && on.empty() && personalise.empty()) {
    return absl::InvalidArgumentError("--by-importance needs pages: --on or --personalise");
  }
  if (by_importance && both) {
    return absl::InvalidArgumentError("--by-importance needs importance first: not with --both");
  }
  if (matrix != "random-walk" && leak == "spread") {
    return absl::InvalidArgumentError("--leak spread goes with the random walk");
  }
  if (matrix != "random-walk" && edge_weight > 0) {
    return absl::InvalidArgumentError("--edge-weight goes with the random walk");
  }
  if (matrix == "undirected" && (inverse || both || by_importance)) {
    return absl::InvalidArgumentError("undirected importance and interest are the same");
  }
  return absl::OkStatus();
}

sim::LinkReading RankFlags::Reading() const {
  if (matrix == "undirected") return sim::LinkReading::kBothWays;
  return turned() ? sim::LinkReading::kBackward : sim::LinkReading::kForward;
}

sim::RankOptions RankFlags::Options() const {
  sim::RankOptions options;
  options.damping = edge_weight > 0 ? 1 : damping;
  options.edge_weight = edge_weight;
  const bool walk = matrix == "random-walk";
  options.matrix = walk ? sim::LinkMatrix::kRandomWalk : sim::LinkMatrix::kAdjacency;
  options.leak = walk && leak != "normalise" ? sim::Leak::kSpread : sim::Leak::kNormalise;
  options.plus_identity = plus_identity;
  options.order = order == "chaotic"        ? sim::Order::kChaotic
                  : order == "gauss-seidel" ? sim::Order::kGaussSeidel
                                            : sim::Order::kJacobi;
  options.workers = workers;
  options.norm = norm == "l2" ? sim::Norm::kL2 : sim::Norm::kL1;
  options.change_max = change_max;
  options.iterations_max = iterations_max;
  return options;
}

absl::StatusOr<sim::SlicePlan> RankFlags::Plan() const {
  sim::SlicePlan plan;
  ASSIGN_OR_RETURN(plan.resources.memory_bytes, MemoryFor(memory));
  plan.resources.folder = folder;
  plan.resources.single_precision = change_max >= kSingleChangeMin;
  plan.resources.always_on_disk = on_disk;
  plan.workers = workers;
  plan.rankings = both ? 2 : 1;
  return plan;
}

}  // namespace opic::cli
