#include "node/operations.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "node/attention.h"
#include "node/control_operations.h"
#include "node/publishing.h"
#include "node/refresh_plan.h"
#include "node/running_restatement.h"
#include "node/site_answers.h"

namespace opic::node {
namespace {

// A third of a turn of the ledger's loop beside a crawl.
constexpr absl::Duration kTopAtOnce = absl::Milliseconds(10);

class Operations final : public RunningNode {
 public:
  Operations(NodeParts& parts, CrawlChanges& crawl)
      : parts_(parts), control_(ControlOn(parts, crawl)) {}

  Control& control() override { return *control_; }

  absl::StatusOr<NodeStats> Stats() override { return parts_.Stats(); }
  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override;
  absl::StatusOr<PageExplanation> Explain(const std::string& url) override;
  absl::StatusOr<TopPages> Top(const TopQuery& query) override;
  absl::StatusOr<TopSites> Sites(const SitesQuery& query) override;
  absl::StatusOr<Audit> TakeAudit() override;
  absl::StatusOr<ExportedRows> ReadExport(const ExportPosition& position) override {
    return parts_.exports->Read(position);
  }

  absl::Status PrepareRestating(uint64_t epoch) override;
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override;
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                      uint64_t part) override;
  absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                         absl::Span<const ledger::Drift> claims) override;
  absl::StatusOr<RestatedPart> EndRestating(const RestatementEnd& end) override;

 private:
  absl::StatusOr<RestatedPart> EndRecovery();
  void ForgetRestating(uint64_t epoch);
  void LedgerForgets(uint64_t epoch);

  NodeParts& parts_;
  const std::unique_ptr<Control> control_;
  RunningRestatement restatement_{
      [this](std::function<void()> work) { return parts_.OnLedger(std::move(work)); }, parts_.clock,
      [this](uint64_t epoch) { LedgerForgets(epoch); }};
};

absl::StatusOr<std::vector<PageImportance>> Operations::Importance(
    const std::vector<std::string>& urls) {
  return parts_.AskLedger([&]() -> absl::StatusOr<std::vector<PageImportance>> {
    ASSIGN_OR_RETURN(std::vector<PageImportance> pages,
                     AnswerImportance(*parts_.ledger, *parts_.store, *parts_.hash, urls));
    RefreshPlan* const plan = parts_.loop->refresh();
    for (PageImportance& page : pages) {
      if (!page.known) continue;
      const url::Url url = *url::Parse(page.url);
      page.publications = DescribePublications(parts_.loop->published().publications(), url);
      if (plan == nullptr || page.state == "unread") continue;
      ASSIGN_OR_RETURN(page.due, plan->DueOf(parts_.hash->PageOf(url)));
    }
    return pages;
  });
}

absl::StatusOr<PageExplanation> Operations::Explain(const std::string& url) {
  ASSIGN_OR_RETURN(std::vector<PageImportance> pages, Importance({url}));
  const absl::Time now = parts_.clock.Now();
  PageExplanation explanation = ExplanationOf(std::move(pages.front()), now);
  const std::optional<url::Url> parsed = url::Parse(explanation.page.url);
  const bool blocked = explanation.page.known && parsed &&
                       parts_.host_rules->rules()->BlockOf(parsed->host()) != nullptr;
  if (explanation.page.known && explanation.page.state == kUnreadState && parsed) {
    RETURN_IF_ERROR(parts_.AskLedger([&] {
      explanation.cash_factor = parts_.loop->attention().FactorOf(*parsed);
      explanation.interest_factor = parts_.loop->attention().InterestFactorOf(*parsed);
      return absl::OkStatus();
    }));
  }
  const bool waits = WaitsToBeFetched(explanation.page, now);
  if (!waits && !blocked) return explanation;
  absl::StatusOr<schedule::HostExplanation> host =
      absl::UnavailableError("the Page Scheduler does not answer");
  if (parsed && parts_.running && parts_.link->connected())
    host = parts_.link->ExplainHost(std::string(parsed->host()));
  if (host.ok()) {
    explanation.host = *std::move(host);
    // The scheduler knows only that it is offered nothing.
    if (waits && parts_.paused)
      explanation.host->reason = "Fetching is paused by an operator (opic control resume).";
    else if (waits && parts_.loop->stats().disk.low)
      explanation.host->reason = "Fetching waits for room on the disk (opic status).";
  } else {
    explanation.host_unknown = std::string(host.status().message());
  }
  return explanation;
}

absl::StatusOr<Answers::TopPages> Operations::Top(const TopQuery& query) {
  return AnswerTop(
      *parts_.ledger, *parts_.store, query,
      [this](absl::FunctionRef<absl::Status()> step) {
        return parts_.AskLedger([&] { return step(); });
      },
      &parts_.loop->great(), kTopAtOnce);
}

absl::StatusOr<TopSites> Operations::Sites(const SitesQuery& query) {
  const std::shared_ptr<const HostsFile> file = parts_.host_rules->file();
  return AnswerSites(
      *parts_.ledger, *parts_.store, query,
      [this](absl::FunctionRef<absl::Status()> step) {
        return parts_.AskLedger([&] { return step(); });
      },
      kSiteRowsAtOnce, file.get());
}

absl::StatusOr<Audit> Operations::TakeAudit() {
  return parts_.AskLedger([&]() -> absl::StatusOr<Audit> { return AuditOf(*parts_.ledger); });
}

absl::Status Operations::PrepareRestating(uint64_t epoch) {
  std::shared_ptr<ledger::Restating> restating;
  restatement_.Stop();  // what it has still to correct must not come behind the new one's cut
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(restating, parts_.ledger->restating().Prepare(epoch));
    const auto& membership = parts_.options.membership;
    if (membership && membership->map.nodes().size() > 1) return absl::OkStatus();
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
  if (end.forget) {
    ForgetRestating(end.epoch);
    return RestatedPart{.done = true};
  }
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
  return restatement_.End(end.epoch, *parts_.ledger, end.correct, end.per_second);
}

// By windows nothing is to be corrected.
absl::StatusOr<RestatedPart> Operations::EndRecovery() {
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&] {
    parts_.ledger->restating().Restated();
    return parts_.ledger->Commit().status();
  }));
  return RestatedPart{.done = true};
}

void Operations::ForgetRestating(uint64_t epoch) {
  if (restatement_.Forget(epoch)) LedgerForgets(epoch);
}

// Nobody waits for it: a busy ledger comes to it later.
void Operations::LedgerForgets(uint64_t epoch) {
  parts_.loop->Run([ledger = parts_.ledger.get(), epoch] { ledger->restating().Forget(epoch); });
}

}  // namespace

std::unique_ptr<RunningNode> OperationsOn(NodeParts& parts, CrawlChanges& crawl) {
  return std::make_unique<Operations>(parts, crawl);
}

}  // namespace opic::node
