#include "node/control_operations.h"

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/log.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "node/pause_memory.h"
#include "node/publishing.h"
#include "node/refresh_memory.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

class ControlOperations final : public Control {
 public:
  ControlOperations(NodeParts& parts, CrawlChanges& crawl) : parts_(parts), crawl_(crawl) {}

  absl::Status Pause(bool paused) override;
  absl::Status StopNode() override;
  absl::Status SetLimits(const LimitChanges& changes, std::optional<uint32_t> depth,
                         bool as_started) override;
  absl::Status SetLogLevel(const base::LogLevelChange& change) override;
  absl::StatusOr<InForce> WhatIsInForce() override;
  absl::StatusOr<SeedResults> AddSeeds(const std::vector<std::string>& urls) override {
    return crawl_.AddSeeds(urls);
  }
  absl::StatusOr<SeedResults> BeginCrawl(const CrawlOrder& order) override {
    return crawl_.Begin(order);
  }
  absl::StatusOr<CrawlOrder> Order() override { return crawl_.Order(); }
  absl::StatusOr<std::vector<KeptRule>> TuneHosts(const std::vector<HostChange>& changes,
                                                  const std::string& by) override;

  absl::Status TuneRefresh(const RefreshTuning& changes, bool anew) override;
  absl::StatusOr<DueTimes> WhenDue() override;
  absl::StatusOr<Published> Publish(const refresh::Publication& publication) override;
  absl::StatusOr<std::vector<refresh::Publication>> Publications() override;
  absl::Status Withdraw(uint64_t id) override;

  absl::StatusOr<MendedEpoch> MendEpoch() override;
  absl::StatusOr<ledger::LostChannel> DeclareLost(const Loss& loss) override;
  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) override;
  absl::StatusOr<std::vector<ShardStatus>> Shards() override;

 private:
  // REQUIRES: the ledger's thread.
  absl::StatusOr<RefreshPlan*> Plan();
  // REQUIRES: the ledger's thread. `answers`: the peer was knocked at, and answered.
  absl::StatusOr<ledger::LostChannel> DeclareLostHere(const Loss& loss, bool answers);

  NodeParts& parts_;
  CrawlChanges& crawl_;
  absl::Mutex pausing_;
};

absl::Status ControlOperations::Pause(bool paused) {
  const absl::MutexLock lock(&pausing_);  // what is remembered is what is done
  RETURN_IF_ERROR(parts_.ChangeOnLedger(
      [&] { return RememberPause(*parts_.store, paused, parts_.clock.Now()); }));
  parts_.HoldFetches(paused);
  parts_.paused = paused;
  base::LogInfo("fetching is {}, by an operator", paused ? "paused" : "resumed");
  return absl::OkStatus();
}

absl::Status ControlOperations::StopNode() {
  parts_.stop_requested = true;
  return absl::OkStatus();
}

absl::Status ControlOperations::SetLimits(const LimitChanges& changes,
                                          std::optional<uint32_t> depth, bool as_started) {
  RETURN_IF_ERROR(CheckLimits(changes, parts_.options.fetches_most));
  if (depth) RETURN_IF_ERROR(crawl_.SetDepth(*depth));
  return parts_.ChangeOnLedger([&]() -> absl::Status {
    LimitChanges set = as_started ? LimitChanges() : parts_.limits_set;
    set.Take(changes);
    RETURN_IF_ERROR(RememberLimits(*parts_.store, set));
    parts_.UseLimits(set);
    base::LogInfo("limits are set by an operator: {}", set.InWords());
    return absl::OkStatus();
  });
}

absl::Status ControlOperations::SetLogLevel(const base::LogLevelChange& change) {
  for (const auto& [module, level] : change.modules) RETURN_IF_ERROR(base::CheckModule(module));
  const base::LogLevels levels = base::Changed(base::CurrentLogLevels(), change);
  base::SetLogLevels(levels);
  base::LogLine(base::LogLevel::kInfo, absl::StrCat("the log is set to level ",
                                                    base::InWords(levels), ", by an operator"));
  return absl::OkStatus();
}

absl::StatusOr<InForce> ControlOperations::WhatIsInForce() {
  return parts_.AskLedger([&]() -> absl::StatusOr<InForce> {
    InForce now;
    if (parts_.options.membership) now.node = parts_.options.membership->own().name;
    ASSIGN_OR_RETURN(now.paused_since, PausedSince(*parts_.store));
    now.crawl = OrderOf(parts_.loop->crawl());
    now.seeds = now.crawl.seeds.size();
    now.crawl.seeds.clear();
    now.limits = parts_.loop->limits();
    now.limits_set = parts_.limits_set;
    now.log = base::CurrentLogLevels();
    now.reads_again = parts_.loop->refresh() != nullptr;
    ASSIGN_OR_RETURN(now.refresh, RecallRefreshTuning(*parts_.store));
    now.hosts = parts_.host_rules->kept();
    if (const auto file = parts_.host_rules->file(); file != nullptr) now.hosts_file = *file;
    now.acts = parts_.trail->last();
    return now;
  });
}

absl::StatusOr<std::vector<KeptRule>> ControlOperations::TuneHosts(
    const std::vector<HostChange>& changes, const std::string& by) {
  return parts_.ChangeOnLedger([&]() -> absl::StatusOr<std::vector<KeptRule>> {
    ASSIGN_OR_RETURN(std::vector<KeptRule> rules,
                     parts_.host_rules->Change(changes, by, parts_.clock.Now()));
    parts_.loop->TellHostRules();
    for (const KeptRule& kept : rules) base::LogInfo("{}, by {}", InWords(kept.rule), kept.by);
    return rules;
  });
}

absl::Status ControlOperations::TuneRefresh(const RefreshTuning& changes, bool anew) {
  RETURN_IF_ERROR(CheckTuning(changes));
  return parts_.ChangeOnLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(RefreshPlan * plan, Plan());
    ASSIGN_OR_RETURN(RefreshTuning tuning, RecallRefreshTuning(*parts_.store));
    // The rate stays: it goes with the scheduler's.
    if (anew) tuning = {.pages_per_s = tuning.pages_per_s};
    tuning.Take(changes);
    RETURN_IF_ERROR(RememberRefreshTuning(*parts_.store, tuning));
    base::LogInfo("how pages are read again was changed by an operator");
    return plan->Tune(tuning, parts_.clock.Now());
  });
}

absl::StatusOr<DueTimes> ControlOperations::WhenDue() {
  DueTimes times;
  std::string from;
  absl::StatusOr<bool> finished = false;
  while (finished.ok() && !*finished) {
    finished = parts_.AskLedger([&]() -> absl::StatusOr<bool> {
      ASSIGN_OR_RETURN(RefreshPlan * plan, Plan());
      return plan->AddDueTimes(from, times);
    });
  }
  RETURN_IF_ERROR(finished.status());
  return times;
}

absl::StatusOr<Published> ControlOperations::Publish(const refresh::Publication& publication) {
  return parts_.ChangeOnLedger([&]() -> absl::StatusOr<Published> {
    // Where no page is read again, discovery alone can follow.
    if (publication.treatment != refresh::Treatment::kBoost) RETURN_IF_ERROR(Plan().status());
    return PublishOn(parts_, publication);
  });
}

absl::StatusOr<std::vector<refresh::Publication>> ControlOperations::Publications() {
  return parts_.AskLedger([&]() -> absl::StatusOr<std::vector<refresh::Publication>> {
    return PublicationsOf(parts_);
  });
}

absl::Status ControlOperations::Withdraw(uint64_t id) {
  return parts_.ChangeOnLedger([&] { return WithdrawFrom(parts_, id); });
}

absl::StatusOr<RefreshPlan*> ControlOperations::Plan() {
  if (parts_.loop->refresh() != nullptr) return parts_.loop->refresh();
  return base::WithReason(absl::FailedPreconditionError(
                              "this node reads no page again; start it with --continuous --rate N"),
                          "READS_NO_PAGE_AGAIN");
}

absl::StatusOr<MendedEpoch> ControlOperations::MendEpoch() {
  RETURN_IF_ERROR(parts_.InCluster());
  return parts_.ChangeOnLedger([&]() -> absl::StatusOr<MendedEpoch> {
    const uint64_t before = parts_.ledger->epoch();
    ASSIGN_OR_RETURN(const uint64_t batches, parts_.exchange->MendEpoch(parts_.clock.Steady()));
    return MendedEpoch{before, batches};
  });
}

absl::StatusOr<ledger::LostChannel> ControlOperations::DeclareLost(const Loss& loss) {
  RETURN_IF_ERROR(parts_.InCluster());
  if (loss.peer == parts_.charter().node ||
      loss.peer.value >= parts_.options.membership->map.nodes().size()) {
    return absl::InvalidArgumentError("only another node of the cluster can be declared lost");
  }
  const bool answers = parts_.answers && parts_.answers(loss.peer);
  return parts_.ChangeOnLedger([&] { return DeclareLostHere(loss, answers); });
}

absl::StatusOr<ledger::LostChannel> ControlOperations::DeclareLostHere(const Loss& loss,
                                                                       bool answers) {
  cluster::Exchange& exchange = *parts_.exchange;
  const ledger::PeerBook& book = parts_.ledger->peers().book(loss.peer);
  const bool done_before = book.generation == loss.generation;
  if (done_before && book.birth != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node ", parts_.options.membership->map.node(loss.peer).name, " has run as generation ",
        loss.generation,
        " since: the cluster file is older. Take the newest one, which the last `opic cluster "
        "declare-lost` wrote"));
  }
  if (!done_before && (answers || exchange.IsConnected(loss.peer))) {
    const std::string& name = parts_.options.membership->map.node(loss.peer).name;
    return base::WithReason(
        absl::FailedPreconditionError(absl::StrCat(
            "node ", name,
            " is running and cannot be declared lost. To give up its data folder all the same, "
            "stop the node first")),
        "NODE_IS_RUNNING", {{"node", name}});
  }
  if (!loss.ask) {
    RETURN_IF_ERROR(exchange.BeginAnew(loss.peer, loss.generation, parts_.clock.Steady()));
  }
  ledger::LostChannel channel{parts_.charter().node, book.closed_sealed_cash,
                              book.closed_applied_cash, book.sums.clock};
  if (loss.ask && !done_before) {
    channel.received += book.acknowledged_cash;
    channel.sealed += book.applied_cash;
  }
  return channel;
}

absl::Status ControlOperations::MoveShards(const std::vector<ShardId>& shards, NodeId to) {
  RETURN_IF_ERROR(parts_.InCluster());
  if (to.value >= parts_.options.membership->map.nodes().size()) {
    return absl::InvalidArgumentError("the shard map has no such node");
  }
  return parts_.AskLedger([&] {
    absl::Status first;
    for (ShardId shard : shards) first.Update(parts_.loop->mover().Move(shard, to));
    return first;
  });
}

absl::StatusOr<std::vector<ShardStatus>> ControlOperations::Shards() {
  RETURN_IF_ERROR(parts_.InCluster());
  std::vector<ShardStatus> all;
  RETURN_IF_ERROR(parts_.OnLedger([&] { all = parts_.loop->mover().Status(); }));
  return all;
}

}  // namespace

std::unique_ptr<Control> ControlOn(NodeParts& parts, CrawlChanges& crawl) {
  return std::make_unique<ControlOperations>(parts, crawl);
}

}  // namespace opic::node
