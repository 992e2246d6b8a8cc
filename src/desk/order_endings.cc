// Implements a part of desk/order_desk.h. What becomes of an answer: who hears of it, and the visit
// it is.
#include <utility>

#include "base/log.h"
#include "desk/desk_counters.h"
#include "desk/order_desk.h"
#include "desk/page_answer.h"
#include "desk/robots_answer.h"
#include "desk/store_failure.h"

namespace opic::desk {

OrderDesk::Job OrderDesk::TakeJob(uint64_t ticket) {
  absl::MutexLock lock(&mu_);
  const auto found = jobs_.find(ticket);
  OPIC_CHECK(found != jobs_.end()) << "a response to no request";
  Job job = std::move(found->second);
  jobs_.erase(found);
  return job;
}

bool OrderDesk::ComesAgain(const Job& job, const fetch::Response& response) {
  return !job.order.last_attempt &&
         (IsTransient(response) || AsksForItsCookie(response, *job.asked));
}

// The scheduler hears of a page's answer here, before a worker has looked at it: its host is free.
void OrderDesk::TakeAnswer(std::shared_ptr<Answered> answered) {
  const auto& [job, response] = *answered;
  if (!job.robots) {
    const bool again = ComesAgain(job, response);
    if (again) {
      GiveBack(job);
    } else if (allowance_ != nullptr) {  // before its host is free
      allowance_->Received(job.order.page, response.wire_bytes);
    }
    Answer(job, OutcomeOf(job, again ? schedule::Result::kTransient : schedule::Result::kDone,
                          &response));
  }
  const bool urgent = IsUrgent(job);
  // Refused only when stopping.
  urgent ? tasks_.TryPush(std::move(answered)) : tasks_.TryPushPatiently(std::move(answered));
}

// Whether an answer is to be looked at now: its order waits for that, memory does, or nothing else
// is to be done meanwhile.
bool OrderDesk::IsUrgent(const Job& job) const {
  return job.robots || bodies_.crowded() || in_progress() <= 1;
}

void OrderDesk::Finish(const Answered& answered) {
  const auto& [job, response] = answered;
  Count(response, job.robots, counters_);
  if (job.robots) {
    FinishRobots(job, response);
  } else {
    FinishPage(job, response);
  }
}

// Why nothing is asked of the page's origin, whose verdict is known: it ends with the last attempt
// at its robots.txt, and does not wait for a turn of its host, which would be a long wait by then.
Failure OrderDesk::Unreachable(const url::Url& page) {
  const absl::StatusOr<RobotsCache::Verdict> verdict = robots_.Lookup(page, clock_.Now());
  EndOnStoreFailure("the memory of robots.txt verdicts", verdict.status());
  return verdict->unreachable;
}

void OrderDesk::FinishRobots(const Job& job, const fetch::Response& response) {
  absl::StatusOr<RobotsCache::Learned> learned =
      robots_.Answered(*job.page, *job.asked, response, clock_.Now());
  EndOnStoreFailure("the memory of robots.txt verdicts", learned.status());
  FetchLine line = LineOf(response);
  line.robots = Name(AccessOf(response));
  line.links = learned->sitemaps.size();
  Log(job, "robots", std::move(line));
  schedule::Outcome outcome = OutcomeOf(
      job, job.redirect ? schedule::Result::kDone : schedule::Result::kPostponed, &response);
  outcome.crawl_delay = learned->crawl_delay;
  // Cut or broken it is of no use, whatever its status line says: the host has not answered.
  if (!IsAnswered(response) && FailureOf(response) != Failure::kAddress)
    outcome.network_failure = true;
  outcome.of_robots = true;
  const Failure unreachable =
      learned->settled && !job.redirect ? Unreachable(*job.page) : Failure::kNone;
  if (unreachable != Failure::kNone) outcome.result = schedule::Result::kDone;
  Answer(job, std::move(outcome));
  if (job.redirect) Handled(job.order.page);
  if (unreachable != Failure::kNone) {
    ReportVisit(job, ledger::VisitKind::kFailed, nullptr, {}, {unreachable, /*of_robots=*/true});
  }
  if (learned->sitemaps_left > 0) {
    counters_.Add(Counter::kLinksRejected, learned->sitemaps_left);
    counters_.Add(Counter::kSitemapsWait, learned->sitemaps_left);
    base::LogInfo("{} lists more than {} sitemaps; {} are left for the next fetches of it",
                  job.asked->text(), RobotsCache::kSitemapsAtOnce, learned->sitemaps_left);
  }
  if (!learned->sitemaps.empty())
    report_(Report{std::nullopt, Named(std::move(learned->sitemaps))});
}

void OrderDesk::FinishPage(const Job& job, const fetch::Response& response) {
  if (ComesAgain(job, response)) {
    counters_.Add(Counter::kTransient);
    Log(job, "retry", LineOf(response));
    return;
  }
  std::optional<url::Url> target;
  url::Rejected why = url::Rejected::kNone;
  if (!response.location.empty()) target = TargetOf(response, *job.page, &why);
  ledger::VisitKind kind = KindOf(response, target.has_value());
  const bool nothing_kept = kind == ledger::VisitKind::kNotModified && !job.read_before;
  if (nothing_kept) kind = ledger::VisitKind::kGone;
  FetchLine line = LineOf(response);
  Reading reading;
  if (kind == ledger::VisitKind::kFetched) {
    reading = Read(job, response, line);
    line.digest = reading.content_hash;
  } else if (kind == ledger::VisitKind::kRedirect) {
    reading.links = Named({*std::move(target)});
  } else if (kind == ledger::VisitKind::kNotModified) {
    reading.left_out = job.left_out_before;
  } else if (nothing_kept) {
    line.detail = "not modified, but it was never read";
  } else if (LeadsNowhere(response)) {
    counters_.Add(Counter::kNowhere);
    line.detail = WhyNowhere(response, why);
  }
  line.links = reading.links.size();
  const Failure failure = kind == ledger::VisitKind::kFailed ? FailureOf(response) : Failure::kNone;
  ReportVisit(job, kind, &response, std::move(reading), {failure}, std::move(line));
}

}  // namespace opic::desk
