#include "scheduler/moving_hosts.h"

#include <algorithm>

#include "base/log.h"
#include "scheduler/host_state.h"

namespace opic::scheduler {

MovingHosts::MovingHosts(HostTable& hosts, ReadyLine& line, PageQueue& pages,
                         const OpenOrders& orders, Leases& leases, Releasing& releasing)
    : hosts_(hosts),
      line_(line),
      pages_(pages),
      orders_(orders),
      leases_(leases),
      releasing_(releasing) {}

void MovingHosts::EndSession() {
  releasing_.clear();
  left_.clear();
  returned_.clear();
  adopted_.clear();
}

void MovingHosts::Take(const schedule::Release& release, absl::Time now) {
  if (release.shards == 0 || (release.shards & (release.shards - 1)) != 0) return;
  const url::UrlHash hash(url::ShardBy::kHost, release.shards);
  releasing_.insert_or_assign(release.shard, hash);
  if (leases_.lending()) {  // its pages are of many hosts, its hosts have pages elsewhere
    left_.insert(release.shard);
    leases_.Leaves(release.shard, hash);
    return;
  }
  hosts_.ForEach([&](Host* host) {
    if (hash.ShardOfHost(host->name) != release.shard) return;
    host->leaving = true;
    if (line_.Holds(host)) line_.Withdraw(host);
    if (host->in_flight == 0 && !host->queue.empty()) hosts_.SetIdle(host, now);
    pages_.Drop(host->queue);
  });
}

// After an unclean stop no shard is let go before all its hosts could be asked here: what is handed
// over says nothing of hosts that are not known, and the next scheduler would ask them at once.
void MovingHosts::AppendReleased(absl::Time now, std::vector<schedule::ToNode>& out) {
  for (auto it = releasing_.begin(); it != releasing_.end();) {
    const auto [shard, hash] = *it;
    const bool asked = std::any_of(orders_.begin(), orders_.end(),
                                   [&, &shard = shard, &hash = hash](const auto& order) {
                                     return (leases_.lending() && order.first.shard() == shard) ||
                                            hash.ShardOfHost(order.second.host->name) == shard;
                                   });
    const bool early = now < hosts_.UnknownHostsWaitUntil(shard, hash);
    if (early || asked || (leases_.lending() && !leases_.MayRelease(shard, hash, now))) {
      ++it;
      continue;
    }
    out.emplace_back(schedule::Released{shard, HostsOf(shard, hash, now)});
    it = releasing_.erase(it);
  }
}

std::string MovingHosts::HostsOf(ShardId shard, const url::UrlHash& hash, absl::Time now) const {
  std::vector<HostState> hosts;
  const auto add = [&](const std::string& name, schedule::HostPace pace) {
    if (hash.ShardOfHost(name) != shard) return;
    const schedule::PaceLimits limits = hosts_.LimitsOf(name);
    pace.WaitFullPause(leases_.quiet_until(), limits);
    if (pace.next_allowed > now || pace.OutlastsPause(now, limits)) hosts.push_back({name, pace});
  };
  hosts_.ForEach([&](Host* host) { add(host->name, host->pace); });
  const absl::Status stored = hosts_.ForEachStored(now, add);
  if (!stored.ok()) base::LogError("saving the hosts of a moving shard: {}", stored.ToString());
  return EncodeHosts(std::move(hosts), now, schedule::kHostsBytesMax);
}

void MovingHosts::Take(const schedule::Adopt& adopt, absl::Time now) {
  const std::optional<std::vector<HostState>> hosts = DecodeHosts(adopt.hosts, now);
  if (!hosts)
    base::LogError("the state of the hosts of shard {} cannot be read", adopt.shard.value);
  for (const HostState& state : hosts.value_or(std::vector<HostState>())) {
    Host* host = hosts_.Get(state.name, now);
    schedule::HostPace& pace = host->pace;
    pace.next_allowed = std::max(pace.next_allowed, state.pace.next_allowed);
    pace.given_up_until = std::max(pace.given_up_until, state.pace.given_up_until);
    pace.crawl_delay = std::max(pace.crawl_delay, state.pace.crawl_delay);
    pace.backoff = std::max(pace.backoff, state.pace.backoff);
    pace.failures = std::max(pace.failures, state.pace.failures);
    pace.urls_failing = std::max(pace.urls_failing, state.pace.urls_failing);
    pace.CutFutureTimes(now, hosts_.LimitsOf(state.name));
    hosts_.MarkChanged(host);
    if (host->in_flight == 0 && host->queue.empty()) leases_.Rest(host, now);
  }
  if (left_.erase(adopt.shard) > 0) returned_[adopt.shard] = pages_.next_arrival();
  if (leases_.lending()) {
    adopted_.push_back(adopt.shard);
    return;
  }
  // A shard that left in this session may be back.
  hosts_.ForEach([](Host* host) { host->leaving = false; });
  for (const auto& [shard, hash] : releasing_) {
    hosts_.ForEach([&, &shard = shard, &hash = hash](Host* host) {
      host->leaving |= hash.ShardOfHost(host->name) == shard;
    });
  }
  adopted_.push_back(adopt.shard);
}

bool MovingHosts::is_stale(const QueuedPage& queued) const {
  if (has_left(queued.page)) return true;
  const auto returned = returned_.find(queued.page.shard());
  return returned != returned_.end() && queued.arrival < returned->second;
}

void MovingHosts::AppendAdopted(std::vector<schedule::ToNode>& out) {
  for (ShardId shard : adopted_) out.emplace_back(schedule::Adopted{shard});
  adopted_.clear();
}

}  // namespace opic::scheduler
