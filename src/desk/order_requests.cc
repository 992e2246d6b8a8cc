// Implements a part of desk/order_desk.h. What has to hold before a request goes out, and what it
// asks.
#include <utility>

#include "base/status_macros.h"
#include "desk/duplicate.h"
#include "desk/order_desk.h"
#include "desk/page_answer.h"
#include "desk/sitemap_url.h"
#include "desk/store_failure.h"

namespace opic::desk {

// Validators are there when the page was fetched before: one more read, of a row that the visit
// rewrites anyway. Whether it was asked for before.
absl::StatusOr<bool> OrderDesk::AddValidators(Job& job, fetch::Request& request) const {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(job.order.page)));
  if (!row) return false;
  ASSIGN_OR_RETURN(const ledger::HistoryRow history,
                   ledger::ReadHistoryRow(job.order.page, *row, window_));
  job.left_out_before = LeftOutInRow(history.http_status);
  job.content_key_before = ContentKeyOf(*job.page, history);
  job.read_before = !history.etag.empty() || !history.last_modified.empty() ||
                    (history.fetches > 0 && history.kind == ledger::VisitKind::kFetched);
  // Of a duplicate, a 304 would not have the links that it pays when the first page is gone.
  if (ask_whole_ || job.left_out_before.duplicate) return history.fetches > 0;
  request.etag = history.etag;
  request.last_modified = history.last_modified;
  return history.fetches > 0;
}

std::string OrderDesk::OverBudget(const url::Url& url) const {
  if (allowance_ == nullptr) return "";
  absl::StatusOr<std::string> over = allowance_->OverBudget(url.host());
  EndOnStoreFailure("the budgets of hosts", over.status());
  return *std::move(over);
}

// Why it is not to be asked for after all; empty: it is begun.
std::string OrderDesk::BeginPage(Job& job, fetch::Request& request) const {
  const absl::StatusOr<bool> known = AddValidators(job, request);
  EndOnStoreFailure("the order desk", known.status());
  if (allowance_ == nullptr || *known) return "";
  absl::StatusOr<std::string> over = allowance_->Begin(job.order.page, job.page->host());
  EndOnStoreFailure("the budgets of hosts", over.status());
  return *std::move(over);
}

void OrderDesk::GiveBack(const Job& job) {
  pages_left_.Return();
  if (allowance_ != nullptr) allowance_->GiveBack(job.order.page);
}

bool OrderDesk::IsTooLate(const Job& job) const {
  return may_ask_ && (clock_.Steady() > job.taken + schedule::kOrderPatience ||
                      !may_ask_(std::string(job.asked->host())));
}

// Of the origin of a page, which may find it on another one.
std::string OrderDesk::NameOfRobots(const Job& job) {
  return std::string(job.page->host()) + " " + job.asked->text();
}

// False: another order asks for it.
bool OrderDesk::BeginRobots(const Job& job) {
  absl::MutexLock lock(&mu_);
  return robots_asked_.try_emplace(NameOfRobots(job), job.order.page).second;
}

// Whose robots.txt is known by now.
bool OrderDesk::IsSitemap(const url::Url& page) {
  if (LooksLikeSitemap(page)) return true;
  if (!IsPacked(page)) return false;
  const absl::StatusOr<RobotsCache::Verdict> verdict = robots_.Lookup(page, clock_.Now());
  EndOnStoreFailure("the memory of robots.txt verdicts", verdict.status());
  return verdict->rules && IsNamed(page, verdict->rules->sitemaps());
}

void OrderDesk::Submit(Job job) {
  if (asks_no_more_ || IsTooLate(job) || IsBlocked(*job.asked) || without_network())
    return Postpone(job);
  if (bodies_.full()) {
    counters_.Add(Counter::kNoRoom);
    return Postpone(job, /*no_room=*/true);
  }
  if (job.robots && !BeginRobots(job)) return Postpone(job);
  fetch::Request request;
  request.url = job.asked->text();
  request.any_type = job.robots || IsSitemap(*job.asked);
  if (job.robots) {
    request.body_bytes_max = robots::kRobotsBytesMax + 1;  // one more: it is known to be cut
  } else {
    if (!pages_left_.Take()) return Postpone(job);
    request.cookies = options_.cookies;
    if (std::string over = BeginPage(job, request); !over.empty()) {
      pages_left_.Return();
      return PostponeOverBudget(job, std::move(over));
    }
  }
  {
    absl::MutexLock lock(&mu_);
    request.ticket = next_ticket_++;
    jobs_.emplace(request.ticket, std::move(job));
  }
  const uint64_t ticket = request.ticket;
  if (fetcher_->Submit(std::move(request))) return;
  const Job refused = TakeJob(ticket);
  if (!refused.robots) GiveBack(refused);
  Postpone(refused);
}

}  // namespace opic::desk
