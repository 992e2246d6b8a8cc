// Implements a part of desk/order_desk.h. What the order desk tells: the scheduler of each order,
// the ledger of each page, the fetch log of each request.
#include <utility>

#include "base/log.h"
#include "desk/order_desk.h"
#include "desk/page_answer.h"
#include "url/scope.h"

namespace opic::desk {

schedule::Outcome OrderDesk::OutcomeOf(const Job& job, schedule::Result result,
                                       const fetch::Response* response) const {
  schedule::Outcome outcome;
  outcome.page = job.order.page;
  outcome.result = result;
  const std::optional<url::Url>& named = job.asked ? job.asked : job.page;
  if (named) outcome.host = std::string(named->host());
  outcome.ended = clock_.Steady();
  if (response == nullptr) return outcome;
  outcome.requested = response->sent;
  // Given by the clock that pauses are measured with; if the wall clock has stepped since, the
  // scheduler takes it for just now.
  outcome.ended -= clock_.Now() - response->ended;
  outcome.status = response->status;
  outcome.network_failure = IsNoAnswer(*response);
  outcome.retry_after = RetryAfter(response->retry_after, response->ended);
  outcome.address = response->address;
  return outcome;
}

// Sent before the lock is let go: a session that begins is told of the order, or of its outcome.
void OrderDesk::Answer(const Job& job, schedule::Outcome outcome) {
  absl::MutexLock lock(&mu_);
  if (job.robots) {
    const auto asked = robots_asked_.find(NameOfRobots(job));
    if (asked != robots_asked_.end() && asked->second == job.order.page) robots_asked_.erase(asked);
  }
  if (outcome.result == schedule::Result::kDone) {
    in_progress_[job.order.page].answered = true;
  } else {
    in_progress_.erase(job.order.page);
    // It is ordered again.
    if (job.redirect) robots_redirects_.Add({*job.page, *job.asked});
  }
  link_.Send(std::move(outcome));
}

// Nothing was asked of the host; the scheduler tries again a little later.
void OrderDesk::Postpone(const Job& job, bool no_room) {
  schedule::Outcome outcome = OutcomeOf(job, schedule::Result::kPostponed, nullptr);
  outcome.address_busy = true;
  outcome.no_room = no_room;
  Answer(job, std::move(outcome));
}

// The scheduler tries again when the host may be asked for more.
void OrderDesk::PostponeOverBudget(const Job& job, std::string over_budget) {
  schedule::Outcome outcome = OutcomeOf(job, schedule::Result::kPostponed, nullptr);
  outcome.address_busy = true;
  outcome.over_budget = std::move(over_budget);
  const std::string host = outcome.host;
  Answer(job, std::move(outcome));
  allowance_->ToldOverBudget(host);
}

std::vector<ledger::Link> OrderDesk::Named(std::vector<url::Url> urls) const {
  std::vector<ledger::Link> links;
  links.reserve(urls.size());
  for (url::Url& url : urls) {
    if (strip_tracking_) url = url::StripTracking(url);
    ledger::Link& link = links.emplace_back(ledger::Link{hash_.PageOf(url), {}});
    link.url = std::move(url).TakeText();
    // It is counted by its size, and may have room for a long base or fragment.
    if (link.url.capacity() > 2 * link.url.size()) link.url.shrink_to_fit();
  }
  return links;
}

// Of a page that has failed without a request. Those out of scope, and those that robots.txt
// forbids, may be many, and are only counted: a site could push out the lines of all requests.
std::optional<FetchLine> OrderDesk::UnaskedLine(ledger::VisitKind kind, PageFailure failure) const {
  if (kind != ledger::VisitKind::kFailed) return std::nullopt;
  FetchLine line;
  line.at = clock_.Now();
  line.requested = false;
  line.detail = Describe(failure);
  return line;
}

void OrderDesk::ReportVisit(const Job& job, ledger::VisitKind kind, const fetch::Response* response,
                            Reading reading, PageFailure failure, std::optional<FetchLine> line) {
  if (response == nullptr) line = UnaskedLine(kind, failure);
  counters_.Add(Counter::kPagesEnded);
  if (kind == ledger::VisitKind::kFetched || kind == ledger::VisitKind::kNotModified)
    counters_.Add(Counter::kPagesRead);
  if (failure.cause != Failure::kNone) counters_.Add(CounterOf(failure.cause));
  ledger::Visit visit = VisitOf(job.order.page, kind, response, std::move(reading.links));
  if (reading.canonical)
    visit.discovered = std::exchange(visit.links, {*std::move(reading.canonical)});
  visit.category = static_cast<uint8_t>(reading.category);
  if (reading.content_hash != 0) visit.content_hash = reading.content_hash;
  visit.content_key = reading.content_key;
  visit.content_key_before = job.content_key_before;
  visit.near_text = std::move(reading.near_text);
  // An answer that fails behind its status line has not the status for its cause.
  if (visit.http_status == 0 ||
      (failure.cause != Failure::kNone && failure.cause != Failure::kServer))
    visit.http_status = RowStatusOf(failure);
  visit.http_status = RowStatusOf(visit.http_status, reading.left_out);
  Report report{std::move(visit)};
  if (line) report.log_line = desk::Begin(Completed(job, ledger::Name(kind), *std::move(line)));
  report_(std::move(report));
}

// Nothing is held against the host; the order comes again.
void OrderDesk::PutOff(const Job& job, const fetch::Response& response) {
  if (response.error == fetch::Error::kNoDescriptor) NoteNoDescriptor();
  if (response.error == fetch::Error::kProxy) NoteProxyFailed(response);
  if (response.error == fetch::Error::kNoRoom) counters_.Add(Counter::kNoRoom);
  counters_.Add(Counter::kWireBytes, response.wire_bytes);
  if (!job.robots) GiveBack(job);
  schedule::Outcome outcome = OutcomeOf(job, schedule::Result::kPostponed, nullptr);
  outcome.requested = response.sent;  // the host's delay runs from here
  outcome.address = response.address;
  outcome.address_busy = true;
  outcome.no_room = response.error == fetch::Error::kNoRoom;
  Answer(job, std::move(outcome));
}

void OrderDesk::NoteNoDescriptor() {
  if (!CountAndTell(Counter::kNoDescriptor, descriptors_told_)) return;
  base::LogWarning(
      "this process has too many files open: fetches are put off ({} so far). Raise the limit "
      "(ulimit -n, LimitNOFILE) or lower --in-flight",
      counters_[Counter::kNoDescriptor]);
}

void OrderDesk::NoteProxyFailed(const fetch::Response& response) {
  if (!CountAndTell(Counter::kProxyFailed, proxy_told_)) return;
  base::LogWarning(
      "the proxy fails: {}. Fetches are put off ({} so far); repair it, or start again with "
      "another --proxy",
      response.detail, counters_[Counter::kProxyFailed]);
}

bool OrderDesk::CountAndTell(Counter counter, absl::Time& told) {
  counters_.Add(counter);
  const absl::Time now = clock_.Steady();
  if (now < told + absl::Seconds(10)) return false;
  told = now;
  return true;
}

FetchLine OrderDesk::Completed(const Job& job, std::string_view outcome, FetchLine line) {
  line.url = (line.requested ? job.asked : job.page)->text();
  line.outcome = std::string(outcome);
  if (!job.robots || !line.requested) {
    line.shard = job.order.page.shard().value;
    line.depth = job.depth;
    line.referrer = job.referrer;
  }
  return line;
}

void OrderDesk::Log(const Job& job, std::string_view outcome, FetchLine line) {
  fetch_log_.Append(Completed(job, outcome, std::move(line)));
}

}  // namespace opic::desk
