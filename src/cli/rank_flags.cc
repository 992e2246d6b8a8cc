#include "cli/rank_flags.h"

#include <CLI/CLI.hpp>
#include <cmath>

#include "base/status_macros.h"
#include "cli/rank_input.h"
#include "cli/wrong_value.h"

namespace opic::cli {

void RankFlags::AddTo(CLI::App& app) {
  app.add_option(
      "file", file,
      "edge list: lines FROM TO, pages numbered from 0; may be gzipped; - is standard input");
  source.AddTo(app);
  app.add_flag("--inverse", inverse, "rank by interest instead of importance: links reversed");
  app.add_flag("--both", both, "importance and interest in one pass over the links");
  app.add_option("--personalise", personalise,
                 "file of lines PAGE [WEIGHT]: the pages that get importance from outside; with "
                 "--both or --by-importance for interest only");
  app.add_option(
      "--on", on,
      "as --personalise, for the URLs that match a pattern such as *.xml; needs a crawl");
  app.add_flag("--by-importance", by_importance,
               "interest in the pages of --on or --personalise by their importance: ranks twice");
  app.add_option(
         "--damping", damping,
         "share of importance that follows links (default 1 - epsilon of the crawl; 0.85 of an "
         "edge list)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--edge-weight", edge_weight,
                 "instead of --damping: a page passes W / (links + W) to all pages")
      ->check(CLI::PositiveNumber)
      ->excludes("--damping");
  app.add_option("--matrix", matrix,
                 "random-walk, adjacency: each link passes all of its page's importance; or "
                 "undirected: adjacency, each link both ways (default random-walk)")
      ->check(CLI::IsMember({"random-walk", "adjacency", "undirected"}));
  app.add_option(
         "--leak", leak,
         "what becomes of the importance of pages without links: spread (to all pages; default) or "
         "normalise (lost, and the rest scaled; always so with the other matrices)")
      ->check(CLI::IsMember({"spread", "normalise"}));
  app.add_flag("--plus-identity", plus_identity,
               "iterate with L + I, the paper's second series: converges on periodic graphs too");
  app.add_option("--order", order,
                 "order of the iteration: jacobi (default), gauss-seidel or chaotic")
      ->check(CLI::IsMember({"jacobi", "gauss-seidel", "chaotic"}));
  app.add_option("--norm", norm, "norm of the change of an iteration: l1 (default) or l2")
      ->check(CLI::IsMember({"l1", "l2"}));
  app.add_option("--change", change_max,
                 "stop when the change is at most this (default 1e-6; below that values take 8 "
                 "bytes each instead of 4)")
      ->check(CLI::PositiveNumber);
  app.add_option("--iterations", iterations_max, "stop after this many iterations (default 1000)")
      ->check(CLI::PositiveNumber);
  app.add_option("--workers", workers, "threads (default 1)")->check(CLI::Range(1, 256));
  app.add_option("--memory", memory,
                 "memory limit of the process, e.g. 80M (default half the machine's); what does "
                 "not fit goes to files");
  app.add_option("--folder", source.folder,
                 "folder for those files, which have no name there (default /tmp)");
  app.add_flag("--on-disk", on_disk, "use files even when the links would fit in memory");
  app.add_option("--top", top, "print only the N best pages, best first");
  app.add_option("--out", out, "file to write (default standard output)");
  app.add_flag("--json", json, "print one JSON object a line instead of a table");
  app.add_flag("--quiet", quiet, "show no progress");
}

absl::Status RankFlags::Check() const {
  if (file.empty() == source.empty()) {
    return absl::InvalidArgumentError(
        "give either an edge list or a crawl (--data, --cluster or --node)");
  }
  if (std::isnan(change_max))  // CLI::PositiveNumber takes it
    return WrongValue("change", "nan", "above 0");
  if (!on.empty() && source.empty())
    return absl::InvalidArgumentError(
        "--on needs the URLs of a crawl: --data, --cluster or --node");
  if (!on.empty() && !personalise.empty()) {
    return absl::InvalidArgumentError("--on and --personalise cannot be used together");
  }
  if (by_importance && on.empty() && personalise.empty()) {
    return absl::InvalidArgumentError("--by-importance needs --on or --personalise");
  }
  if (by_importance && both) {
    return absl::InvalidArgumentError("--by-importance and --both cannot be used together");
  }
  if (matrix != "random-walk" && leak == "spread") {
    return absl::InvalidArgumentError("--leak spread works only with --matrix random-walk");
  }
  if (matrix != "random-walk" && edge_weight > 0) {
    return absl::InvalidArgumentError("--edge-weight works only with --matrix random-walk");
  }
  if (matrix == "undirected" && (inverse || both || by_importance)) {
    return absl::InvalidArgumentError(
        "--matrix undirected: importance and interest are the same, drop --inverse, --both and "
        "--by-importance");
  }
  return absl::OkStatus();
}

rank::LinkReading RankFlags::Reading() const {
  if (matrix == "undirected") return rank::LinkReading::kBothWays;
  return turned() ? rank::LinkReading::kBackward : rank::LinkReading::kForward;
}

rank::RankOptions RankFlags::Options(double otherwise) const {
  rank::RankOptions options;
  options.damping = edge_weight > 0 ? 1 : damping.value_or(otherwise);
  options.edge_weight = edge_weight;
  const bool walk = matrix == "random-walk";
  options.matrix = walk ? graph::LinkMatrix::kRandomWalk : graph::LinkMatrix::kAdjacency;
  options.leak = walk && leak != "normalise" ? rank::Leak::kSpread : rank::Leak::kNormalise;
  options.plus_identity = plus_identity;
  options.order = order == "chaotic"        ? rank::Order::kChaotic
                  : order == "gauss-seidel" ? rank::Order::kGaussSeidel
                                            : rank::Order::kJacobi;
  options.workers = workers;
  options.norm = norm == "l2" ? rank::Norm::kL2 : rank::Norm::kL1;
  options.change_max = change_max;
  options.iterations_max = iterations_max;
  return options;
}

absl::StatusOr<rank::SlicePlan> RankFlags::Plan() const {
  rank::SlicePlan plan;
  ASSIGN_OR_RETURN(plan.resources.memory_bytes, MemoryFor(memory));
  plan.resources.folder = source.folder;
  plan.resources.single_precision = change_max >= kSingleChangeMin;
  plan.resources.always_on_disk = on_disk;
  plan.workers = workers;
  plan.rankings = both ? 2 : 1;
  return plan;
}

}  // namespace opic::cli
