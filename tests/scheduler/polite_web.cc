#include "tests/scheduler/polite_web.h"

#include <algorithm>

#include "schedule/lease_message.h"

namespace opic::scheduler {
namespace {

// Before the request: the lease under which it was made had not been granted.
const absl::Duration kBefore = schedule::kLeaseTerm + schedule::kOrderPatience;

}  // namespace

uint64_t PoliteWeb::Begin(const std::string& host, NodeId machine, absl::Time now) {
  Site& site = sites_[host];
  if (per_host_max_ > 1) {
    JudgeSeveral(host, site, machine, now);
    site.asked.clear();  // what was ordered before it was heard may still come
  } else if (!site.open.empty()) {
    PrintError(host, now,
               absl::StrCat("asked by ", machine.value, " while ", site.open.begin()->second.value,
                            " asks it"));
  } else if (now < site.ended + delay_) {
    PrintError(host, now,
               absl::StrCat("asked by ", machine.value, " ", absl::FormatDuration(now - site.ended),
                            " after ", site.last.value));
  }
  for (const Patience& asked : site.asked) {
    if (!IsOwed(asked)) continue;
    if (now < asked.until) {
      PrintError(
          host, now,
          absl::StrCat("asked by ", machine.value, " ", absl::FormatDuration(asked.until - now),
                       " before the end of a Retry-After"));
    }
    ++waits_;
  }
  site.asked.clear();
  site.open.emplace(++requests_, machine);
  most_at_once_ = std::max(most_at_once_, site.open.size());
  return requests_;
}

void PoliteWeb::JudgeSeveral(const std::string& host, const Site& site, NodeId machine,
                             absl::Time now) {
  for (const auto& [request, other] : site.open) {
    if (other != machine)
      PrintError(host, now,
                 absl::StrCat("asked by ", machine.value, " while ", other.value, " asks it"));
  }
  if (site.open.size() >= per_host_max_)
    PrintError(host, now, absl::StrCat("asked ", site.open.size() + 1, " times at once"));
}

void PoliteWeb::End(const std::string& host, uint64_t request, absl::Time now) {
  Site& site = sites_[host];
  const auto open = site.open.find(request);
  if (open == site.open.end()) return;  // ended with the process that made it
  site.last = open->second;
  site.ended = now;
  site.open.erase(open);
}

void PoliteWeb::AskForPatience(const std::string& host, NodeId machine, NodeId home,
                               absl::Time until, absl::Time begun) {
  sites_[host].asked.push_back({until, begun, {machine, home}});
}

void PoliteWeb::Moved(const std::string& host, NodeId home) {
  for (Patience& asked : sites_[host].asked) asked.concerned.insert(home);
}

bool PoliteWeb::IsOwed(const Patience& asked) const {
  return std::all_of(asked.concerned.begin(), asked.concerned.end(), [&](NodeId machine) {
    return calm_since_[machine.value] < asked.begun - kBefore;
  });
}

void PoliteWeb::PrintError(const std::string& host, absl::Time now, const std::string& what) {
  complaints_.push_back(absl::StrCat(
      absl::FormatDuration(now - absl::FromUnixSeconds(1'000'000'000)), ": ", host, " was ", what));
}

}  // namespace opic::scheduler
