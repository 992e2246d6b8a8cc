// Implements a part of scheduler/scheduler_core.h. What the scheduler says to people about itself.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "scheduler/scheduler_core.h"

namespace opic::scheduler {
namespace {

// "3.2s", never finer than milliseconds nor negative.
std::string Until(absl::Time time, absl::Time now) {
  const absl::Duration left = std::max(time - now, absl::ZeroDuration());
  return absl::FormatDuration(absl::Ceil(left, absl::Milliseconds(1)));
}

// Of a host whose queue is held back, for the end of a sentence.
std::string PagesWait(uint64_t queued) {
  if (queued == 0) return "";
  return absl::StrCat(
      "; ", base::Counted(queued, "page waits, with its cash", "pages wait, with their cash"));
}

std::string PaceReason(const schedule::HostPace& pace, const schedule::PaceLimits& limits,
                       const schedule::HostRule* rule, absl::Time now) {
  if (pace.backoff > absl::ZeroDuration()) {
    std::string after = "a temporary error";
    if (pace.in_doubt(limits)) {
      after = absl::StrCat(limits.urls_failing_max, " or more of its URLs failed in a row");
    } else if (pace.failures > 0) {
      after = base::Counted(pace.failures, "failed request");
    }
    return absl::StrCat("Backing off after ", after, "; next request in ",
                        Until(pace.next_allowed, now), ".");
  }
  const bool by_file = rule != nullptr && (rule->from_file & schedule::HostRule::kDelay) != 0 &&
                       pace.Pause(limits) == rule->delay;
  return absl::StrCat(
      "Waiting for the host's delay; next request in ", Until(pace.next_allowed, now),
      by_file ? absl::StrCat(" (", absl::FormatDuration(*rule->delay), " by the node's hosts file)")
              : "",
      ".");
}

}  // namespace

SchedulerStatus SchedulerCore::status(absl::Time now) const {
  SchedulerStatus status;
  status.queued = pages_.queued();
  status.withheld = pages_.withheld();
  status.queued_on_disk = pages_.on_disk();
  status.in_flight = open_orders_.size();
  status.hosts = hosts_->size();
  status.hosts_ready = line_.due(now);
  status.hosts_given_up = hosts_->given_up(now);
  status.orders = counts_.orders;
  status.outcomes = counts_.outcomes;
  status.transient = counts_.transient;
  status.postponed = counts_.postponed;
  status.exhausted =
      session_ && pages_.queued() == 0 && open_orders_.empty() && demand_.exhausted();
  status.pages_per_s_max = budget_.pages_per_s.value_or(options_.pages_per_s_max);
  status.delay = limits_.delay;
  status.rate_was_set = budget_.pages_per_s.has_value();
  status.delay_was_set = budget_.delay.has_value();
  status.idle_reason = IdleReason(now);
  return status;
}

std::string SchedulerCore::IdleReason(absl::Time now) const {
  if (stopped_) return "the scheduler has stopped";
  if (!session_) return "no node is connected";
  if (without_network_) return "the node has no network; it waits until something answers";
  if (fetches_max_ == 0) return "the node has paused fetching";
  if (open_orders_.size() >= fetches_max_) return "";
  if (line_.next() <= now) {
    if (rate_.Allows(now)) return "";
    return absl::StrCat("the budget of pages per second is used up; the next page in ",
                        Until(rate_.next(), now));
  }
  if (!spill_works_) return "queued pages cannot be written to disk";
  if (pages_.queued() > pages_.withheld()) {
    const uint64_t waiting = pages_.hosts() - pages_.hosts_withheld();
    const std::string hosts =
        waiting == 1 ? "the only host with queued pages"
                     : absl::StrCat("each of the ", waiting, " hosts with queued pages");
    if (line_.next() == absl::InfiniteFuture()) {
      return absl::StrCat(hosts, " is being fetched from, or its IP address ",
                          line_.groups() > 0 ? "or group is" : "is",
                          leases_->lending() ? ", or it is on loan to another node" : "");
    }
    if (no_room_until_ > now) {
      return absl::StrCat("the node's memory for answers was full (--memory); the next host in ",
                          Until(line_.next(), now));
    }
    if (pages_.queued() == pages_.waiting()) {
      return absl::StrCat(
          base::Counted(pages_.queued(), "page is left that has failed and is tried again",
                        "pages are left that have failed and are tried again"),
          ", on ", base::Counted(waiting, "host"), "; the first in ", Until(line_.next(), now));
    }
    return absl::StrCat(hosts, " must wait for its ", line_.groups() > 0 ? "delay, group" : "delay",
                        " or IP address; the next one in ", Until(line_.next(), now));
  }
  if (demand_.open()) return "nothing is queued; waiting for offers of the node";
  if (!open_orders_.empty())
    return absl::StrCat("only ", base::Counted(open_orders_.size(), "fetch is", "fetches are"),
                        " left");
  if (pages_.withheld() > 0) {
    return absl::StrCat("only pages of hosts that are blocked or past their budgets are left: ",
                        pages_.withheld(), " on ", base::Counted(pages_.hosts_withheld(), "host"));
  }
  return demand_.exhausted() ? "no page is left to fetch" : "nothing is queued";
}

HostExplanation SchedulerCore::Explain(const std::string& name, absl::Time now) const {
  HostExplanation explanation;
  const Host* host = hosts_->Find(name);
  const schedule::HostRule* block = hosts_->rules().BlockOf(name);
  schedule::HostPace pace;
  if (host != nullptr) {
    pace = host->pace;
  } else if (const auto stored = hosts_->Stored(name)) {
    pace = *stored;
  } else {
    explanation.reason = "No page of this host is queued, and nothing is remembered about it.";
    if (block != nullptr) explanation.reason = BlockedReason(*block, 0);
    return explanation;
  }
  explanation.known = true;
  explanation.next_allowed = pace.next_allowed;
  explanation.delay = pace.Pause(hosts_->LimitsOf(name));
  explanation.parallel = hosts_->LimitsOf(name).parallel;
  explanation.failures = pace.failures;
  explanation.given_up = pace.given_up(now);
  explanation.reason =
      block != nullptr ? BlockedReason(*block, 0) : "No page of this host is queued.";
  if (host == nullptr) return explanation;
  if (block == nullptr && !host->over_budget.empty()) explanation.reason = BudgetReason(*host);
  explanation.queued = host->queue.size();
  explanation.in_flight = host->in_flight > 0;
  if (host->address != nullptr) explanation.address = host->address->name;
  if (host->in_flight > 0 || !host->queue.empty()) explanation.reason = QueuedReason(*host, now);
  return explanation;
}

// REQUIRES: it has queued pages, or one in flight.
HostWait SchedulerCore::WaitOf(const Host& host, absl::Time now) const {
  if (host.in_flight > 0) return HostWait::kFetching;
  if (!session_) return HostWait::kNoNode;
  if (host.queue.withheld)
    return hosts_->rules().BlockOf(host.name) != nullptr ? HostWait::kBlocked : HostWait::kBudget;
  if (leases_->lending() && !host.lease) return HostWait::kOnLoan;
  if (host.pace.given_up(now)) return HostWait::kGivenUp;
  if (host.queue.first_time() > std::max({now, host.pace.next_allowed, host.hold_until}))
    return HostWait::kRetries;
  if (host.pace.next_allowed > now)
    return host.pace.backoff > absl::ZeroDuration() ? HostWait::kBackoff : HostWait::kDelay;
  if (host.hold_until > now) return host.no_room ? HostWait::kRoom : HostWait::kHeld;
  if (host.waits_for != nullptr)
    return host.waits_for->is_group ? HostWait::kGroup : HostWait::kAddress;
  if (fetches_max_ == 0) return HostWait::kPaused;
  if (open_orders_.size() >= fetches_max_) return HostWait::kFetches;
  return rate_.Allows(now) ? HostWait::kNext : HostWait::kRate;
}

std::string SchedulerCore::BlockedReason(const schedule::HostRule& rule, uint64_t queued) const {
  const std::string with = rule.domain ? absl::StrCat(" with its domain ", rule.name) : "";
  const std::string pages = PagesWait(queued);
  if ((rule.from_file & schedule::HostRule::kBlock) != 0) {
    return absl::StrCat("Blocked by the node's hosts file", with, pages,
                        " (take it out of the file and send SIGHUP to the node).");
  }
  return absl::StrCat("Blocked by an operator", with, pages, " (`opic control unblock ",
                      rule.domain ? "--domain " : "", rule.name, "` ends that).");
}

std::string SchedulerCore::BudgetReason(const Host& host) const {
  const bool by_file = host.over_budget.ends_with(schedule::kByHostsFile);
  return absl::StrCat("Its budget is used up: ", host.over_budget, PagesWait(host.queue.size()),
                      by_file ? " (change the file and send SIGHUP to the node)."
                              : " (`opic control host` with --pages or --bytes gives it another).");
}

std::string SchedulerCore::GroupReason(const Crowd& group, absl::Time now) const {
  if (const std::string one = schedule::WithOwnShare(group.name); !one.empty()) {
    return absl::StrCat("Waiting for the share of ", one, ", ", group.share * 100,
                        "% of --rate (by the node's hosts file); the next one in ",
                        Until(line_.OpensAt(group, now), now), ".");
  }
  std::string asked = absl::StrCat("Waiting for its group ", group.name, ", whose hosts");
  if (group.at_once > 0) {
    absl::StrAppend(
        &asked, " are asked ",
        group.at_once == 1 ? "one request" : absl::StrCat("at most ", group.at_once, " requests"),
        " at a time");
  }
  if (group.delay > absl::ZeroDuration() || group.at_once == 1)
    absl::StrAppend(&asked, ", with a delay of ", absl::FormatDuration(group.delay));
  if (group.share > 0) {
    absl::StrAppend(&asked, group.at_once > 0 ? ", and" : "", " get ", group.share * 100,
                    "% of --rate");
  }
  asked += " (by the node's hosts file)";
  if (group.at_once > 0 && group.in_flight >= group.at_once) {
    return absl::StrCat(asked, "; ", group.in_flight == 1 ? "one is" : "all are", " under way.");
  }
  return absl::StrCat(asked, "; the next one in ", Until(line_.OpensAt(group, now), now), ".");
}

std::string SchedulerCore::FetchingReason(const Host& host) {
  if (host.parallel == 1 && host.in_flight == 1)
    return "One of its pages is being fetched; a host has one fetch at a time.";
  std::string now = absl::StrCat(
      base::Counted(host.in_flight, "of its pages is", "of its pages are"),
      " being fetched; it may have ", base::Counted(host.parallel, "fetch", "fetches"), " at once");
  if (host.width() == host.parallel) return now + ".";
  return absl::StrCat(now, ", but one ",
                      !host.answers ? "until it has answered"
                      : host.pace.backoff > absl::ZeroDuration()
                          ? "while it fails"
                          : "because its robots.txt has a Crawl-delay",
                      ".");
}

std::string SchedulerCore::QueuedReason(const Host& host, absl::Time now) const {
  switch (WaitOf(host, now)) {
    case HostWait::kFetching:
      return FetchingReason(host);
    case HostWait::kNoNode:
      return "No node is connected.";
    case HostWait::kBlocked: {
      const schedule::HostRule* block = hosts_->rules().BlockOf(host.name);
      return BlockedReason(*block, host.queue.size());
    }
    case HostWait::kBudget:
      return BudgetReason(host);
    case HostWait::kOnLoan:
      return "Waiting for its turn: a host is lent to one node of the cluster at a time.";
    case HostWait::kGivenUp:
      return absl::StrCat(
          "Given up after ", host.pace.failures, " requests without an answer, for ",
          Until(host.pace.given_up_until, now),
          " more, or until `opic crawl --again`; its pages are settled without a request.");
    case HostWait::kRetries:
      return absl::StrCat("Its pages left have failed and are tried again; the first in ",
                          Until(host.queue.first_time(), now), ".");
    case HostWait::kBackoff:
    case HostWait::kDelay:
      return PaceReason(host.pace, hosts_->LimitsOf(host.name),
                        hosts_->rules().DelayRuleOf(host.name), now);
    case HostWait::kRoom:
      return absl::StrCat("The node's memory for answers was full (--memory); again in ",
                          Until(host.hold_until, now), ".");
    case HostWait::kHeld:
      return absl::StrCat(
          "The node put its last request off, for want of open files, its proxy or its network "
          "(`opic status` counts these), or at a limit; tried again in ",
          Until(host.hold_until, now), ".");
    case HostWait::kAddress:
      return absl::StrCat("Waiting for its IP address ", host.address->name, ", with ",
                          base::Counted(host.address->in_flight, "fetch", "fetches"),
                          " under way there.");
    case HostWait::kGroup:
      return GroupReason(*host.group, now);
    case HostWait::kPaused:
      return without_network_ ? "The node has no network." : "The node has paused fetching.";
    case HostWait::kFetches:
      return fetches_max_ == 1 ? "Ready; the only fetch is in use."
                               : absl::StrCat("Ready; all ", fetches_max_, " fetches are in use.");
    case HostWait::kRate:
      return "Ready; the budget of pages per second is used up.";
    case HostWait::kNext:
      break;
  }
  return "Ready; it is ordered next.";
}

WaitingReport SchedulerCore::ExplainAll(absl::Time now) const {
  WaitingReport report;
  report.idle_reason = IdleReason(now);
  hosts_->ForEach([&](const Host* host) {
    if (host->queue.empty()) return;
    const HostWait wait = WaitOf(*host, now);
    WaitingHosts& waiting = report.reasons[static_cast<size_t>(wait)];
    ++waiting.hosts;
    waiting.pages += host->queue.size();
    const bool timed = wait == HostWait::kGivenUp || wait == HostWait::kRetries ||
                       wait == HostWait::kBackoff || wait == HostWait::kDelay ||
                       wait == HostWait::kRoom || wait == HostWait::kHeld;
    const absl::Time ready = wait == HostWait::kGivenUp ? host->pace.given_up_until
                             : timed                    ? host->ReadyTime(now)
                                                        : absl::InfiniteFuture();
    if (waiting.example.empty() || ready < waiting.first) {
      waiting.example = host->name;
      waiting.first = ready;
    }
  });
  return report;
}

std::string_view Name(HostWait wait) {
  static constexpr std::array<std::string_view, kHostWaits> kNames = {
      "fetching", "no_node", "blocked", "budget", "on_loan", "given_up",
      "retries",  "backoff", "delay",   "room",   "held",    "address",
      "group",    "paused",  "fetches", "rate",   "next"};
  return kNames[static_cast<size_t>(wait)];
}

}  // namespace opic::scheduler
