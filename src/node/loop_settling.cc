// Implements a part of node/ledger_loop.h. Which pages the ledger's loop settles in a turn, how
// many, and what it does for the bound of the error.
#include <algorithm>
#include <string>

#include "base/log.h"
#include "base/status_macros.h"
#include "desk/store_failure.h"
#include "node/error_goal.h"
#include "node/ledger_loop.h"

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

bool LedgerLoop::PeersKeepUp() const {
  const uint64_t pages = ledger_.books().table().totals().pages;
  const size_t most = std::min<size_t>(kUnacknowledgedMax, 1 + pages / kPagesPerUnacknowledged);
  for (uint16_t n = 0; n < ledger_.nodes(); ++n) {
    if (NodeId{n} == options_.membership->self) continue;
    if (ledger_.peers().retained(NodeId{n}).size() >= most) return false;
  }
  return true;
}

void LedgerLoop::SettleSome() {
  settled_this_turn_ = 0;
  planned_this_turn_ = false;
  if (recorded_this_turn_ > 0 || phase_ != Phase::kSettling) plan_.Forget();
  if (!options_.settle || !ledger_.charter().keep_links || phase_ == Phase::kFinished) return;
  if (options_.refresh.on()) plan_.StayOut();
  if (exchange_ != nullptr && (exchange_->outbox_full() || !PeersKeepUp())) {
    plan_.KeepInTouch(clock_.Steady());
    return;
  }
  size_t most = kSettledAGroup;
  if (phase_ == Phase::kCrawling) {
    const absl::Time now = clock_.Steady();
    settle_allowance_ += options_.settles_per_s * absl::ToDoubleSeconds(now - settle_time_) +
                         options_.settles_per_fetch * static_cast<double>(recorded_this_turn_);
    settle_allowance_ = std::min(settle_allowance_, static_cast<double>(kSettledAGroup));
    settle_time_ = now;
    most = static_cast<size_t>(settle_allowance_);
  }
  if (most == 0) return;
  const double goal = ErrorGoal(options_, phase_ == Phase::kSettling);
  if (ledger_.accounting().Converged(goal)) return;
  if (MayPlan()) {
    const absl::StatusOr<bool> by_plan = SettleByPlan(goal);
    desk::EndOnStoreFailure("the ledger", by_plan.status());
    if (*by_plan) return;
  }
  if (settleable_.eligible() == 0) return;
  settleable_.SetFloor(ledger_.accounting().SettleFloor(goal));
  std::vector<schedule::Candidate> chosen;
  settling_->Choose(settleable_, most, kSlotsLookedAt, chosen);
  if (phase_ == Phase::kCrawling) settle_allowance_ -= static_cast<double>(chosen.size());
  std::vector<PageId> pages;
  for (const schedule::Candidate& candidate : chosen) pages.push_back(candidate.page);
  DropRepeated(pages);
  settled_this_turn_ = pages.size();
  desk::EndOnStoreFailure("the ledger", Settle(pages));
}

// The group has not as many links yet as it may, since so many were paid.
bool LedgerLoop::GroupHasRoom(uint64_t paid_before) const {
  const uint64_t most = options_.memory.group() / kGroupBytesPerLink;
  return ledger_.counts().links.paid() - paid_before < most;
}

// Not between the fetches of a crawl that goes on for ever: they change links all the time.
bool LedgerLoop::MayPlan() const {
  return phase_ == Phase::kSettling && !options_.refresh.on() && ledger_.accounting().PaysByPlan();
}

// False: there is no plan.
absl::StatusOr<bool> LedgerLoop::SettleByPlan(double goal) {
  const absl::StatusOr<bool> planned = plan_.Step(goal, clock_.Steady());
  if (!planned.ok()) {
    base::LogWarning(
        "the ranking converges more slowly, because links cannot be read to plan its visits (`opic "
        "verify` looks at all pages, at rest): {}",
        std::string(planned.status().message()));
  }
  planned_this_turn_ = planned.value_or(false) && !plan_.waits();
  const uint64_t paid_before = ledger_.counts().links.paid();
  while (settled_this_turn_ < kSettledAGroup && GroupHasRoom(paid_before)) {
    const SettlingPlan::Payments next = plan_.Take(kSettledTogether);
    if (next.pages.empty()) break;
    RETURN_IF_ERROR(ledger_.Settle(next.pages, next.amounts));
    settled_this_turn_ += next.pages.size();
  }
  return planned.value_or(false);
}

// A few at a time, until the group is full: of pages with very many links the others are found
// again.
absl::Status LedgerLoop::Settle(absl::Span<const PageId> pages) {
  const uint64_t paid_before = ledger_.counts().links.paid();
  while (!pages.empty() && GroupHasRoom(paid_before)) {
    const absl::Span<const PageId> some = pages.first(std::min(kSettledTogether, pages.size()));
    RETURN_IF_ERROR(ledger_.Settle(some));
    pages.remove_prefix(some.size());
  }
  return absl::OkStatus();
}

// The bound of the error is counted from a reference that ages as cash moves. A new one costs a
// walk of the table, so it is taken when half as many pages as there are were settled since.
void LedgerLoop::SharpenBound() {
  const uint64_t pages = ledger_.books().table().totals().pages;
  if (ledger_.counts().settled < sharpened_at_ + pages / 2) return;
  const std::optional<cash::Amount> reference = ledger_.accounting().BetterReference();
  if (!reference) return;
  ledger_.table().SetReference(*reference);
  sharpened_at_ = ledger_.counts().settled;
}

}  // namespace opic::node
