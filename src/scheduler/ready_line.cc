#include "scheduler/ready_line.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace opic::scheduler {
namespace {

constexpr int kFavouredInARow = 3;  // while others are due

}  // namespace

void ReadyLine::LetRefreshesCome(absl::Time now) {
  while (!refreshing_.empty() && refreshing_.first_time() <= now) {
    const absl::Time time = refreshing_.first_time();
    hosts_.Add(refreshing_.PopFirst(), time, /*refreshes=*/true);
  }
}

Host* ReadyLine::First(absl::Time now) {
  LetRefreshesCome(now);
  for (;;) {
    const bool host_due = !hosts_.empty() && hosts_.first_time() <= now;
    const bool crowd_due = !open_.empty() && open_.first_time() <= now;
    const bool turn = favoured_in_a_row_ < kFavouredInARow || !(host_due || crowd_due);
    const bool favour = turn && !favoured_.empty() && favoured_.first_time() <= now;
    if (!favour && !host_due && !crowd_due) return nullptr;
    absl::Time since = absl::InfiniteFuture();
    if (favour || host_due) since = favour ? favoured_.first_time() : hosts_.first_time();
    const bool waits = !favour && crowd_due && open_.first_time() <= since;
    Host* host = favour  ? favoured_.first()
                 : waits ? open_.first()->waiting.first()
                         : hosts_.first();
    Crowd* closed = ClosedTo(*host, now);
    if (closed == nullptr) return host;
    if (closed == host->waits_for) {
      Reschedule(closed, now);
      continue;
    }
    if (waits) since = host->waiting_since;
    Leave(host);
    Wait(host, closed, since);
  }
}

void ReadyLine::Leave(Host* host) {
  left_favoured_ = host->waits_for == nullptr && favoured_.Contains(host);
  Withdraw(host);
}

void ReadyLine::Withdraw(Host* host) {
  if (Crowd* crowd = std::exchange(host->waits_for, nullptr); crowd != nullptr) {
    crowd->waiting.Remove(host);
    return Reschedule(crowd);
  }
  for (schedule::TimedHeap<Host>* line : {&favoured_, &refreshing_}) {
    if (line->Contains(host)) return line->Remove(host);
  }
  hosts_.Remove(host);
}

Counted ReadyLine::Start(Host* host, absl::Time now) {
  favoured_in_a_row_ = left_favoured_ ? favoured_in_a_row_ + 1 : 0;
  const Counted counted{host->address, host->group};
  if (counted.address != nullptr) {
    ++counted.address->in_flight;
    if (address_delay_ > absl::ZeroDuration())
      counted.address->next_start = now + PauseOf(*counted.address);
    Reschedule(counted.address);
  }
  if (counted.group != nullptr) {
    ++counted.group->in_flight;
    counted.group->of_share.Take(now);
    if (counted.group->at_once > 1)
      counted.group->next_start =
          std::max(counted.group->next_start, now + PauseOf(*counted.group));
    Reschedule(counted.group);
  }
  return counted;
}

void ReadyLine::Finish(const Counted& counted, std::optional<absl::Time> ended,
                       absl::Time group_held_until) {
  if (Crowd* group = counted.group; group != nullptr) {
    if (ended && group->at_once == 1)
      group->next_start = std::max(group->next_start, *ended + group->delay);
    if (!ended) group->of_share.GiveBack();
    group->held_until = std::max(group->held_until, group_held_until);
  }
  for (Crowd* crowd : {counted.address, counted.group}) {
    if (crowd == nullptr) continue;
    --crowd->in_flight;
    Reschedule(crowd);
    DropUnused(crowd);
  }
}

void ReadyLine::Remember(Host* host, const std::string& name) {
  if (host->waits_for != nullptr || (host->address != nullptr && host->address->name == name))
    return;
  Quit(host->address);
  std::unique_ptr<Crowd>& address = addresses_[name];
  if (address == nullptr) {
    address = std::make_unique<Crowd>();
    address->name = name;
  }
  ++address->hosts;
  host->address = address.get();
}

bool ReadyLine::IsOf(const Host& host, const schedule::HostGroup* group) {
  if (group == nullptr || host.group == nullptr)
    return (group == nullptr) == (host.group == nullptr);
  return host.group->name == group->name;
}

void ReadyLine::Join(Host* host, const schedule::HostGroup* group, absl::Time now) {
  if (IsOf(*host, group)) return;
  OPIC_CHECK(host->waits_for == nullptr) << "waits for the group that it is to leave";
  Quit(host->group);
  if (group == nullptr) return;
  std::unique_ptr<Crowd>& crowd = groups_[group->name];
  if (crowd == nullptr) {
    crowd = std::make_unique<Crowd>();
    crowd->name = group->name;
    crowd->is_group = true;
    TakeUp(*group, *crowd);
    crowd->next_start = now + crowd->delay;
  }
  ++crowd->hosts;
  host->group = crowd.get();
}

void ReadyLine::SetGroups(const std::vector<schedule::HostGroup>& groups, absl::Time now) {
  for (const schedule::HostGroup& group : groups) {
    const auto known = groups_.find(group.name);
    if (known == groups_.end()) continue;
    Crowd* crowd = known->second.get();
    const absl::Duration before = crowd->delay;
    TakeUp(group, *crowd);
    const absl::Time next = now + crowd->delay;
    if (crowd->delay > before) crowd->next_start = std::max(crowd->next_start, next);
    if (crowd->delay < before) crowd->next_start = std::min(crowd->next_start, next);
    Reschedule(crowd);
  }
}

void ReadyLine::TakeUp(const schedule::HostGroup& group, Crowd& crowd) {
  crowd.at_once = group.parallel > 0 ? static_cast<int>(group.parallel) : group.delay ? 1 : 0;
  crowd.delay = group.delay.value_or(absl::ZeroDuration());
  crowd.share = group.share;
  crowd.of_share.SetRate(crowd.share * pages_per_s_);
}

void ReadyLine::SetRate(double pages_per_s) {
  pages_per_s_ = pages_per_s;
  for (auto& [name, group] : groups_) {
    group->of_share.SetRate(group->share * pages_per_s);
    Reschedule(group.get());
  }
}

void ReadyLine::Forget(Host* host) {
  OPIC_CHECK(host->waits_for == nullptr) << "waits for what is to be forgotten";
  Quit(host->address);
  Quit(host->group);
}

void ReadyLine::Quit(Crowd*& crowd) {
  if (crowd == nullptr) return;
  Crowd* left = std::exchange(crowd, nullptr);
  --left->hosts;
  DropUnused(left);
}

void ReadyLine::Clear(absl::Time now) {
  hosts_.Clear();
  favoured_.Clear();
  refreshing_.Clear();
  open_.Clear();
  for (Crowds* crowds : {&addresses_, &groups_}) {
    for (auto& [name, crowd] : *crowds) {
      while (!crowd->waiting.empty()) {
        Host* host = crowd->waiting.first();
        host->waits_for = nullptr;
        crowd->waiting.Remove(host);
      }
      if (crowd->is_group && crowd->in_flight > 0) {
        crowd->next_start = std::max(crowd->next_start, now + crowd->delay);
      }
      crowd->in_flight = 0;
    }
    absl::erase_if(*crowds, [](const auto& entry) { return entry.second->hosts == 0; });
  }
}

absl::Time ReadyLine::next() const {
  absl::Time first = absl::InfiniteFuture();
  if (!hosts_.empty()) first = hosts_.first_time();
  if (!favoured_.empty()) first = std::min(first, favoured_.first_time());
  if (!refreshing_.empty()) first = std::min(first, refreshing_.first_time());
  if (!open_.empty()) first = std::min(first, open_.first_time());
  return first;
}

absl::Time ReadyLine::OpensAt(const Crowd& crowd, absl::Time now) const {
  const absl::Time shared = crowd.of_share.next();
  return TurnOf(crowd, std::max({now, crowd.next_start, crowd.held_until, shared}));
}

// As many nodes as may ask at once start requests in the same time.
absl::Duration ReadyLine::PauseOf(const Crowd& crowd) const {
  const absl::Duration pause = crowd.is_group ? crowd.delay : address_delay_;
  return pause * std::min<int64_t>(place_.nodes, LimitOf(crowd));
}

absl::Time ReadyLine::TurnOf(const Crowd& crowd, absl::Time time) const {
  if (place_.nodes == 1 || !HasLimit(crowd)) return time;
  return schedule::TurnFrom(time + wall_ahead_, LimitOf(crowd), crowd.name, PauseOf(crowd),
                            place_) -
         wall_ahead_;
}

absl::Time ReadyLine::TurnFrom(const Host& host, absl::Time time) const {
  return host.group == nullptr ? time : TurnOf(*host.group, time);
}

void ReadyLine::SetPlace(const schedule::ClusterPlace& place) {
  if (place == place_) return;
  place_ = place;
  for (Crowds* crowds : {&addresses_, &groups_}) {
    for (auto& [name, crowd] : *crowds) Reschedule(crowd.get());
  }
}

// What keeps the host from being asked now. It does not pass those who wait already; but when its
// own turn has come at the one, it does at the other: else two might wait for each other.
Crowd* ReadyLine::ClosedTo(const Host& host, absl::Time now) const {
  // No request is made for a page of a host given up, so nothing shared is concerned.
  if (host.pace.given_up(now)) return nullptr;
  for (Crowd* crowd : {host.address, host.group}) {
    if (crowd == nullptr) continue;
    const bool others_wait = host.waits_for == nullptr && !crowd->waiting.empty();
    if (IsFull(*crowd) || OpensAt(*crowd, now) > now || others_wait) return crowd;
  }
  return nullptr;
}

void ReadyLine::Wait(Host* host, Crowd* crowd, absl::Time since) {
  host->waits_for = crowd;
  host->waiting_since = since;
  crowd->waiting.Add(host, since, host->queue.has_refresh_turn());
  Reschedule(crowd);
}

void ReadyLine::Reschedule(Crowd* crowd, absl::Time now) {
  if (crowd->waiting.empty() || IsFull(*crowd)) {
    open_.Remove(crowd);
    return;
  }
  open_.Set(crowd, OpensAt(*crowd, std::max(now, crowd->waiting.first_time())));
}

void ReadyLine::DropUnused(Crowd* crowd) {
  if (crowd->hosts > 0 || crowd->in_flight > 0) return;
  (crowd->is_group ? groups_ : addresses_).erase(std::string(crowd->name));
}

}  // namespace opic::scheduler
