#include "node/lease_relay.h"

#include <utility>

#include "base/encoding.h"
#include "base/log.h"
#include "desk/store_failure.h"

namespace opic::node {
namespace {

constexpr size_t kToldMax = 100'000;  // hosts a peer

}  // namespace

LeaseRelay::LeaseRelay(const Self& self, const url::UrlHash& hash, desk::RobotsCache& robots,
                       desk::SchedulerLink& link, cluster::Transport& transport, base::Clock& clock)
    : self_(self),
      hash_(hash),
      robots_(robots),
      link_(link),
      transport_(transport),
      clock_(clock) {}

void LeaseRelay::SetHomes(std::vector<std::optional<NodeId>> homes) {
  absl::MutexLock lock(&mu_);
  homes_ = std::move(homes);
}

std::optional<NodeId> LeaseRelay::HomeOf(const std::string& host) const {
  const ShardId shard = hash_.ShardOfHost(host);
  return shard.value < homes_.size() ? homes_[shard.value] : std::nullopt;
}

void LeaseRelay::FromScheduler(schedule::LeaseMessage letter) {
  absl::MutexLock lock(&mu_);
  if (letter.peer) {
    SendTo(*letter.peer, std::move(letter));
  } else {
    SendWishes(std::move(letter));
  }
}

bool LeaseRelay::MayAsk(const std::string& host) const {
  absl::MutexLock lock(&mu_);
  return terms_.MayAsk(host, clock_.Steady());
}

void LeaseRelay::SendWishes(schedule::LeaseMessage letter) {
  terms_.OnRequests(letter.sent, clock_.Steady());
  std::map<NodeId, schedule::LeaseMessage> to;
  for (std::string& host : letter.requests) {
    if (const std::optional<NodeId> home = HomeOf(host))
      to[*home].requests.push_back(std::move(host));
  }
  for (auto& [home, requests] : to) {
    requests.sent = letter.sent;
    SendTo(home, std::move(requests));
  }
}

void LeaseRelay::SendTo(NodeId peer, schedule::LeaseMessage letter) {
  letter.cluster_id = self_.cluster_id;
  letter.process = self_.process;
  if (peer == self_.node) {
    Deliver(peer, std::move(letter));
    return;
  }
  size_t room = schedule::kLeaseRobotsBytesMax;
  const auto add = [&](const std::string& host, std::string& robots)
                       ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
                         robots = NewsOf(host, peer, room);
                         room -= robots.size();
                       };
  for (schedule::HostLease& lease : letter.leases) add(lease.host, lease.robots);
  for (schedule::HostReturn& back : letter.returns) add(back.host, back.robots);
  transport_.Send(peer, std::move(letter));
}

std::string LeaseRelay::NewsOf(const std::string& host, NodeId peer, size_t room) {
  absl::StatusOr<std::string> rows = robots_.RowsOf(host, clock_.Now());
  desk::EndOnStoreFailure("the memory of robots.txt verdicts", rows.status());
  if (rows->empty() || rows->size() > room) return "";
  absl::flat_hash_map<std::string, uint64_t>& told = told_[peer];
  if (told.size() >= kToldMax) told.clear();
  const uint64_t hash = base::Hash64(*rows);
  if (std::exchange(told[host], hash) == hash) return "";
  return *std::move(rows);
}

void LeaseRelay::FromPeer(NodeId peer, schedule::LeaseMessage letter) {
  if (letter.cluster_id != self_.cluster_id || letter.process == 0) return;
  absl::MutexLock lock(&mu_);
  const auto learn = [&](const std::string& host, std::string& robots)
                         ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
                           if (robots.empty()) return;
                           desk::EndOnStoreFailure("the memory of robots.txt verdicts",
                                                   robots_.Absorb(host, robots, clock_.Now()));
                           told_[peer][host] = base::Hash64(robots);
                           robots.clear();
                         };
  for (schedule::HostLease& lease : letter.leases) learn(lease.host, lease.robots);
  for (schedule::HostReturn& back : letter.returns) learn(back.host, back.robots);
  std::erase_if(letter.requests, [&](const std::string& host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return HomeOf(host) != self_.node;
  });
  Deliver(peer, std::move(letter));
}

void LeaseRelay::Deliver(NodeId from, schedule::LeaseMessage letter) {
  for (const schedule::HostLease& lease : letter.leases) terms_.OnLease(lease, clock_.Steady());
  letter.peer = from;
  link_.Send(std::move(letter));
}

void LeaseRelay::OnConnected(NodeId peer) {
  absl::MutexLock lock(&mu_);
  told_.erase(peer);
  SendTo(peer, schedule::LeaseMessage());
}

void LeaseRelay::OnDisconnected(NodeId peer) {
  absl::MutexLock lock(&mu_);
  Deliver(peer, schedule::LeaseMessage());
}

}  // namespace opic::node
