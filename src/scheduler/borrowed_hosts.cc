#include "scheduler/borrowed_hosts.h"

#include <algorithm>

#include "schedule/lease_message.h"

namespace opic::scheduler {

void BorrowedHosts::Request(Host* host, absl::Time now) { requests_.Set(host, now); }

std::vector<std::string> BorrowedHosts::DueRequests(absl::Time now, size_t most) {
  std::vector<std::string> names;
  while (names.size() < most && !requests_.empty() && requests_.first_time() <= now) {
    Host* host = requests_.first();
    names.push_back(host->name);
    requests_.Set(host, now + schedule::kLeaseRequestAgain);
  }
  return names;
}

void BorrowedHosts::Begin(Host* host, const Lease& lease) {
  requests_.Remove(host);
  host->lease = lease;
  held_.insert(host);
  ends_.emplace(lease.until, host);
}

void BorrowedHosts::End(Host* host) {
  ends_.erase({host->lease->until, host});
  held_.erase(host);
  host->lease.reset();
}

Host* BorrowedHosts::NextOver(absl::Time now) {
  if (ends_.empty() || ends_.begin()->first > now) return nullptr;
  Host* host = ends_.begin()->second;
  ends_.erase(ends_.begin());
  return host;
}

void BorrowedHosts::Cancel(NodeId home, absl::Time now) {
  for (Host* host : held_) {
    if (host->lease->home != home || host->lease->until <= now) continue;
    ends_.erase({host->lease->until, host});
    host->lease->until = now;
    ends_.emplace(now, host);
  }
}

bool BorrowedHosts::HoldsAnyOf(NodeId home) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const Host* host) { return host->lease->home == home; });
}

void BorrowedHosts::ForEach(absl::FunctionRef<void(Host*)> visit) const {
  for (Host* host : held_) visit(host);
}

absl::Time BorrowedHosts::next_request() const {
  return requests_.empty() ? absl::InfiniteFuture() : requests_.first_time();
}

absl::Time BorrowedHosts::next_over() const {
  return ends_.empty() ? absl::InfiniteFuture() : ends_.begin()->first;
}

}  // namespace opic::scheduler
