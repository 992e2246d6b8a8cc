#include "schedule/host_pace.h"

#include <algorithm>

namespace opic::schedule {
namespace {

constexpr absl::Duration kUrlPauseFirst = absl::Milliseconds(250);

// A redirect that is tried again is one to the page itself, with the cookie that it has set.
bool IsFailure(const Outcome& outcome) {
  const bool redirect = outcome.status >= 300 && outcome.status < 400;
  return outcome.network_failure || (outcome.result == Result::kTransient && !redirect) ||
         outcome.status == 408 || outcome.status == 425 || outcome.status == 429 ||
         outcome.status >= 500;
}

absl::Duration Clamp(absl::Duration asked, absl::Duration most) {
  return std::clamp(asked, absl::ZeroDuration(), std::max(most, absl::ZeroDuration()));
}

}  // namespace

bool SpeaksOfHost(const Outcome& outcome) {
  // Without its robots.txt nothing goes on.
  if (outcome.result == Result::kPostponed || outcome.of_robots) return true;
  if (outcome.network_failure) return !outcome.requested;
  return outcome.status == 429 ||
         (outcome.status == 503 && outcome.retry_after > absl::ZeroDuration());
}

absl::Duration HostPace::Pause(const PaceLimits& limits) const {
  return std::max(limits.delay, Clamp(crawl_delay, limits.crawl_delay_max));
}

absl::Duration HostPace::UrlPause(const Outcome& outcome, int attempts,
                                  const PaceLimits& limits) const {
  const double times = 1 << std::clamp(attempts - 1, 0, 30);
  const absl::Duration pause = std::max(2 * Pause(limits), kUrlPauseFirst) * times;
  return std::max(std::min(pause, limits.backoff_max),
                  Clamp(outcome.retry_after, limits.retry_after_max));
}

void HostPace::LearnCrawlDelay(const Outcome& outcome, const PaceLimits& limits) {
  if (outcome.crawl_delay) crawl_delay = Clamp(*outcome.crawl_delay, limits.crawl_delay_max);
}

bool HostPace::Learn(const Outcome& outcome, bool first_attempt, absl::Time ended,
                     const PaceLimits& limits, std::optional<absl::Time> started) {
  LearnCrawlDelay(outcome, limits);
  const bool failed = IsFailure(outcome);
  const bool of_url = failed && !SpeaksOfHost(outcome);
  // No answer to robots.txt is one port's: others may be open. The node asks it a few times only.
  const bool of_port =
      outcome.network_failure && (outcome.result == Result::kPostponed || outcome.of_robots);
  // Attempts at the same URL say nothing new.
  if (((of_url && first_attempt) || of_port) && !in_doubt(limits)) ++urls_failing;
  const bool strained = failed && (!of_url || in_doubt(limits));
  if (outcome.network_failure) {
    if (strained && (!of_port || in_doubt(limits)) && ++failures >= limits.host_failures_max)
      given_up_until = ended + limits.give_up_for;
  } else if (outcome.status > 0) {
    failures = 0;
    given_up_until = absl::InfinitePast();
  }
  if (strained) {
    backoff = std::min(std::max(2 * backoff, limits.backoff_first), limits.backoff_max);
  } else if (outcome.status > 0 && !failed) {
    backoff = absl::ZeroDuration();
    urls_failing = 0;
  }
  const bool from_start = started && !strained && crawl_delay == absl::ZeroDuration();
  Rest(outcome, strained, ended, from_start ? *started : ended, limits);
  return strained;
}

void HostPace::LearnBeside(const Outcome& outcome, absl::Time ended, const PaceLimits& limits) {
  LearnCrawlDelay(outcome, limits);
  Rest(outcome, IsFailure(outcome) && SpeaksOfHost(outcome), ended, ended, limits);
}

void HostPace::Rest(const Outcome& outcome, bool strained, absl::Time ended, absl::Time delay_from,
                    const PaceLimits& limits) {
  const bool of_url = IsFailure(outcome) && !SpeaksOfHost(outcome);
  const absl::Duration asked = Clamp(outcome.retry_after, limits.retry_after_max);
  if (outcome.requested || strained) {
    next_allowed = std::max(next_allowed, delay_from + Pause(limits));
  }
  if (strained) next_allowed = std::max(next_allowed, ended + backoff);
  if (asked > absl::ZeroDuration() && !of_url) next_allowed = std::max(next_allowed, ended + asked);
}

void HostPace::WaitFullPause(absl::Time now, const PaceLimits& limits) {
  next_allowed = std::max(next_allowed, now + Pause(limits));
}

void HostPace::CutFutureTimes(absl::Time now, const PaceLimits& limits) {
  const absl::Duration longest =
      std::max({Pause(limits), limits.retry_after_max, limits.backoff_max});
  next_allowed = std::min(next_allowed, now + longest);
  given_up_until = std::min(given_up_until, now + limits.give_up_for);
}

bool HostPace::OutlastsPause(absl::Time now, const PaceLimits& limits) const {
  return crawl_delay > absl::ZeroDuration() || backoff > absl::ZeroDuration() || failures > 0 ||
         next_allowed > now + Pause(limits);
}

}  // namespace opic::schedule
