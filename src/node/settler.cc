#include "node/settler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status_macros.h"
#include "node/error_goal.h"

namespace opic::node {
namespace {

// Of a settled page in a group: its id in the row and its copy, its credit and the journal's.
constexpr uint64_t kGroupBytesPerLink = 64;
constexpr size_t kSettledTogether = 16;
constexpr size_t kSettledAGroup = 128;        // twice as many save little, and need more visits
constexpr uint64_t kSlotsLookedAt = 100'000;  // in a turn
// Settling outruns a network: more batches than these on their way to a peer are waited for, so
// that the cash of the cluster stays on its pages. Fewer where a few groups visit all pages there
// are: else a node that gets no processor for a while gathers what the others pay it, and its pages
// seem to be worth that much.
constexpr size_t kUnacknowledgedMax = 16;
constexpr uint64_t kPagesPerUnacknowledged = 1024;

// A walk that wraps, or goes on while pages move, may meet a page twice.
void DropRepeated(std::vector<PageId>& pages) {
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
}

}  // namespace

Settler::Settler(const CrawlOptions& options, ledger::Ledger& ledger, store::Store& store,
                 const ClosedShards& closed, base::Clock& clock)
    : options_(options),
      ledger_(ledger),
      clock_(clock),
      pool_(ledger.books().table(), closed),
      strategy_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep,
                                       ledger.charter().cluster_id + 1)),
      plan_(ledger, store, closed, options.memory.settling_plan()),
      allowed_until_(clock.Steady()) {}

void Settler::MeetPeers(cluster::Exchange& exchange) {
  exchange_ = &exchange;
  plan_.MeetPeers(
      {.plans_together = [&exchange](NodeId peer) { return exchange.PlansTogether(peer); },
       .say = [&exchange](NodeId peer,
                          cluster::PlanPart part) { exchange.Say(peer, std::move(part)); }});
}

bool Settler::PeersKeepUp() const {
  if (exchange_ == nullptr) return true;
  const uint64_t pages = ledger_.books().table().totals().pages;
  const size_t most = std::min<size_t>(kUnacknowledgedMax, 1 + pages / kPagesPerUnacknowledged);
  for (uint16_t n = 0; n < ledger_.nodes(); ++n) {
    if (NodeId{n} == options_.membership->self) continue;
    if (ledger_.peers().retained(NodeId{n}).size() >= most) return false;
  }
  return true;
}

absl::Status Settler::Step(Phase phase, size_t recorded) {
  settled_ = 0;
  planned_ = false;
  if (recorded > 0 || phase != Phase::kSettling) plan_.Forget();
  if (!options_.settle || !ledger_.charter().keep_links || phase == Phase::kFinished)
    return absl::OkStatus();
  if (options_.refresh.on()) plan_.StayOut();
  if ((exchange_ != nullptr && exchange_->outbox_full()) || !PeersKeepUp()) {
    plan_.KeepInTouch(clock_.Steady());
    return absl::OkStatus();
  }
  const size_t most = MostNow(phase, recorded);
  if (most == 0) return absl::OkStatus();
  const double goal = ErrorGoal(options_, phase == Phase::kSettling);
  if (ledger_.accounting().Converged(goal)) return absl::OkStatus();
  if (MayPlan(phase)) {
    ASSIGN_OR_RETURN(const bool by_plan, SettleByPlan(goal));
    if (by_plan) return absl::OkStatus();
  }
  return SettleByCash(phase, goal, most);
}

// While the crawl fetches, settling has what the settings give it.
size_t Settler::MostNow(Phase phase, size_t recorded) {
  if (phase != Phase::kCrawling) return kSettledAGroup;
  const absl::Time now = clock_.Steady();
  allowance_ += options_.settles_per_s * absl::ToDoubleSeconds(now - allowed_until_) +
                options_.settles_per_fetch * static_cast<double>(recorded);
  allowance_ = std::min(allowance_, static_cast<double>(kSettledAGroup));
  allowed_until_ = now;
  return static_cast<size_t>(allowance_);
}

absl::Status Settler::SettleByCash(Phase phase, double goal, size_t most) {
  if (pool_.eligible() == 0) return absl::OkStatus();
  pool_.SetFloor(ledger_.accounting().SettleFloor(goal));
  std::vector<schedule::Candidate> chosen;
  strategy_->Choose(pool_, most, kSlotsLookedAt, chosen);
  if (phase == Phase::kCrawling) allowance_ -= static_cast<double>(chosen.size());
  std::vector<PageId> pages;
  for (const schedule::Candidate& candidate : chosen) pages.push_back(candidate.page);
  DropRepeated(pages);
  settled_ = pages.size();
  return Settle(pages);
}

// The group has not as many links yet as it may, since so many were paid.
bool Settler::GroupHasRoom(uint64_t paid_before) const {
  const uint64_t most = options_.memory.group() / kGroupBytesPerLink;
  return ledger_.counts().links.paid() - paid_before < most;
}

// Not between the fetches of a crawl that goes on for ever: they change links all the time.
bool Settler::MayPlan(Phase phase) const {
  return phase == Phase::kSettling && !options_.refresh.on() && ledger_.accounting().PaysByPlan();
}

// False: there is no plan.
absl::StatusOr<bool> Settler::SettleByPlan(double goal) {
  const absl::StatusOr<bool> planned = plan_.Step(goal, clock_.Steady());
  if (!planned.ok()) {
    base::LogWarning(
        "the ranking converges more slowly, because links cannot be read to plan its visits (`opic "
        "verify` looks at all pages, at rest): {}",
        std::string(planned.status().message()));
  }
  planned_ = planned.value_or(false) && !plan_.waits();
  const uint64_t paid_before = ledger_.counts().links.paid();
  while (settled_ < kSettledAGroup && GroupHasRoom(paid_before)) {
    const SettlingPlan::Payments next = plan_.Take(kSettledTogether);
    if (next.pages.empty()) break;
    RETURN_IF_ERROR(ledger_.Settle(next.pages, next.amounts));
    settled_ += next.pages.size();
  }
  return planned.value_or(false);
}

// A few at a time, until the group is full: of pages with very many links the others are found
// again.
absl::Status Settler::Settle(absl::Span<const PageId> pages) {
  const uint64_t paid_before = ledger_.counts().links.paid();
  while (!pages.empty() && GroupHasRoom(paid_before)) {
    const absl::Span<const PageId> some = pages.first(std::min(kSettledTogether, pages.size()));
    RETURN_IF_ERROR(ledger_.Settle(some));
    pages.remove_prefix(some.size());
  }
  return absl::OkStatus();
}

// When half as many pages as there are were settled since the last one.
void Settler::SharpenBound() {
  const uint64_t pages = ledger_.books().table().totals().pages;
  if (ledger_.counts().settled < sharpened_at_ + pages / 2) return;
  const std::optional<cash::Amount> reference = ledger_.accounting().BetterReference();
  if (!reference) return;
  ledger_.table().SetReference(*reference);
  sharpened_at_ = ledger_.counts().settled;
}

}  // namespace opic::node
