// Who is next: hosts in line by the time they may be asked again, and those held up by what they
// share with others, their IP address or their group. Hosts with a favoured page have a line of
// their own, which goes first three times of four.
//
// A host that has refreshes brings a turn when its time comes, and the turns of refreshes go among
// these hosts to the one whose refreshes have been due longest. So each host gets as many
// of them as it has refreshes due, and not one in a round; hosts with pages to discover have the
// turns that they have anyhow.
//
// A host whose address or group is at its limit leaves the line and waits there, first come first
// served but for refreshes, whose turns go by what is due, too. So a crowd of hosts on one address
// costs nobody else a look. Choosing costs O(log hosts).
//
// Of a group with a delay one request goes on at a time, and the next one starts its delay after
// the end of the last; where several may go on, its delay after the start of the last. A group with
// a share starts so many a second at most. A group that is new here waits its delay first: its
// hosts may have been asked just before.
//
// Both limits are those of the whole cluster: this line keeps its part of them
// (schedule/cluster_share.h).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "schedule/cluster_share.h"
#include "schedule/host_rules.h"
#include "scheduler/crowd.h"
#include "scheduler/host.h"

namespace opic::scheduler {

// What a fetch counts for while it is under way; null: nothing, or not known yet.
struct Counted {
  Crowd* address = nullptr;
  Crowd* group = nullptr;
};

class ReadyLine {
 public:
  // `address_delay` is between starts of fetches from one address, `per_address_max` how many go on
  // at once, in the whole cluster.
  ReadyLine(int per_address_max, absl::Duration address_delay)
      : per_address_max_(per_address_max), address_delay_(address_delay) {}

  // Not so of one that waits for its address or group.
  bool Has(const Host* host) const {
    return hosts_.Contains(host) || favoured_.Contains(host) || refreshing_.Contains(host);
  }
  // In line, or waiting for its address or group.
  bool Holds(const Host* host) const { return Has(host) || host->waits_for != nullptr; }
  // In line since its time came, with a turn of refreshes.
  bool HasBroughtTurn(const Host* host) const { return hosts_.HasRefreshes(host); }
  // Puts `host` in line at `time`. REQUIRES: it is not in line, nor waiting, nor idle.
  void Add(Host* host, absl::Time time) {
    if (host->queue.favoured > 0) return favoured_.Set(host, time);
    if (host->queue.has_refresh_turn()) return refreshing_.Set(host, time);
    hosts_.Add(host, time, /*refreshes=*/false);
  }

  // The host that may be asked at `now` and whose turn it is; nullptr when there is none. It stays
  // in line.
  Host* First(absl::Time now);
  // Takes `host` out of line. REQUIRES: First(now) returned it.
  void Leave(Host* host);
  // Takes `host` out of line wherever it stands. REQUIRES: it is in line or waits for its address
  // or group.
  void Withdraw(Host* host);

  // A fetch of `host` starts; what it counts for is to be given to Finish.
  Counted Start(Host* host, absl::Time now);
  // `ended`: when the request did; nothing: none was made. No other host of the group is asked
  // before `group_held_until`.
  void Finish(const Counted& counted, std::optional<absl::Time> ended = std::nullopt,
              absl::Time group_held_until = absl::InfinitePast());
  // `host` was reached at `name`. Ignored while the host waits.
  void Remember(Host* host, const std::string& name);
  // The host is of `group`, null: of none. REQUIRES: it is not in line, nor waiting.
  void Join(Host* host, const schedule::HostGroup* group, absl::Time now);
  // Whether Join would change nothing.
  static bool IsOf(const Host& host, const schedule::HostGroup* group);
  // Groups that are known have the delays and shares of these from now on: as for delays, a longer
  // one as if the last request had just ended; a shorter one ends the present wait. Shares hold as
  // if they had when the last request began.
  void SetGroups(const std::vector<schedule::HostGroup>& groups, absl::Time now);
  void Forget(Host* host);
  // The pages a second that are in force, of which groups have their shares; 0: no limit, and no
  // shares. Holds as a share that is changed does.
  void SetRate(double pages_per_s);
  // Where the node is in its cluster from now on.
  void SetPlace(const schedule::ClusterPlace& place);
  // As Scheduler::SetWallAhead: turns are by the wall clock.
  void SetWallAhead(absl::Duration ahead) { wall_ahead_ = ahead; }
  // The first moment, `time` or later, at which it is this node's turn to ask the host's group.
  absl::Time TurnFrom(const Host& host, absl::Time time) const;

  // Nobody is in line and no fetch is under way any more; addresses and groups remain remembered.
  // `Host::waits_for` is reset. What was under way of a group may have ended just now.
  void Clear(absl::Time now);

  // When First may return somebody.
  absl::Time next() const;
  // When the crowd, if it is not full, lets its next host go.
  absl::Time OpensAt(const Crowd& crowd, absl::Time now) const;
  size_t due(absl::Time now) const {
    return hosts_.CountUntil(now) + favoured_.CountUntil(now) + refreshing_.CountUntil(now);
  }
  size_t groups() const { return groups_.size(); }

 private:
  using Crowds = absl::flat_hash_map<std::string, std::unique_ptr<Crowd>>;

  static bool HasLimit(const Crowd& crowd) { return !crowd.is_group || crowd.at_once > 0; }
  int LimitOf(const Crowd& crowd) const {
    return crowd.is_group ? crowd.at_once : per_address_max_;
  }
  bool IsFull(const Crowd& crowd) const {
    return HasLimit(crowd) && crowd.in_flight >= schedule::ShareOf(LimitOf(crowd), place_);
  }
  void TakeUp(const schedule::HostGroup& group, Crowd& crowd);
  // Between its starts on this node.
  absl::Duration PauseOf(const Crowd& crowd) const;
  absl::Time TurnOf(const Crowd& crowd, absl::Time time) const;
  Crowd* ClosedTo(const Host& host, absl::Time now) const;
  void LetRefreshesCome(absl::Time now);
  void Wait(Host* host, Crowd* crowd, absl::Time since);
  void Reschedule(Crowd* crowd, absl::Time now = absl::InfinitePast());
  void Quit(Crowd*& crowd);
  void DropUnused(Crowd* crowd);

  const int per_address_max_;
  const absl::Duration address_delay_;
  double pages_per_s_ = 0;
  schedule::ClusterPlace place_;
  absl::Duration wall_ahead_ = absl::ZeroDuration();
  TurnLine hosts_;
  schedule::TimedHeap<Host> refreshing_;  // have a turn of refreshes, and their time is to come
  schedule::TimedHeap<Host> favoured_;    // those with a favoured page when they came into line
  bool left_favoured_ = false;            // the last host that left was of these
  int favoured_in_a_row_ = 0;             // of the fetches that started
  // With hosts waiting and a fetch free, by the time it may start.
  schedule::TimedHeap<Crowd> open_;
  Crowds addresses_, groups_;  // by name
};

}  // namespace opic::scheduler
