#include "node/node_parts.h"

#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/reason.h"
#include "base/version.h"

namespace opic::node {
namespace {

uint64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

// A process that may have fewer files than the one that was told makes do with them.
void NodeParts::UseLimits(const LimitChanges& set) {
  limits_set = set;
  const Limits as_started{options.pages_max, static_cast<uint32_t>(options.fetch.in_flight_max)};
  Limits limits = set.ApplyTo(as_started);
  limits.in_flight = std::min(limits.in_flight, options.fetches_most);
  loop->SetLimits(limits);
}

absl::Status NodeParts::OnLedger(std::function<void()> work) {
  if (!running) {
    if (std::this_thread::get_id() != opener)
      return absl::UnavailableError("the node is starting: try again");
    work();
    return absl::OkStatus();
  }
  struct Asked {
    std::atomic<bool> taken_up = false;  // by the loop, or by us when we have lost patience
    bool dropped = false;                // by the loop, which has ended
    absl::Notification done;
  };
  auto asked = std::make_shared<Asked>();
  std::shared_ptr<void> when_dropped(nullptr, [asked](void*) {
    if (asked->taken_up.exchange(true)) return;
    asked->dropped = true;
    asked->done.Notify();
  });
  const bool taken =
      loop->Run([this, work = std::move(work), asked, when_dropped = std::move(when_dropped)] {
        if (asked->taken_up.exchange(true)) return;
        work();
        asked->done.Notify();
        if (!store_failure.ok()) EndWhenSaid();
      });
  if (!taken) return absl::UnavailableError("the node is stopping");
  // The loop answers within a turn; a longer wait means that it is very late. What
  // `work` refers to may be gone when we have returned: either it is never called, or waited for.
  if (!asked->done.WaitForNotificationWithTimeout(absl::Seconds(30))) {
    if (!asked->taken_up.exchange(true)) {
      return absl::DeadlineExceededError("the ledger did not answer within 30 s");
    }
    asked->done.WaitForNotification();
  }
  return asked->dropped ? absl::UnavailableError("the node is stopping") : absl::OkStatus();
}

// In the meantime nothing is written: what a store has in doubt must not become the ground of more.
void NodeParts::EndWhenSaid() const {
  absl::SleepFor(kSayWhy);
  desk::EndOnStoreFailure("the ledger", store_failure);
}

absl::Status NodeParts::InCluster() const {
  if (options.membership) return absl::OkStatus();
  return base::WithReason(absl::UnimplementedError("the node is in no cluster"), "IN_NO_CLUSTER");
}

absl::Status NodeParts::CheckOrdered() const {
  const auto& membership = options.membership;
  if (!membership || membership->map.nodes().size() < 2 || loop->crawl().given())
    return absl::OkStatus();
  return base::WithReason(
      absl::FailedPreconditionError(absl::StrCat(
          "node ", membership->own().name,
          " has not been told yet what to crawl, and knows neither the scope of its cluster nor "
          "its "
          "rules for hosts; tell the whole cluster (--cluster FILE instead of --node)")),
      "NO_ORDER_YET", {{"node", membership->own().name}});
}

void NodeParts::HoldFetches(bool hold) {
  const absl::MutexLock lock(&holding);
  hold = hold || stopping;
  if (desk) desk->Pause(hold);  // orders may be on their way
  loop->Pause(hold);
}

void NodeParts::StopFetching() {
  {
    const absl::MutexLock lock(&holding);
    stopping = true;
  }
  HoldFetches(true);
}

MemoryParts NodeParts::Memory() const {
  const auto of = [](const base::ByteBudget& budget) {
    return MemoryUse{budget.held(), budget.limit(), budget.peak()};
  };
  MemoryParts memory;
  memory.limit = options.memory.whole;
  memory[MemoryPart::kBodies] = of(desk->bodies());
  memory[MemoryPart::kReports] = of(loop->reports());
  memory[MemoryPart::kRobots] = {desk->robots().remembered_bytes(), options.memory.robots()};
  return memory;
}

// What was corrected may have to be settled: the figures are those of after the answer.
LoopStats NodeParts::LoopFigures() const {
  LoopStats figures = loop->stats();
  if (!may_finish) return figures;
  const bool may = may_finish(figures.phase == Phase::kFinished);
  if (figures.phase != Phase::kFinished) return figures;
  figures = loop->stats();
  if (figures.phase == Phase::kFinished && !may) figures.phase = Phase::kCorrecting;
  return figures;
}

NodeStats NodeParts::Stats() const {
  NodeStats stats;
  if (options.membership) stats.name = options.membership->own().name;
  stats.loop = LoopFigures();
  stats.counters = loop->counters();
  stats.recovery = ledger->recovery();
  stats.recovery_time = recovery_time;
  stats.uptime = clock.Steady() - started;
  stats.release = base::Release();
  stats.memory_bytes_peak = PeakMemory();
  stats.paused = paused;
  if (!running) return stats;
  stats.scheduler_away = !link->connected();
  stats.counters += desk->counters().Now();
  if (const auto loss = desk->network_loss()) stats.without_network_since = loss->since;
  stats.memory = Memory();
  stats.in_flight = desk->in_flight();
  stats.in_progress = desk->in_progress();
  stats.fetch_cpu = desk->fetch_cpu();
  stats.worker_cpu = desk->worker_cpu();
  return stats;
}

}  // namespace opic::node
