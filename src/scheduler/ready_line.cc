#include "scheduler/ready_line.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace opic::scheduler {

Host* ReadyLine::First(absl::Time now) {
  for (;;) {
    const bool host_due = !hosts_.empty() && hosts_.first_time() <= now;
    const bool address_due = !open_.empty() && open_.first_time() <= now;
    if (address_due && (!host_due || open_.first_time() <= hosts_.first_time())) {
      return open_.first()->first_waiting;
    }
    if (!host_due) return nullptr;
    if (MayStart(*hosts_.first(), now)) return hosts_.first();
    const absl::Time since = hosts_.first_time();
    Wait(hosts_.PopFirst(), since);
  }
}

void ReadyLine::Leave(Host* host) {
  if (!host->waiting) {
    hosts_.Remove(host);
    return;
  }
  Address* address = host->address;
  OPIC_CHECK(address->first_waiting == host) << "not the first to wait";
  address->first_waiting = host->next_waiting;
  if (address->first_waiting == nullptr) address->last_waiting = nullptr;
  host->next_waiting = nullptr;
  host->waiting = false;
  Reschedule(address);
}

void ReadyLine::Withdraw(Host* host) {
  if (!host->waiting || host->address->first_waiting == host) return Leave(host);
  Host* before = host->address->first_waiting;
  while (before->next_waiting != host) before = before->next_waiting;
  before->next_waiting = std::exchange(host->next_waiting, nullptr);
  if (host->address->last_waiting == host) host->address->last_waiting = before;
  host->waiting = false;
}

Address* ReadyLine::Start(Host* host, absl::Time now) {
  Address* address = host->address;
  if (address == nullptr) return nullptr;
  ++address->in_flight;
  if (address_delay_ > absl::ZeroDuration()) address->next_start = now + address_delay_;
  Reschedule(address);
  return address;
}

void ReadyLine::Finish(Address* address) {
  if (address == nullptr) return;
  --address->in_flight;
  Reschedule(address);
  DropUnused(address);
}

void ReadyLine::Remember(Host* host, const std::string& name) {
  if (host->waiting || (host->address != nullptr && host->address->name == name)) return;
  Forget(host);
  std::unique_ptr<Address>& address = addresses_[name];
  if (address == nullptr) {
    address = std::make_unique<Address>();
    address->name = name;
  }
  ++address->hosts;
  host->address = address.get();
}

void ReadyLine::Forget(Host* host) {
  if (host->address == nullptr) return;
  OPIC_CHECK(!host->waiting) << "waits for the address to be forgotten";
  Address* address = host->address;
  host->address = nullptr;
  --address->hosts;
  DropUnused(address);
}

void ReadyLine::Clear() {
  hosts_.Clear();
  open_.Clear();
  for (auto& [name, address] : addresses_) {
    for (Host* host = address->first_waiting; host != nullptr;) {
      host->waiting = false;
      host = std::exchange(host->next_waiting, nullptr);
    }
    address->first_waiting = address->last_waiting = nullptr;
    address->in_flight = 0;
  }
  absl::erase_if(addresses_, [](const auto& entry) { return entry.second->hosts == 0; });
}

absl::Time ReadyLine::next() const {
  absl::Time first = absl::InfiniteFuture();
  if (!hosts_.empty()) first = hosts_.first_time();
  if (!open_.empty()) first = std::min(first, open_.first_time());
  return first;
}

bool ReadyLine::MayStart(const Host& host, absl::Time now) const {
  // No request is made for a page of a host given up, so no address is concerned.
  if (host.address == nullptr || host.pace.given_up(now)) return true;
  return !IsFull(*host.address) && host.address->next_start <= now &&
         host.address->first_waiting == nullptr;
}

void ReadyLine::Wait(Host* host, absl::Time since) {
  Address* address = host->address;
  host->waiting = true;
  host->waiting_since = since;
  if (address->last_waiting == nullptr) {
    address->first_waiting = host;
  } else {
    address->last_waiting->next_waiting = host;
  }
  address->last_waiting = host;
  Reschedule(address);
}

void ReadyLine::Reschedule(Address* address) {
  if (address->first_waiting == nullptr || IsFull(*address)) {
    open_.Remove(address);
    return;
  }
  open_.Set(address, std::max(address->next_start, address->first_waiting->waiting_since));
}

void ReadyLine::DropUnused(Address* address) {
  if (address->hosts == 0 && address->in_flight == 0) addresses_.erase(address->name);
}

}  // namespace opic::scheduler
