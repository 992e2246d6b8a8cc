#include "tests/scheduler/lease_world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace opic::scheduler {
namespace {

const absl::Time kBegin = VirtualTime().now();
// Without faults, from their end on: quiet, lapses and waits are over.
constexpr absl::Duration kSettled = absl::Seconds(120);

}  // namespace

LeasePlan LeasePlan::Of(uint64_t seed) {
  base::Rng rng(base::Mix64(seed ^ 0x1ea5e));
  const auto one_of = [&](std::initializer_list<double> values) {
    return *(values.begin() + rng.Below(values.size()));
  };
  LeasePlan plan;
  plan.machines = 2 + rng.Below(3);
  plan.hosts = 1 + rng.Below(3);
  plan.pages = 20 + rng.Below(static_cast<uint64_t>(one_of({20, 100, 300})));
  plan.delay = absl::Seconds(one_of({0, 0.2, 0.5, 1, 1, 3}));
  plan.request_time_max = absl::Seconds(one_of({2, 5, 10}));
  plan.chaos = absl::Seconds(one_of({30, 100, 300}));
  plan.calm = absl::Seconds(one_of({1, 3, 10, 30}));
  plan.hangs = one_of({0, 0.02, 0.1});
  plan.move_every = absl::Seconds(one_of({2, 10, 30, 1e9}));
  plan.breaks = rng.Below(4) != 0;
  plan.pauses = rng.Below(4) != 0;
  plan.kills = rng.Below(4) != 0;
  plan.stops = rng.Below(2) != 0;
  plan.late_orders = rng.Below(2) != 0;
  plan.refuses = one_of({0, 0.05, 0.2});
  plan.fails = one_of({0, 0.05});
  return plan;
}

void LeaseEvents::Add(const LeaseEvents& other) {
  messages += other.messages;
  lost += other.lost;
  leases += other.leases;
  requests += other.requests;
  breaks += other.breaks;
  pauses += other.pauses;
  kills += other.kills;
  stops += other.stops;
  moves += other.moves;
  waits += other.waits;
  postponed += other.postponed;
  time += other.time;
}

std::string LeaseEvents::ToString() const {
  return absl::StrCat(absl::FormatDuration(time), " of crawling: ", requests, " requests, ", leases,
                      " leases, ", messages, " messages, ", lost, " of them lost, ", breaks,
                      " broken sessions, ", pauses, " pauses, ", kills, " kills, ", stops,
                      " clean stops, ", moves, " moves, ", postponed, " orders postponed, ", waits,
                      " Retry-Afters kept");
}

LeaseWorld::LeaseWorld(uint64_t seed, const LeasePlan& plan)
    : plan_(plan),
      rng_(base::Mix64(seed)),
      web_(plan.delay, plan.machines, static_cast<size_t>(plan.per_host_max)),
      shards_(kShards),
      trace_(std::getenv("OPIC_LEASE_TRACE") != nullptr) {
  for (LeaseShard& shard : shards_) {
    shard.owner = NodeAt(rng_.Below(plan.machines));
  }
  MakePages();
  network_ = std::make_unique<LeaseNetwork>(
      *this, plan.machines, Chance(0.2) ? absl::Seconds(4) : absl::Milliseconds(50));
  for (uint16_t n = 0; n < plan.machines; ++n) {
    const auto ahead = absl::Milliseconds(static_cast<int64_t>(rng_.Below(10'000'000)));
    machines_.push_back(std::make_unique<LeaseMachine>(*this, NodeId{n}, Chance(0.4), ahead));
  }
  for (auto& machine : machines_) {
    machine->StartNode();
    machine->StartScheduler();
  }
}

void LeaseWorld::MakePages() {
  uint64_t id = 0;
  for (size_t h = 0; h < plan_.hosts; ++h) {
    hosts_.push_back(absl::StrCat("host", rng_.Below(1000), ".example"));
    for (size_t i = 0; i < plan_.pages; ++i) {
      const ShardId shard = ShardAt(rng_.Below(kShards));
      const PageId page(shard, ++id);
      pages_[page] = {page, hosts_.back()};
    }
  }
  for (auto& [id, page] : pages_) shards_[id.shard().value].pages.push_back(&page);
}

absl::Duration LeaseWorld::Some(absl::Duration least, absl::Duration most) {
  const double part = rng_.Uniform();
  return least + (most - least) * (part * part * part);
}

bool LeaseWorld::AllDone() const {
  return std::all_of(pages_.begin(), pages_.end(),
                     [](const auto& page) { return page.second.done; });
}

void LeaseWorld::Run() {
  const auto wrong = [&] { return !web_.complaints().empty(); };
  NextFault();
  NextMove();
  time_.RunUntil(kBegin + plan_.chaos, wrong);
  if (wrong()) return;
  Heal();
  size_t left = 0;
  for (const auto& [id, page] : pages_) left += page.done ? 0 : 1;
  const absl::Duration each = plan_.delay + absl::Seconds(3);
  time_.RunUntil(time_.now() + kSettled + each * static_cast<double>(left),
                 [&] { return wrong() || AllDone(); });
}

std::vector<std::string> LeaseWorld::Complaints() const {
  std::vector<std::string> complaints = web_.complaints();
  if (!complaints.empty()) return complaints;
  for (const auto& [id, page] : pages_) {
    if (page.done && page.asked) continue;
    complaints.push_back(
        absl::StrCat(page.host, " page ", id.id(), " of shard ", id.shard().value,
                     " was not asked for, ", absl::FormatDuration(time_.now() - kBegin), ": ",
                     machines_[shards_[id.shard().value].owner.value]->Explain(id)));
  }
  return complaints;
}

LeaseEvents LeaseWorld::events() const {
  LeaseEvents events = counts_;
  events.requests = web_.requests();
  events.waits = web_.waits();
  events.time = time_.now() - kBegin;
  return events;
}

void LeaseWorld::Trace(const std::string& what) const {
  if (!trace_) return;
  std::fprintf(stderr, "%s %s\n", absl::FormatDuration(time_.now() - kBegin).c_str(), what.c_str());
}

// --- Faults.

void LeaseWorld::NextFault() {
  time_.After(plan_.calm * (-std::log(1 - rng_.Uniform())), [this] {
    if (healing_) return;
    Fault();
    // Some come together.
    while (Chance(0.3)) {
      time_.After(Some(absl::ZeroDuration(), absl::Seconds(3)), [this] {
        if (!healing_) Fault();
      });
    }
    NextFault();
  });
}

void LeaseWorld::Fault() {
  const NodeId a = NodeAt(rng_.Below(machines_.size()));
  const NodeId b{
      static_cast<uint16_t>((a.value + 1 + rng_.Below(machines_.size() - 1)) % machines_.size())};
  switch (rng_.Below(6)) {
    case 0:
      if (plan_.breaks) network_->Break(a, b);
      break;
    case 1:
      if (plan_.breaks && !machine(a).one_process()) {
        ++counts_.breaks;
        Trace(absl::StrCat("link breaks ", a.value));
        machine(a).BreakLink();
      }
      break;
    case 2: {
      if (!plan_.pauses) break;
      const absl::Time until = time_.now() + Some(absl::Seconds(1), absl::Seconds(40));
      network_->Hold(a, b, until);
      web_.Shake(a, until);
      web_.Shake(b, until);
      ++counts_.pauses;
      break;
    }
    case 3:
      if (plan_.pauses) Pause();
      break;
    case 4:
      if (plan_.kills || plan_.stops) Kill();
      break;
    case 5:
      if (plan_.stops) {
        machine(a).SetCapacity(0);
        time_.After(Some(absl::Seconds(1), absl::Seconds(20)),
                    [this, a] { machine(a).SetCapacity(10); });
      }
      break;
  }
}

// Orders are not held up for longer than a lease allows for unless the node minds its leases.
void LeaseWorld::Pause() {
  LeaseMachine& at = machine(NodeAt(rng_.Below(machines_.size())));
  const absl::Duration longest = plan_.late_orders ? absl::Seconds(60) : absl::Seconds(3);
  const absl::Time until = time_.now() + Some(absl::Seconds(1), longest);
  ++counts_.pauses;
  Trace(absl::StrCat("pause until ", absl::FormatDuration(until - kBegin)));
  switch (rng_.Below(3)) {
    case 0:
      return at.PauseNode(until);
    case 1:
      return at.HoldLink(until);
    default:
      return at.PauseScheduler(
          at.one_process() ? until : time_.now() + Some(absl::Seconds(1), absl::Seconds(60)));
  }
}

void LeaseWorld::Kill() {
  const NodeId node = NodeAt(rng_.Below(machines_.size()));
  LeaseMachine& at = machine(node);
  const bool clean = !plan_.kills || (plan_.stops && Chance(0.5));
  const bool with_node = at.one_process() || Chance(0.5);
  const bool with_scheduler = at.one_process() || !with_node || Chance(0.3);
  clean ? ++counts_.stops : ++counts_.kills;
  Trace(absl::StrCat(clean ? "stop " : "kill ", node.value, with_node ? " node" : "",
                     with_scheduler ? " scheduler" : ""));
  if (with_scheduler && clean) at.StopScheduler();
  if (with_scheduler) at.KillScheduler();
  if (with_node) at.KillNode();
  const absl::Duration down = Some(absl::Milliseconds(50), absl::Seconds(20));
  if (with_node) time_.After(down, [&at] { at.StartNode(); });
  if (with_scheduler) {
    time_.After(down + Some(absl::ZeroDuration(), absl::Seconds(2)), [&at] {
      if (!at.one_process()) at.StartScheduler();
    });
  }
}

void LeaseWorld::Heal() {
  healing_ = true;
  Trace("heal");
  for (uint16_t n = 0; n < machines_.size(); ++n) {
    machine(NodeId{n}).StartNode();
    machine(NodeId{n}).StartScheduler();
    machine(NodeId{n}).SetCapacity(10);
  }
}

// --- Shards.

void LeaseWorld::NextMove() {
  time_.After(plan_.move_every * (2 * rng_.Uniform()), [this] {
    if (healing_) return;
    const ShardId shard =
        Chance(0.7) ? HomeShardOf(hosts_[rng_.Below(hosts_.size())]) : ShardAt(rng_.Below(kShards));
    const NodeId to = NodeAt(rng_.Below(machines_.size()));
    if (!shards_[shard.value].under_way) machine(shards_[shard.value].owner).Move(shard, to);
    NextMove();
  });
}

void LeaseWorld::Depart(ShardId shard, NodeId to, std::string hosts) {
  LeaseShard& moving = shards_[shard.value];
  moving.owner = to;
  ++moving.move;
  moving.under_way = true;
  moving.workable = false;
  moving.hosts = std::move(hosts);
  ++counts_.moves;
  Trace(absl::StrCat("shard ", shard.value, " departs for ", to.value));
  time_.After(Some(absl::Milliseconds(5), absl::Seconds(5)), [this, shard] { Arrived(shard); });
}

void LeaseWorld::Arrived(ShardId shard) {
  LeaseShard& moving = shards_[shard.value];
  LeaseMachine& at = machine(moving.owner);
  if (!at.node_up() || at.node_paused_until() > time_.now()) {
    time_.After(absl::Milliseconds(500), [this, shard] { Arrived(shard); });
    return;
  }
  moving.under_way = false;
  for (const std::string& host : hosts_) {
    if (HomeShardOf(host) == shard) web_.Moved(host, moving.owner);
  }
  at.ShardArrived(shard);
  Gossip(shard);
}

// The others learn of it some time.
void LeaseWorld::Gossip(ShardId shard) {
  const LeaseShard& moved = shards_[shard.value];
  for (auto& machine : machines_) {
    time_.After(Some(absl::ZeroDuration(), absl::Seconds(20)),
                [&machine, shard, owner = moved.owner, move = moved.move] {
                  machine->HearOf(shard, owner, move);
                });
  }
}

}  // namespace opic::scheduler
