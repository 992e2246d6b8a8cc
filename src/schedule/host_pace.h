// How fast one host may be asked: what its answers have taught us, and when it may be asked next
// (docs/design.md section 6).
//
// Pure: outcomes in, times out. An outcome teaches by what the host answered, not by what the node
// made of the page:
//
//   an answer                 failures and back-off start from zero
//   429, 5xx, or kTransient   the back-off doubles: backoff_first, 2·, 4·, … up to backoff_max;
//                             without jitter, because only one scheduler asks a host
//   no answer                 the back-off doubles and failures count up; from host_failures_max on
//                             the host is given up for a day after each, so after that day one more
//                             failure is enough
//   not tried                 nothing
//
// A request that went out keeps the host waiting for the longest of delay, crawl delay, back-off
// and Retry-After, from its end.
#pragma once

#include "absl/time/time.h"
#include "schedule/messages.h"

namespace opic::schedule {

struct PaceLimits {
  absl::Duration delay = absl::Seconds(1);  // between the end of a fetch and the next start
  absl::Duration crawl_delay_max = absl::Minutes(5);  // a longer Crawl-delay is cut to this
  absl::Duration retry_after_max = absl::Hours(1);    // a longer Retry-After is cut to this
  absl::Duration backoff_first = absl::Seconds(2);
  absl::Duration backoff_max = absl::Minutes(10);
  int host_failures_max = 6;  // consecutive network failures before the host is given up
  absl::Duration give_up_for = absl::Hours(24);
};

// Value type. Times are wall times: they outlive the process.
struct HostPace {
  absl::Time next_allowed = absl::InfinitePast();
  absl::Time given_up_until = absl::InfinitePast();
  absl::Duration crawl_delay = absl::ZeroDuration();  // as asked for, within crawl_delay_max
  absl::Duration backoff = absl::ZeroDuration();      // of the last answer; 0: none
  int failures = 0;                                   // consecutive, without any answer

  bool given_up(absl::Time now) const { return now < given_up_until; }
  // The pause this host gets after a request that went well.
  absl::Duration Pause(const PaceLimits& limits) const;
  // Learns from `outcome`, whose request, if any, ended at `ended`.
  void Learn(const Outcome& outcome, absl::Time ended, const PaceLimits& limits);
  // A restart or a lost session hides when the last request ended: it may have been just now.
  void WaitFullPause(absl::Time now, const PaceLimits& limits);
  // Cuts times that no outcome could have set, after the wall clock was put back.
  void CutFutureTimes(absl::Time now, const PaceLimits& limits);
  // A restart at `now` or later with a full pause would lose something: must survive a crash.
  bool OutlastsPause(absl::Time now, const PaceLimits& limits) const;

  friend bool operator==(const HostPace&, const HostPace&) = default;
};

}  // namespace opic::schedule
