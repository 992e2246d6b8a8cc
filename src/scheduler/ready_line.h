// Who is next: hosts in line by the time they may be asked again, and those held up by their IP
// address.
//
// A host whose address is at its limit leaves the line and waits with the address, first come first
// served, so a crowd of hosts on one address costs nobody else a look. Choosing costs O(log hosts).
// Thread safety: confined to the owner thread.
#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "scheduler/host.h"

namespace opic::scheduler {

class ReadyLine {
 public:
  // `address_delay` is between starts of fetches from one address, `per_address_max` how many go on
  // at once.
  ReadyLine(int per_address_max, absl::Duration address_delay)
      : per_address_max_(per_address_max), address_delay_(address_delay) {}

  // Not so of one that waits for its address.
  bool Has(const Host* host) const { return hosts_.Contains(host); }
  // Puts `host` in line at `time`. REQUIRES: it is not in line, nor waiting, nor idle.
  void Add(Host* host, absl::Time time) { hosts_.Set(host, time); }

  // The host that may be asked at `now` and has waited longest; nullptr when there is none. It
  // stays in line.
  Host* First(absl::Time now);
  // Takes `host` out of line. REQUIRES: First(now) returned it.
  void Leave(Host* host);
  // Takes `host` out of line wherever it stands. REQUIRES: it is in line or waits for its address.
  void Withdraw(Host* host);

  // A fetch of `host` starts; the address it counts for, nullptr while unknown. To be given to
  // Finish.
  Address* Start(Host* host, absl::Time now);
  void Finish(Address* address);
  // `host` was reached at `name`. Ignored while the host waits for another address.
  void Remember(Host* host, const std::string& name);
  void Forget(Host* host);

  // Nobody is in line and no fetch is under way any more; addresses remain remembered.
  // `Host::waiting` is reset.
  void Clear();

  bool IsFull(const Address& address) const { return address.in_flight >= per_address_max_; }
  // When First may return somebody.
  absl::Time next() const;
  size_t due(absl::Time now) const { return hosts_.CountUntil(now); }
  size_t addresses() const { return addresses_.size(); }

 private:
  bool MayStart(const Host& host, absl::Time now) const;
  void Wait(Host* host, absl::Time since);
  void Reschedule(Address* address);
  void DropUnused(Address* address);

  const int per_address_max_;
  const absl::Duration address_delay_;
  schedule::TimedHeap<Host> hosts_;
  schedule::TimedHeap<Address>
      open_;  // with hosts waiting and a fetch free, by the time it may start
  absl::flat_hash_map<std::string, std::unique_ptr<Address>> addresses_;
};

}  // namespace opic::scheduler
