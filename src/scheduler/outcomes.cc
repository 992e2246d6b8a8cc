// Implements a part of scheduler/scheduler_core.h. What the outcome of an order changes: of its
// host, its page, and who is in line.
#include <algorithm>
#include <optional>

#include "scheduler/scheduler_core.h"

namespace opic::scheduler {
namespace {

constexpr absl::Duration kHoldFirst = absl::Milliseconds(100);
constexpr absl::Duration kHoldMax = absl::Seconds(1);
constexpr uint64_t kAttemptsCounted = 127;  // QueuedPage::attempts

// When the request ended. The node's clock need not be ours: what cannot be was just now.
absl::Time EndOf(const schedule::Outcome& outcome, absl::Time ordered, absl::Time now) {
  return outcome.ended >= ordered && outcome.ended <= now ? outcome.ended : now;
}

}  // namespace

void SchedulerCore::On(const schedule::Outcome& outcome, absl::Time now) {
  ++counts_.outcomes;
  if (outcome.result == schedule::Result::kTransient) ++counts_.transient;
  if (outcome.result == schedule::Result::kPostponed) ++counts_.postponed;
  if (outcome.result == schedule::Result::kDone) demand_.SomethingHappened();
  const auto found = open_orders_.find(outcome.page);
  if (found == open_orders_.end()) {
    OnStray(outcome, now);
  } else {
    const OpenOrder order = found->second;
    open_orders_.erase(found);
    Host* host = order.host;
    if (order.budgeted && !outcome.requested) rate_.GiveBack();
    const absl::Time ended = EndOf(outcome, order.since, now);
    Learn(order, outcome, ended);
    FinishIn(order, outcome, ended);
    Hold(host, outcome, now);
    Requeue(host, order.page, outcome, ended);
    Withhold(host, outcome);
    --host->in_flight;
    RejoinAfter(host, now);
    if (host->in_flight == 0 && leases_->lending()) leases_->FetchesEnded(host, now);
  }
}

// After an outcome, by which its time, or whether it may be asked for more, may have changed. Who
// waits for an address or group keeps its place, and who has brought a turn of refreshes brings it.
void SchedulerCore::RejoinAfter(Host* host, absl::Time now) {
  const bool has_place = host->waits_for != nullptr || line_.HasBroughtTurn(host);
  if (has_place && MayOrderBeside(*host, now)) return;
  if (line_.Holds(host)) line_.Withdraw(host);
  Rejoin(host, now);
}

// Who shares a server shares the wait when it asks for one (429, 503 with Retry-After).
void SchedulerCore::FinishIn(const OpenOrder& order, const schedule::Outcome& outcome,
                             absl::Time ended) {
  const bool asked = outcome.requested || outcome.network_failure;
  const bool slows_down = outcome.status > 0 && schedule::SpeaksOfHost(outcome);
  line_.Finish(order.counted, asked ? std::optional(ended) : std::nullopt,
               slows_down ? order.host->pace.next_allowed : absl::InfinitePast());
  if (!outcome.address.empty()) line_.Remember(order.host, outcome.address);
}

// Answers no order of this session: a fetch of an earlier one that was not listed. What it says of
// the host holds, from now on: no order says when it has ended at the earliest, and by the node's
// clock, which need not be ours, what the host asks for might be over.
void SchedulerCore::OnStray(const schedule::Outcome& outcome, absl::Time now) {
  Host* host = hosts_->Get(outcome.host, now);
  Learn({.host = host, .failures = host->failures}, outcome, now);
  if (host->in_flight == 0 && host->queue.empty()) leases_->Rest(host, now);
}

void SchedulerCore::Learn(const OpenOrder& order, const schedule::Outcome& outcome,
                          absl::Time ended) {
  Host* host = order.host;
  const schedule::PaceLimits limits = hosts_->LimitsOf(host->name);
  // A delay that was counted from its start was for nothing if no request was made.
  if (order.allowed_before && !outcome.requested &&
      host->pace.next_allowed == order.since + host->pace.Pause(limits))
    host->pace.next_allowed = *order.allowed_before;
  const schedule::HostPace before = host->pace;
  if (order.failures != host->failures) {
    host->pace.LearnBeside(outcome, ended, limits);
  } else {
    const auto started = order.allowed_before ? std::optional(order.since) : std::nullopt;
    if (host->pace.Learn(outcome, order.page.attempts == 0, ended, limits, started))
      ++host->failures;
    host->answers |= outcome.status > 0;
  }
  hosts_->NoteChange(host, before, ended);
}

// The node counts what it fetches, and knows its budgets: it says when the host has had its share.
void SchedulerCore::Withhold(Host* host, const schedule::Outcome& outcome) {
  if (outcome.over_budget.empty() || outcome.result != schedule::Result::kPostponed) return;
  host->over_budget = outcome.over_budget;
  pages_.Withhold(host->queue, true);
}

// Without a hold an order that nobody tries would go back and forth as fast as messages do, and one
// whose answer finds no room as fast as the host answers.
void SchedulerCore::Hold(Host* host, const schedule::Outcome& outcome, absl::Time now) {
  const bool tried = outcome.requested && !outcome.no_room;
  if (outcome.result != schedule::Result::kPostponed || tried) {
    host->holds = 0;
    return;
  }
  host->hold_until = now + std::min(kHoldFirst * (1 << std::min<int>(host->holds, 8)), kHoldMax);
  if (host->holds < 8) ++host->holds;
  host->no_room = outcome.no_room;
  if (outcome.no_room) no_room_until_ = std::max(no_room_until_, host->hold_until);
}

// What failed by itself waits by itself; what was not tried, or failed with its host, goes first.
void SchedulerCore::Requeue(Host* host, QueuedPage page, const schedule::Outcome& outcome,
                            absl::Time ended) {
  const schedule::Result result = outcome.result;
  if (result == schedule::Result::kDone || host->leaving || moving_->has_left(page.page)) return;
  if (result == schedule::Result::kTransient && page.attempts < kAttemptsCounted) ++page.attempts;
  if (schedule::SpeaksOfHost(outcome)) return pages_.AddInFront(host->queue, page);
  const int attempts = static_cast<int>(page.attempts);
  pages_.Delay(host->queue, page,
               ended + host->pace.UrlPause(outcome, attempts, hosts_->LimitsOf(host->name)));
}

}  // namespace opic::scheduler
