#include "tests/scheduler/lease_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/lease_world.h"

namespace opic::scheduler {
namespace {

constexpr absl::Duration kWakeAtLeast = absl::Milliseconds(1);

}  // namespace

LeaseMachine::LeaseMachine(LeaseWorld& world, NodeId self, bool one_process,
                           absl::Duration clock_ahead)
    : world_(world),
      self_(self),
      one_process_(one_process),
      clock_ahead_(clock_ahead),
      to_node_(world.time(), [this] { return std::max(link_held_until_, node_.paused_until); }),
      to_scheduler_(world.time(),
                    [this] { return std::max(link_held_until_, scheduler_.paused_until); }) {
  for (uint32_t n = 0; n < LeaseWorld::kShards; ++n) {
    beliefs_.push_back({world.shard(ShardAt(n)).owner});
  }
}

absl::Time LeaseMachine::Local() const { return world_.time().now() + clock_ahead_; }

void LeaseMachine::In(Process& process, absl::Duration delay, std::function<void()> what) {
  world_.time().After(delay,
                      [this, &process, life = process.life, what = std::move(what)]() mutable {
                        RunIn(process, life, std::move(what));
                      });
}

void LeaseMachine::RunIn(Process& process, uint64_t life, std::function<void()> what) {
  if (process.life != life || !process.up) return;
  if (process.paused_until <= world_.time().now()) return what();
  world_.time().At(process.paused_until, [this, &process, life, what = std::move(what)]() mutable {
    RunIn(process, life, std::move(what));
  });
}

// --- Processes.

void LeaseMachine::StartNode() {
  if (node_.up) return;
  node_ = {true, node_.life + 1};
  ++process_;
  fetches_max_ = 10;
  terms_ = schedule::LeaseTerms();
  world_.network().Up(self_);
  for (uint16_t n = 0; n < LeaseWorld::kShards; ++n) {
    const LeaseShard& shard = world_.shard(ShardId{n});
    // What it has of its shards is on its own disk.
    if (shard.owner == self_ && !shard.under_way) HearOf(ShardId{n}, self_, shard.move);
  }
  if (one_process_) StartScheduler();
  Link();
}

void LeaseMachine::StartScheduler() {
  if (scheduler_.up) return;
  scheduler_ = {true, scheduler_.life + 1};
  Options options;
  options.delay = world_.plan().delay;
  options.per_host_max = world_.plan().per_host_max;
  options.backoff_max = absl::Seconds(6);
  options.host_failures_max = 1'000'000;
  options.ready_low_water = 50;
  options.offers_wanted = 20;
  auto opened = Scheduler::Open(options, *store_, Local());
  ASSERT_TRUE(opened.ok()) << opened.status();
  core_ = *std::move(opened);
  greeted_ = false;
  Link();
}

void LeaseMachine::KillNode() {
  if (!node_.up) return;
  node_.up = false;
  ++node_.life;
  for (const auto& [page, task] : tasks_) {
    if (task.request) {
      world_.web().End(world_.page(page).host, *task.request, world_.time().now());
    }
  }
  tasks_.clear();
  ordered_.clear();
  leaving_.clear();
  world_.network().Down(self_);
  Shake(world_.time().now());
  CutLink();
  if (one_process_) KillScheduler();
}

void LeaseMachine::KillScheduler() {
  if (!scheduler_.up) return;
  scheduler_.up = false;
  ++scheduler_.life;
  core_.reset();
  CutLink();
  Shake(world_.time().now());
}

void LeaseMachine::StopScheduler() {
  if (!scheduler_.up) return;
  EXPECT_TRUE(core_->Save(Local(), /*clean=*/true).ok());
  KillScheduler();
}

void LeaseMachine::PauseNode(absl::Time until) {
  node_.paused_until = std::max(node_.paused_until, until);
  if (one_process_) scheduler_.paused_until = node_.paused_until;
  Shake(until);
}

void LeaseMachine::PauseScheduler(absl::Time until) {
  if (one_process_) return PauseNode(until);
  scheduler_.paused_until = std::max(scheduler_.paused_until, until);
  Shake(until);
}

void LeaseMachine::HoldLink(absl::Time until) {
  link_held_until_ = std::max(link_held_until_, until);
  Shake(until);
}

void LeaseMachine::Shake(absl::Time calm_from) { world_.web().Shake(self_, calm_from); }

// --- The link.

void LeaseMachine::Link() {
  if (!node_.up || !scheduler_.up) return;
  const absl::Duration most = one_process_ ? absl::Milliseconds(10) : absl::Seconds(2);
  In(node_, world_.Some(absl::Milliseconds(1), most), [this] {
    if (!linked_ && scheduler_.up) BeginSession();
  });
}

void LeaseMachine::BreakLink() {
  if (!linked_) return;
  CutLink();
  Shake(world_.time().now());
  Link();
}

void LeaseMachine::BeginSession() {
  linked_ = true;
  world_.Trace(absl::StrCat("session at ", self_.value, ", process ", process_));
  ordered_.clear();
  schedule::NodeHello hello{.node = "n", .in_flight = {}, .fetches_max = fetches_max_};
  for (const auto& [page, task] : tasks_) {
    hello.in_flight.push_back({page, world_.page(page).host});
    ordered_.insert(page);
  }
  hello.lending = schedule::Lending{.self = self_,
                                    .nodes = static_cast<uint32_t>(world_.machines()),
                                    .process = process_,
                                    .request_time_max = world_.plan().request_time_max};
  ToScheduler(std::move(hello));
  for (const auto& [shard, leaving] : leaving_) {
    ToScheduler(schedule::Release{shard, LeaseWorld::kShards});
  }
  for (uint16_t n = 0; n < LeaseWorld::kShards; ++n) {
    const LeaseShard& shard = world_.shard(ShardId{n});
    if (shard.owner != self_ || shard.under_way || shard.workable) continue;
    ToScheduler(schedule::Adopt{ShardId{n}, shard.hosts});
  }
}

void LeaseMachine::Send(LateLine& line, std::function<void()> arrive) {
  if (!linked_) return;
  const bool late = !one_process_ && world_.Chance(0.01);
  line.Send(world_.Some(absl::Microseconds(50), late ? absl::Seconds(1) : absl::Milliseconds(5)),
            std::move(arrive));
}

void LeaseMachine::CutLink() {
  linked_ = greeted_ = false;
  link_held_until_ = absl::InfinitePast();
  to_node_.Cut();
  to_scheduler_.Cut();
}

void LeaseMachine::ToScheduler(schedule::ToScheduler message) {
  Send(to_scheduler_, [this, message = std::move(message)] { Handle(message); });
}

void LeaseMachine::ToNode(schedule::ToNode message) {
  Send(to_node_, [this, message = std::move(message)] { Take(message); });
}

// --- The scheduler.

void LeaseMachine::Handle(const schedule::ToScheduler& message) {
  greeted_ = greeted_ || std::holds_alternative<schedule::NodeHello>(message);
  core_->Handle(message, Local());
  if (greeted_) Tick();
}

void LeaseMachine::Tick() {
  for (schedule::ToNode& message : core_->Tick(Local())) {
    if (auto* lease = std::get_if<schedule::LeaseMessage>(&message)) {
      world_.counts().leases += lease->leases.size();
    }
    ToNode(std::move(message));
  }
  Wake();
}

// By next_wake alone: that it forgets nothing is tested here, too.
void LeaseMachine::Wake() {
  const absl::Time next = core_->next_wake();
  const uint64_t wake = ++wake_;
  if (next == absl::InfiniteFuture()) return;
  In(scheduler_, std::max(next - Local(), kWakeAtLeast), [this, wake] {
    if (greeted_ && wake == wake_) Tick();
  });
}

}  // namespace opic::scheduler
