#include "rank/iteration.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/workers.h"

namespace opic::rank {
namespace {

double ChangeOf(Norm norm, const RenewalSums& sums) {
  const double change = norm == Norm::kL1 ? sums.change_l1 : std::sqrt(sums.change_l2_squared);
  return change / sums.after.size;
}

// Tells the watcher, and whether to go on.
class Progress {
 public:
  Progress(RankEngine& engine, const RankOptions& options, const RankWatcher& watcher)
      : engine_(engine), options_(options), watcher_(watcher) {}

  bool Tell(double change) {
    summary_.change = change;
    summary_.converged = change <= options_.change_max;
    const absl::Time now = absl::Now();
    const IoCount io = engine_.io();
    const RankProgress progress = {.iteration = ++summary_.iterations,
                                   .change = change,
                                   .seconds = absl::ToDoubleSeconds(now - then_),
                                   .bytes_read = io.read - io_.read,
                                   .bytes_written = io.written - io_.written};
    const bool wanted = !watcher_ || watcher_(progress);
    then_ = now, io_ = io;
    return wanted && !summary_.converged && summary_.iterations < options_.iterations_max;
  }
  const RankSummary& summary() const { return summary_; }

 private:
  RankEngine& engine_;
  const RankOptions& options_;
  const RankWatcher& watcher_;
  absl::Time then_ = absl::Now();
  IoCount io_ = engine_.io();
  RankSummary summary_;
};

// The totals of the newest values, as blocks are renewed in place.
class RunningTotals {
 public:
  explicit RunningTotals(RankTotals totals) : totals_(totals) {}
  absl::StatusOr<RankStep> Step(const RankOptions& options) const {
    absl::MutexLock lock(&mu_);
    return StepFrom(options, totals_);
  }
  void Renewed(const RenewalSums& sums) {
    absl::MutexLock lock(&mu_);
    totals_ += sums.after;
    totals_ -= sums.before;
  }
  // Sums over all pages take the place of running ones, whose rounding errors add up.
  void Set(RankTotals totals) {
    absl::MutexLock lock(&mu_);
    totals_ = totals;
  }

 private:
  mutable absl::Mutex mu_;
  RankTotals totals_ ABSL_GUARDED_BY(mu_);
};

// All units of one direction, each by the next worker that is free.
absl::StatusOr<RenewalSums> RenewAll(RankEngine& engine, const RankOptions& options,
                                     Direction direction, RunningTotals& totals) {
  RenewalSums all;
  if (engine.units(direction) == 0) return all;
  ASSIGN_OR_RETURN(const RankStep step, totals.Step(options));
  std::atomic<uint32_t> next = 0;
  absl::Mutex mu;
  RETURN_IF_ERROR(base::OnWorkers(options.workers, [&](uint32_t worker) -> absl::Status {
    for (uint32_t unit; (unit = next++) < engine.units(direction);) {
      absl::StatusOr<RankStep> own = step;
      if (options.order != Order::kJacobi) own = totals.Step(options);
      if (!own.ok()) return own.status();
      ASSIGN_OR_RETURN(const RenewalSums sums, engine.Work(direction, unit, worker, *own));
      if (options.order != Order::kJacobi) totals.Renewed(sums);
      absl::MutexLock lock(&mu);
      all += sums;
    }
    return absl::OkStatus();
  }));
  if (engine.ranks(direction)) totals.Set(all.after);
  return all;
}

// One iteration; tells whether there should be another one.
absl::StatusOr<bool> Round(RankEngine& engine, const RankOptions& options,
                           std::array<RunningTotals, 2>& totals, Progress& progress) {
  double change = 0;
  for (const Direction direction : kDirections) {
    ASSIGN_OR_RETURN(const RenewalSums sums,
                     RenewAll(engine, options, direction, totals[IndexOf(direction)]));
    if (engine.ranks(direction)) change = std::max(change, ChangeOf(options.norm, sums));
  }
  engine.EndIteration();
  return progress.Tell(change);
}

// Chaotic iterations of one direction. A round is over when every unit was renewed, some of them
// more than once; its last renewal tells how far a unit still moves.
class ChaoticRun {
 public:
  ChaoticRun(RankEngine& engine, const RankOptions& options, Direction direction,
             RunningTotals& totals, Progress& progress)
      : engine_(engine),
        options_(options),
        direction_(direction),
        totals_(totals),
        units_(engine.units(direction)),
        progress_(progress),
        last_(units_) {}

  // Until the changes of all units together are small, or iterations have run out.
  absl::Status Run() {
    return base::OnWorkers(options_.workers, [this](uint32_t worker) { return WorkOf(worker); });
  }

 private:
  // A worker has its own units and renews them in turn, whatever the others do.
  absl::Status WorkOf(uint32_t worker) {
    absl::Status status = absl::OkStatus();
    while (worker < units_ && status.ok() && !finished_) {
      for (uint32_t unit = worker; unit < units_ && status.ok() && !finished_;
           unit += options_.workers) {
        status = Renew(unit, worker);
      }
    }
    if (!status.ok()) finished_ = true;
    return status;
  }

  absl::Status Renew(uint32_t unit, uint32_t worker) {
    ASSIGN_OR_RETURN(const RankStep step, totals_.Step(options_));
    ASSIGN_OR_RETURN(const RenewalSums sums, engine_.Work(direction_, unit, worker, step));
    totals_.Renewed(sums);
    absl::MutexLock lock(&mu_);
    if (!last_[unit]) --awaited_;
    last_[unit] = sums;
    if (awaited_ == 0 && !finished_) EndRound();
    return absl::OkStatus();
  }

  // Every unit was renewed at least once since the round before.
  void EndRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    RenewalSums all;
    for (std::optional<RenewalSums>& one : last_) all += *std::exchange(one, std::nullopt);
    awaited_ = units_;
    if (!progress_.Tell(ChangeOf(options_.norm, all))) finished_ = true;
  }

  RankEngine& engine_;
  const RankOptions& options_;
  const Direction direction_;
  RunningTotals& totals_;
  const uint32_t units_;
  std::atomic<bool> finished_ = false;
  absl::Mutex mu_;
  Progress& progress_ ABSL_GUARDED_BY(mu_);
  std::vector<std::optional<RenewalSums>> last_ ABSL_GUARDED_BY(mu_);
  uint32_t awaited_ ABSL_GUARDED_BY(mu_) = units_;  // not renewed in this round
};

}  // namespace

absl::Status CheckRanking(const RankOptions& options, const Rankings& rankings, uint32_t pages) {
  if (!(options.damping >= 0 && options.damping <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("damping ", options.damping, " is not 0 to 1"));
  }
  if (options.workers < 1 || options.workers > 1024) {
    return absl::InvalidArgumentError(absl::StrCat(options.workers, " workers: not 1 to 1024"));
  }
  if (!(options.edge_weight >= 0 && std::isfinite(options.edge_weight))) {
    return absl::InvalidArgumentError(
        absl::StrCat("edge weight ", options.edge_weight, " is not 0 or more"));
  }
  if (options.edge_weight > 0 && options.matrix == graph::LinkMatrix::kAdjacency) {
    return absl::InvalidArgumentError("an edge weight works only with the random walk");
  }
  if (options.matrix == graph::LinkMatrix::kAdjacency && options.leak != Leak::kNormalise) {
    return absl::InvalidArgumentError("the adjacency matrix must be normalised, not spread");
  }
  const auto wanted =
      std::count_if(rankings.begin(), rankings.end(), [](const auto& e) { return e.has_value(); });
  if (wanted == 0) return absl::InvalidArgumentError("neither importance nor interest is wanted");
  if (wanted == 2 && options.order == Order::kChaotic) {
    return absl::InvalidArgumentError("chaotic iterations rank in one direction at a time");
  }
  for (const auto& personalisation : rankings) {
    if (personalisation && personalisation->pages_min() > pages) {
      return absl::InvalidArgumentError(absl::StrCat("personalisation of page ",
                                                     personalisation->pages_min() - 1, ", of only ",
                                                     pages, " pages"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RankSummary> Iterate(RankEngine& engine, const RankOptions& options,
                                    const RankWatcher& watcher) {
  if (engine.pages() == 0) return RankSummary{.converged = true};
  Progress progress(engine, options, watcher);
  std::array<RunningTotals, 2> totals = {RunningTotals(engine.totals(Direction::kDirect)),
                                         RunningTotals(engine.totals(Direction::kInverse))};
  const Direction only =
      engine.ranks(Direction::kDirect) ? Direction::kDirect : Direction::kInverse;
  for (bool more = true; more;) {
    if (options.order == Order::kChaotic) {
      RETURN_IF_ERROR(ChaoticRun(engine, options, only, totals[IndexOf(only)], progress).Run());
      if (!progress.summary().converged) break;
    }
    // Of chaotic iterations it is the proof: a unit's last change may be long ago.
    ASSIGN_OR_RETURN(more, Round(engine, options, totals, progress));
  }
  return progress.summary();
}

absl::StatusOr<RankReader> RankReader::Of(RankEngine& engine, Direction direction) {
  double sum = 0;
  std::vector<double> values(std::min<uint32_t>(engine.pages(), 4096));
  for (uint64_t first = 0; first < engine.pages(); first += values.size()) {
    values.resize(std::min<uint64_t>(values.size(), engine.pages() - first));
    RETURN_IF_ERROR(engine.Read(direction, static_cast<uint32_t>(first), absl::MakeSpan(values)));
    for (const double value : values) sum += value;
  }
  return RankReader(engine, direction, sum);
}

absl::Status RankReader::Read(uint32_t first, absl::Span<double> values) const {
  RETURN_IF_ERROR(engine_->Read(direction_, first, values));
  for (double& value : values) value /= sum_;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<double>> AllValues(RankEngine& engine, Direction direction) {
  ASSIGN_OR_RETURN(const RankReader reader, RankReader::Of(engine, direction));
  std::vector<double> values(engine.pages());
  RETURN_IF_ERROR(reader.Read(0, absl::MakeSpan(values)));
  return values;
}

}  // namespace opic::rank
