#include "node/operations.h"

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/pause_memory.h"
#include "node/publishing.h"
#include "node/refresh_memory.h"
#include "node/refresh_plan.h"
#include "node/running_restatement.h"

namespace opic::node {
namespace {

class Operations final : public RunningNode {
 public:
  Operations(NodeParts& parts, CrawlChanges& crawl) : parts_(parts), crawl_(crawl) {}

  absl::StatusOr<NodeStats> Stats() override { return parts_.Stats(); }
  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  absl::StatusOr<TopPages> Top(size_t count) override;
  absl::StatusOr<Audit> TakeAudit() override;
  absl::StatusOr<ExportedRows> ReadExport(const ExportPosition& position) override {
    return parts_.exports->Read(position);
  }

  absl::Status Pause(bool paused) override;
  absl::Status StopNode() override;
  absl::Status AddSeeds(const std::vector<std::string>& urls) override {
    return crawl_.AddSeeds(urls);
  }
  absl::Status BeginCrawl(const CrawlOrder& order) override { return crawl_.Begin(order); }
  absl::Status TuneRefresh(const RefreshTuning& changes, bool anew) override;
  absl::StatusOr<std::vector<KeptRule>> TuneHosts(const std::vector<HostChange>& changes,
                                                  const std::string& by) override;
  absl::StatusOr<InForce> WhatIsInForce() override;
  absl::StatusOr<DueTimes> WhenDue() override;
  absl::StatusOr<Published> Publish(const refresh::Publication& publication) override {
    return parts_.ChangeOnLedger([&]() -> absl::StatusOr<Published> {
      ASSIGN_OR_RETURN(RefreshPlan * plan, Plan());
      return PublishOn(parts_, *plan, publication);
    });
  }
  absl::StatusOr<std::vector<refresh::Publication>> Publications() override {
    return parts_.AskLedger([&]() -> absl::StatusOr<std::vector<refresh::Publication>> {
      ASSIGN_OR_RETURN(const RefreshPlan* plan, Plan());
      return PublicationsOf(parts_, *plan);
    });
  }
  absl::Status Withdraw(uint64_t id) override {
    return parts_.ChangeOnLedger([&]() -> absl::Status {
      ASSIGN_OR_RETURN(RefreshPlan * plan, Plan());
      return WithdrawFrom(parts_, *plan, id);
    });
  }
  absl::StatusOr<CrawlOrder> Order() override { return crawl_.Order(); }
  absl::StatusOr<MendedEpoch> MendEpoch() override;
  absl::StatusOr<ledger::LostChannel> DeclareLost(const Loss& loss) override;
  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) override;
  absl::StatusOr<std::vector<ShardStatus>> Shards() override;

  absl::Status PrepareRestating(uint64_t epoch) override;
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override;
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override;
  absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                         absl::Span<const ledger::Drift> claims) override;
  absl::StatusOr<RestatedPart> EndRestating(const RestatementEnd& end) override;

 private:
  // REQUIRES: the ledger's thread.
  absl::StatusOr<RefreshPlan*> Plan();
  // REQUIRES: the ledger's thread. `answers`: the peer was knocked at, and answered.
  absl::StatusOr<ledger::LostChannel> DeclareLostHere(const Loss& loss, bool answers);
  absl::StatusOr<RestatedPart> EndRecovery();
  void ForgetRestating();

  NodeParts& parts_;
  CrawlChanges& crawl_;
  RunningRestatement restatement_{
      [this](std::function<void()> work) { return parts_.OnLedger(std::move(work)); }};
};

absl::StatusOr<std::vector<PageImportance>> Operations::Importance(
    const std::vector<std::string>& urls) {
  return parts_.AskLedger([&]() -> absl::StatusOr<std::vector<PageImportance>> {
    ASSIGN_OR_RETURN(std::vector<PageImportance> pages,
                     AnswerImportance(*parts_.ledger, *parts_.store, *parts_.hash, urls));
    RefreshPlan* const plan = parts_.loop->refresh();
    for (PageImportance& page : pages) {
      if (plan == nullptr || !page.known) continue;
      const PageId id = parts_.hash->PageOf(*url::Parse(page.url));
      ASSIGN_OR_RETURN(page.publications, DescribePublications(*plan, id));
      if (page.state == "unread") continue;
      ASSIGN_OR_RETURN(page.due, plan->DueOf(id));
    }
    return pages;
  });
}

absl::StatusOr<Answers::TopPages> Operations::Top(size_t count) {
  TopScan scan(*parts_.ledger, *parts_.store, count);
  absl::StatusOr<bool> finished = false;
  while (finished.ok() && !*finished) {
    finished = parts_.AskLedger([&] { return scan.Step(); });
  }
  RETURN_IF_ERROR(finished.status());
  return parts_.AskLedger([&]() -> absl::StatusOr<TopPages> {
    ASSIGN_OR_RETURN(std::vector<PageImportance> pages, scan.Result());
    return WithBounds(*parts_.ledger, std::move(pages));
  });
}

absl::StatusOr<Audit> Operations::TakeAudit() {
  return parts_.AskLedger([&]() -> absl::StatusOr<Audit> { return AuditOf(*parts_.ledger); });
}

absl::Status Operations::Pause(bool paused) {
  RETURN_IF_ERROR(parts_.ChangeOnLedger(
      [&] { return RememberPause(*parts_.store, paused, parts_.clock.Now()); }));
  parts_.HoldFetches(paused);
  parts_.paused = paused;
  base::LogInfo("fetching is {}, by an operator", paused ? "paused" : "resumed");
  return absl::OkStatus();
}

absl::Status Operations::TuneRefresh(const RefreshTuning& changes, bool anew) {
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

absl::StatusOr<std::vector<KeptRule>> Operations::TuneHosts(const std::vector<HostChange>& changes,
                                                            const std::string& by) {
  return parts_.ChangeOnLedger([&]() -> absl::StatusOr<std::vector<KeptRule>> {
    ASSIGN_OR_RETURN(std::vector<KeptRule> rules,
                     parts_.host_rules->Change(changes, by, parts_.clock.Now()));
    parts_.loop->TellHostRules();
    for (const KeptRule& kept : rules) base::LogInfo("{}, by {}", InWords(kept.rule), kept.by);
    return rules;
  });
}

absl::StatusOr<InForce> Operations::WhatIsInForce() {
  return parts_.AskLedger([&]() -> absl::StatusOr<InForce> {
    InForce now;
    if (parts_.options.membership) now.node = parts_.options.membership->own().name;
    ASSIGN_OR_RETURN(now.paused_since, PausedSince(*parts_.store));
    now.crawl = OrderOf(parts_.loop->crawl());
    now.seeds = now.crawl.seeds.size();
    now.crawl.seeds.clear();
    now.reads_again = parts_.loop->refresh() != nullptr;
    ASSIGN_OR_RETURN(now.refresh, RecallRefreshTuning(*parts_.store));
    now.hosts = parts_.host_rules->kept();
    now.acts = parts_.trail->last();
    return now;
  });
}

absl::StatusOr<DueTimes> Operations::WhenDue() {
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

absl::StatusOr<RefreshPlan*> Operations::Plan() {
  if (parts_.loop->refresh() != nullptr) return parts_.loop->refresh();
  return absl::FailedPreconditionError(
      "this node reads no page again; start it with --continuous --rate N");
}

absl::Status Operations::StopNode() {
  parts_.stop_requested = true;
  return absl::OkStatus();
}

absl::StatusOr<MendedEpoch> Operations::MendEpoch() {
  RETURN_IF_ERROR(parts_.InCluster());
  return parts_.ChangeOnLedger([&]() -> absl::StatusOr<MendedEpoch> {
    const uint64_t before = parts_.ledger->epoch();
    ASSIGN_OR_RETURN(const uint64_t batches, parts_.exchange->MendEpoch(parts_.clock.Steady()));
    return MendedEpoch{before, batches};
  });
}

absl::StatusOr<ledger::LostChannel> Operations::DeclareLost(const Loss& loss) {
  RETURN_IF_ERROR(parts_.InCluster());
  if (loss.peer == parts_.charter().node ||
      loss.peer.value >= parts_.options.membership->map.nodes().size()) {
    return absl::InvalidArgumentError("only another node of the cluster can be declared lost");
  }
  const bool answers = parts_.answers && parts_.answers(loss.peer);
  return parts_.ChangeOnLedger([&] { return DeclareLostHere(loss, answers); });
}

absl::StatusOr<ledger::LostChannel> Operations::DeclareLostHere(const Loss& loss, bool answers) {
  cluster::Exchange& exchange = *parts_.exchange;
  const ledger::PeerBook& book = parts_.ledger->peers().book(loss.peer);
  const bool done_before = book.generation == loss.generation;
  if (!done_before && (answers || exchange.IsConnected(loss.peer))) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", parts_.options.membership->map.node(loss.peer).name,
                     " is running and cannot be declared lost. To give up its data folder all the "
                     "same, stop the "
                     "node first"));
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

absl::Status Operations::MoveShards(const std::vector<ShardId>& shards, NodeId to) {
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

absl::StatusOr<std::vector<ShardStatus>> Operations::Shards() {
  RETURN_IF_ERROR(parts_.InCluster());
  std::vector<ShardStatus> all;
  RETURN_IF_ERROR(parts_.OnLedger([&] { all = parts_.loop->mover().Status(); }));
  return all;
}

absl::Status Operations::PrepareRestating(uint64_t epoch) {
  std::shared_ptr<ledger::Restating> restating;
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(restating, parts_.ledger->restating().Prepare(epoch));
    if (parts_.options.membership) return absl::OkStatus();
    RETURN_IF_ERROR(parts_.ledger->Commit().status());
    parts_.ledger->EnterEpoch(epoch);
    return absl::OkStatus();
  }));
  restatement_.Prepare(std::move(restating));
  return absl::OkStatus();
}

absl::StatusOr<ledger::Cut> Operations::TakeCut(uint64_t epoch) {
  RETURN_IF_ERROR(parts_.InCluster());
  return parts_.AskLedger([&] { return parts_.exchange->TakeCut(epoch); });
}

absl::StatusOr<ledger::Restating::Claims> Operations::ClaimsFor(uint64_t epoch, NodeId peer,
                                                                uint64_t part) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ledger::Restating> restating, restatement_.At(epoch));
  return restating->ClaimsFor(peer, part);
}

absl::Status Operations::AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                                   absl::Span<const ledger::Drift> claims) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ledger::Restating> restating, restatement_.At(epoch));
  return restating->AddClaims(from, part, claims);
}

absl::StatusOr<RestatedPart> Operations::EndRestating(const RestatementEnd& end) {
  if (parts_.charter().method == importance::Method::kWindow) return EndRecovery();
  for (const auto& [peer, sealed] : end.sealed) {
    if (!parts_.ledger->peers().Has(peer))
      return absl::InvalidArgumentError("there is no such peer");
    uint64_t applied = 0;
    RETURN_IF_ERROR(
        parts_.OnLedger([&, peer = peer] { applied = parts_.ledger->peers().book(peer).applied; }));
    if (applied >= sealed) continue;
    return absl::UnavailableError(
        absl::StrCat("batches of node ", peer.value, " are on their way"));
  }
  absl::StatusOr<RestatedPart> part =
      restatement_.End(end.epoch, *parts_.ledger, end.correct, end.per_second);
  if (end.forget) ForgetRestating();
  return part;
}

// By windows nothing is to be corrected.
absl::StatusOr<RestatedPart> Operations::EndRecovery() {
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&] {
    parts_.ledger->restating().Restated();
    return parts_.ledger->Commit().status();
  }));
  return RestatedPart{.done = true};
}

void Operations::ForgetRestating() {
  restatement_.Stop();
  parts_.OnLedger([&] { parts_.ledger->restating().Forget(); }).IgnoreError();  // the node stops
}

}  // namespace

std::unique_ptr<RunningNode> OperationsOn(NodeParts& parts, CrawlChanges& crawl) {
  return std::make_unique<Operations>(parts, crawl);
}

}  // namespace opic::node
