// The web servers of a simulated crawl, and the judges of it: per host no two requests at once, and
// the host's pause between the end of one and the beginning of the next. Where a host may have
// several at once: all of one machine, and no more than that.
//
// The pause is the delay, or what a Retry-After asked for. That one counts only while whoever heard
// it lives and can pass it on: it is *owed* when the machines concerned, the asking one and the
// homes of the host, were calm from well before the request on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/ids.h"

namespace opic::scheduler {

class PoliteWeb {
 public:
  PoliteWeb(absl::Duration delay, size_t machines, size_t per_host_max = 1)
      : delay_(delay), per_host_max_(per_host_max), calm_since_(machines) {}

  // A machine that was stopped, paused, or cut off is calm again from `since` on.
  void Shake(NodeId machine, absl::Time since) {
    absl::Time& calm = calm_since_[machine.value];
    calm = std::max(calm, since);
  }

  // A request begins; its number.
  uint64_t Begin(const std::string& host, NodeId machine, absl::Time now);
  void End(const std::string& host, uint64_t request, absl::Time now);
  // The scheduler of the machine that asked has heard a Retry-After of the request. `home` is where
  // the host has its home.
  void AskForPatience(const std::string& host, NodeId machine, NodeId home, absl::Time until,
                      absl::Time begun);
  // The host's home is now there.
  void Moved(const std::string& host, NodeId home);

  uint64_t requests() const { return requests_; }
  size_t most_at_once() const { return most_at_once_; }  // of one host
  uint64_t waits() const { return waits_; }  // Retry-Afters owed when the next request came
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Patience {
    absl::Time until, begun;
    std::set<NodeId> concerned;
  };
  struct Site {
    std::map<uint64_t, NodeId> open;
    absl::Time ended = absl::InfinitePast();
    NodeId last;
    std::vector<Patience> asked;
  };
  bool IsOwed(const Patience& asked) const;
  void PrintError(const std::string& host, absl::Time now, const std::string& what);

  void JudgeSeveral(const std::string& host, const Site& site, NodeId machine, absl::Time now);

  const absl::Duration delay_;
  const size_t per_host_max_;
  size_t most_at_once_ = 0;
  std::vector<absl::Time> calm_since_;
  std::map<std::string, Site> sites_;
  uint64_t requests_ = 0, waits_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace opic::scheduler
