// Answers from a folder at rest (OpenAtRest of node/answers.h).
#include "base/clock.h"
#include "base/status_macros.h"
#include "node/answers.h"
#include "node/pause_memory.h"
#include "node/resting_ledger.h"
#include "node/site_answers.h"

namespace opic::node {
namespace {

class RestingNode final : public Answers {
 public:
  absl::Status Prepare(const DataFolder& folder) {
    const absl::Time begin = base::RealClock::Get().Now();
    ASSIGN_OR_RETURN(RestingLedger opened, RestingLedger::Open(folder));
    store_ = std::move(opened.store);
    ledger_ = std::move(opened.ledger);
    hash_ = std::make_unique<url::UrlHash>(ledger_->charter().shard_by, ledger_->charter().shards);
    recovery_time_ = base::RealClock::Get().Now() - begin;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    return AnswerImportance(*ledger_, *store_, *hash_, urls);
  }

  absl::StatusOr<PageExplanation> Explain(const std::string& url) override {
    ASSIGN_OR_RETURN(std::vector<PageImportance> pages, Importance({url}));
    return ExplanationOf(std::move(pages.front()), base::RealClock::Get().Now());
  }

  absl::StatusOr<TopPages> Top(const TopQuery& query) override {
    return AnswerTop(*ledger_, *store_, query,
                     [](absl::FunctionRef<absl::Status()> step) { return step(); });
  }

  absl::StatusOr<TopSites> Sites(const SitesQuery& query) override {
    if (query.kind == SiteKind::kGroup) return AnswerSpentGroups(*ledger_, *store_, query);
    return AnswerSites(*ledger_, *store_, query,
                       [](absl::FunctionRef<absl::Status()> step) { return step(); });
  }

  absl::StatusOr<Audit> TakeAudit() override { return AuditOf(*ledger_); }

  absl::StatusOr<NodeStats> Stats() override {
    const page_table::Totals totals = ledger_->books().table().totals();
    const ledger::Balances& balances = ledger_->balances();
    const double supply = static_cast<double>(ledger_->charter().supply.units());
    NodeStats stats;
    stats.recovery = ledger_->recovery();
    stats.recovery_time = recovery_time_;
    stats.loop.phase = LastPhase();
    stats.loop.pages = totals.pages;
    stats.loop.unread = totals.pages - totals.done;
    stats.loop.by_kind = balances.by_kind;
    stats.loop.log_number = ledger_->log_number();
    stats.loop.clock = static_cast<double>(ledger_->cluster().clock()) / supply;
    stats.loop.method = ledger_->charter().method;
    stats.loop.error_bound = ledger_->ErrorBound();
    stats.loop.rounding_error = ledger_->accounting().RoundingError();
    stats.loop.restate_due = ledger_->restating().due();
    stats.loop.settling = ledger_->accounting().Settled(kErrorMax);
    stats.loop.virtual_share = static_cast<double>(balances.virtual_page.units()) / supply;
    stats.loop.table_bytes = totals.bytes;
    ASSIGN_OR_RETURN(const std::optional<absl::Time> paused, PausedSince(*store_));
    stats.paused = paused.has_value();  // the next start begins so
    return stats;
  }

 private:
  Phase LastPhase() const {
    PhaseInputs progress;
    progress.fetching_over = ledger_->cluster().unread() == 0;
    progress.pages = ledger_->cluster().pages();
    progress.converged = ledger_->Converged(kErrorMax);
    return PhaseOf(progress);
  }

  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<url::UrlHash> hash_;
  absl::Duration recovery_time_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Answers>> OpenAtRest(const DataFolder& folder) {
  auto node = std::make_unique<RestingNode>();
  RETURN_IF_ERROR(node->Prepare(folder));
  return node;
}

}  // namespace opic::node
