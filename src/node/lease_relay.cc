#include "node/lease_relay.h"

#include <utility>

#include "base/encoding.h"
#include "base/log.h"
#include "desk/store_failure.h"

namespace opic::node {
namespace {

constexpr size_t kHostsSharedMax = 100'000;  // hosts a peer
// What was told is told again after this: a session that is behind drops messages of leases.
constexpr absl::Duration kTellAgain = absl::Minutes(1);

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

void LeaseRelay::FromScheduler(schedule::LeaseMessage message) {
  absl::MutexLock lock(&mu_);
  if (const std::optional<NodeId> peer = message.peer) {
    SendTo(*peer, std::move(message));
  } else {
    SendRequests(std::move(message));
  }
}

bool LeaseRelay::MayAsk(const std::string& host) const {
  absl::MutexLock lock(&mu_);
  return terms_.MayAsk(host, clock_.Steady());
}

void LeaseRelay::SendRequests(schedule::LeaseMessage message) {
  terms_.OnRequests(message.sent, clock_.Steady());
  std::map<NodeId, schedule::LeaseMessage> to;
  for (std::string& host : message.requests) {
    if (const std::optional<NodeId> home = HomeOf(host))
      to[*home].requests.push_back(std::move(host));
  }
  for (auto& [home, requests] : to) {
    requests.sent = message.sent;
    SendTo(home, std::move(requests));
  }
}

void LeaseRelay::SendTo(NodeId peer, schedule::LeaseMessage message) {
  message.cluster_id = self_.cluster_id;
  message.process = self_.process;
  if (peer == self_.node) {
    Deliver(peer, std::move(message));
    return;
  }
  size_t room = schedule::kLeaseRobotsBytesMax;
  const auto add = [&](const std::string& host, std::string& robots)
                       ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
                         robots = VerdictsFor(host, peer, room);
                         room -= robots.size();
                       };
  for (schedule::HostLease& lease : message.leases) add(lease.host, lease.robots);
  for (schedule::HostReturn& back : message.returns) add(back.host, back.robots);
  transport_.Send(peer, std::move(message));
}

std::string LeaseRelay::VerdictsFor(const std::string& host, NodeId peer, size_t room) {
  absl::StatusOr<std::string> rows = robots_.RowsOf(host, clock_.Now());
  desk::EndOnStoreFailure("the memory of robots.txt verdicts", rows.status());
  if (rows->empty() || rows->size() > room) return "";
  absl::flat_hash_map<std::string, Shared>& shared = shared_[peer];
  if (shared.size() >= kHostsSharedMax) shared.clear();
  const uint64_t hash = base::Hash64(*rows);
  const absl::Time now = clock_.Steady();
  Shared& last = shared[host];
  if (last.rows == hash && now < last.until) return "";
  last = {.rows = hash, .until = now + kTellAgain};
  return *std::move(rows);
}

void LeaseRelay::FromPeer(NodeId peer, schedule::LeaseMessage message) {
  if (message.cluster_id != self_.cluster_id || message.process == 0) return;
  absl::MutexLock lock(&mu_);
  const auto learn = [&](const std::string& host,
                         std::string& robots) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (robots.empty()) return;
    desk::EndOnStoreFailure("the memory of robots.txt verdicts",
                            robots_.Absorb(host, robots, clock_.Now()));
    shared_[peer][host] = {.rows = base::Hash64(robots), .until = absl::InfiniteFuture()};
    robots.clear();
  };
  for (schedule::HostLease& lease : message.leases) learn(lease.host, lease.robots);
  for (schedule::HostReturn& back : message.returns) learn(back.host, back.robots);
  std::erase_if(message.requests, [&](const std::string& host) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return HomeOf(host) != self_.node;
  });
  Deliver(peer, std::move(message));
}

void LeaseRelay::Deliver(NodeId from, schedule::LeaseMessage message) {
  for (const schedule::HostLease& lease : message.leases) terms_.OnLease(lease, clock_.Steady());
  message.peer = from;
  link_.Send(std::move(message));
}

void LeaseRelay::OnConnected(NodeId peer) {
  absl::MutexLock lock(&mu_);
  shared_.erase(peer);
  SendTo(peer, schedule::LeaseMessage());
}

void LeaseRelay::OnDisconnected(NodeId peer) {
  absl::MutexLock lock(&mu_);
  Deliver(peer, schedule::LeaseMessage());
}

}  // namespace opic::node
