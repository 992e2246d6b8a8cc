// How fast one host may be asked: what its answers have taught us, and when it may be asked next
// (docs/design.md section 6).
//
// Pure: outcomes in, times out. An outcome teaches by what the host answered, not by what the node
// made of the page:
//
//   a good answer             failures and back-off start from zero
//   a failure of the host     the back-off doubles: backoff_first, 2·, 4·, … up to backoff_max;
//                             without jitter, because only one scheduler asks a host
//   a failure of a URL        the host goes on at its pace. When urls_failing_max different URLs
//                             have failed in a row the host is in doubt: until the next good answer
//                             each failure counts as one of the host
//   not tried                 nothing
//
// An answer that breaks off behind its status line is a failure of its URL, and no answer.
//
// A failure speaks of the host when there was no connection (name, TCP, TLS), at 429, at 503 with
// Retry-After, and when it is robots.txt that cannot be had. After host_failures_max of these in a
// row without any answer the host is given up for a day, and for another day after each one more. A
// robots.txt without an answer is not among these, unless the host is in doubt: it is that of one
// port, of which the node asks nothing any more after a few attempts. Towards doubt it counts as a
// URL.
//
// A request keeps the host waiting for the longest of delay, crawl delay, back-off and Retry-After,
// from its end. A URL that fails waits by itself, besides (UrlPause).
//
// Of a host with several requests under way the delay counts from the start of each. Those that
// were under way when it failed have failed with it: they are one failure (LearnBeside).
#pragma once

#include <optional>

#include "absl/time/time.h"
#include "schedule/messages.h"

namespace opic::schedule {

struct PaceLimits {
  absl::Duration delay = absl::Seconds(1);  // between the end of a fetch and the next start
  absl::Duration crawl_delay_max = absl::Minutes(5);  // a longer Crawl-delay is cut to this
  absl::Duration retry_after_max = absl::Hours(1);    // a longer Retry-After is cut to this
  absl::Duration backoff_first = absl::Seconds(2);
  absl::Duration backoff_max = absl::Minutes(10);
  int host_failures_max = 6;  // the host's, without an answer, before it is given up
  int urls_failing_max = 10;  // different URLs failing in a row put the host in doubt
  absl::Duration give_up_for = absl::Hours(24);
  int parallel = 1;  // of its requests, at once (scheduler/host.h)
};

// Value type. Times are wall times: they outlive the process.
struct HostPace {
  absl::Time next_allowed = absl::InfinitePast();
  absl::Time given_up_until = absl::InfinitePast();
  absl::Duration crawl_delay = absl::ZeroDuration();  // as asked for, within crawl_delay_max
  absl::Duration backoff = absl::ZeroDuration();      // of the last answer; 0: none
  int failures = 0;  // of the host, consecutive, without any answer
  // Different ones in a row; at most urls_failing_max. Need not survive a crash before that: it
  // costs some requests more at the host's pace.
  int urls_failing = 0;

  bool given_up(absl::Time now) const { return now < given_up_until; }
  // The pause this host gets after a request that went well.
  absl::Duration Pause(const PaceLimits& limits) const;
  // Whether it is the host that fails, as far as its URLs tell.
  bool in_doubt(const PaceLimits& limits) const { return urls_failing >= limits.urls_failing_max; }
  // How long a URL is left alone that has failed `attempts` times: twice the host's pause, 4·, 8·,
  // … up to backoff_max, at least 250 ms at first; or as long as the answer asked for, where it
  // did not ask for the host.
  absl::Duration UrlPause(const Outcome& outcome, int attempts, const PaceLimits& limits) const;
  // Learns from `outcome`, whose request, if any, ended at `ended`. `first_attempt`: its URL has
  // not failed before. `started`: the delay counts from then, unless the host fails or has a crawl
  // delay; nothing: from the end. True: the host has failed.
  bool Learn(const Outcome& outcome, bool first_attempt, absl::Time ended, const PaceLimits& limits,
             std::optional<absl::Time> started = std::nullopt);
  // Learns from the outcome of a request that was under way when the host failed: only how long to
  // wait. That it failed, too, is not new, and an answer says nothing of the host as it is now.
  void LearnBeside(const Outcome& outcome, absl::Time ended, const PaceLimits& limits);
  // A restart or a lost session hides when the last request ended: it may have been just now.
  void WaitFullPause(absl::Time now, const PaceLimits& limits);
  // Cuts times that no outcome could have set, after the wall clock was put back.
  void CutFutureTimes(absl::Time now, const PaceLimits& limits);
  // A restart at `now` or later with a full pause would lose something: must survive a crash.
  bool OutlastsPause(absl::Time now, const PaceLimits& limits) const;

  friend bool operator==(const HostPace&, const HostPace&) = default;

 private:
  void LearnCrawlDelay(const Outcome& outcome, const PaceLimits& limits);
  void Rest(const Outcome& outcome, bool strained, absl::Time ended, absl::Time delay_from,
            const PaceLimits& limits);
};

// Whether a failure is one of the host, not of the URL asked for.
bool SpeaksOfHost(const Outcome& outcome);

}  // namespace opic::schedule
