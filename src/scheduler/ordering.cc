// Implements a part of scheduler/scheduler_core.h. Which pages the scheduler orders, of the hosts
// whose time has come.
#include <utility>

#include "base/log.h"
#include "scheduler/scheduler_core.h"

namespace opic::scheduler {
namespace {

constexpr absl::Duration kSpillRetry = absl::Seconds(1);

}  // namespace

void SchedulerCore::AppendOrders(absl::Time now, std::vector<schedule::ToNode>& out) {
  std::vector<schedule::Order> orders;
  starved_ = false;
  while (has_free_fetch()) {
    Host* host = NextHost(now);
    starved_ = host == nullptr;
    if (starved_ || !OrderFrom(host, now, orders)) break;
  }
  counts_.orders += orders.size();
  if (!orders.empty()) out.emplace_back(schedule::Orders{std::move(orders)});
}

// The first host in line, when its time has come. Outcomes that arrived while it was in line may
// have changed that time, or have left it no room for more: one of those under way brings it back.
Host* SchedulerCore::NextHost(absl::Time now) {
  for (;;) {
    Host* host = line_.First(now);
    if (host == nullptr) return nullptr;
    if (!host->MayHaveMore()) {
      line_.Leave(host);
      continue;
    }
    const absl::Time ready = host->ReadyTime(now);
    if (ready <= now) return host;
    line_.Leave(host);
    line_.Add(host, ready);
  }
}

// After a failure other pages are asked for first: should it be the host that fails, none of them
// uses up its attempts.
Choice SchedulerCore::ChoiceFor(const Host& host) const {
  if (host.pace.in_doubt(limits_)) return Choice::kProbe;
  return host.pace.urls_failing > 0 ? Choice::kNewFirst : Choice::kDueFirst;
}

// False: the budget is used up.
bool SchedulerCore::OrderFrom(Host* host, absl::Time now, std::vector<schedule::Order>& orders) {
  const bool given_up = host->pace.given_up(now);
  if (!given_up && !rate_.Allows(now)) return false;
  line_.Leave(host);
  const absl::StatusOr<QueuedPage> page = pages_.Take(host->queue, ChoiceFor(*host), now);
  if (!page.ok()) {
    base::LogError("queued pages of {} cannot be read: {}", host->name, page.status().ToString());
    line_.Add(host, now + kSpillRetry);
    return true;
  }
  if (open_orders_.contains(page->page) || moving_->is_stale(*page)) {  // offered again meanwhile
    Rejoin(host, now);
    return true;
  }
  OpenOrder order{
      .host = host, .page = *page, .since = now, .budgeted = !given_up, .failures = host->failures};
  if (!given_up) {
    rate_.Take(now);
    order.counted = line_.Start(host, now);
  }
  ++host->in_flight;
  if (host->width() > 1) {
    order.allowed_before = host->pace.next_allowed;
    host->pace.WaitFullPause(now, hosts_->LimitsOf(host->name));
    Rejoin(host, now);
  }
  open_orders_[page->page] = order;
  orders.push_back({.page = page->page,
                    .last_attempt = static_cast<int>(page->attempts) + 1 >= options_.attempts_max,
                    .host_given_up = given_up});
  return true;
}

}  // namespace opic::scheduler
