#include "node/order_desk.h"

#include <pthread.h>
#include <time.h>

#include "absl/strings/numbers.h"
#include "archive/gunzip.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "links/links.h"

namespace opic::node {
namespace {

// Errands are no pages: they live in a shard number that no cluster has (at most 2^15 shards are
// used with one).
constexpr ShardId kErrandShard{0xffff};

PageId ErrandId(const url::Url& url) {
  return PageId(kErrandShard, base::Hash64(url.text()) & (kPageIdCount - 1));
}

constexpr size_t kTasksMax = 8192;
constexpr size_t kEtagBytesMax = 256, kLastModifiedBytesMax = 64;  // longer validators are not kept

// Answers that may be another one soon (RFC 9110 section 15).
bool IsTransientStatus(int status) {
  return status == 408 || status == 425 || status == 429 ||
         (status >= 500 && status != 501 && status != 505);
}

bool IsFinalError(fetch::Error error) {
  return error == fetch::Error::kHeaderTooLarge || error == fetch::Error::kBadEncoding ||
         error == fetch::Error::kRefusedAddress;
}

bool Answered(const fetch::Response& response) {
  return response.error == fetch::Error::kNone || response.error == fetch::Error::kBodyTooLarge;
}

bool IsTransient(const fetch::Response& response) {
  return Answered(response) ? IsTransientStatus(response.status) : !IsFinalError(response.error);
}

// Seconds or an HTTP date (RFC 9110 section 10.2.3); zero when absent or senseless.
absl::Duration RetryAfter(const std::string& value, absl::Time now) {
  int64_t seconds = 0;
  if (absl::SimpleAtoi(value, &seconds))
    return seconds > 0 ? absl::Seconds(seconds) : absl::ZeroDuration();
  absl::Time when;
  if (absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", value, &when, nullptr) && when > now)
    return when - now;
  return absl::ZeroDuration();
}

}  // namespace

absl::StatusOr<std::unique_ptr<OrderDesk>> OrderDesk::Start(
    const CrawlOptions& options, const importance::Window& window, const url::UrlHash& hash,
    store::Store& store, base::Clock& clock, const std::string& fetch_log, SchedulerLink& link,
    std::function<void(Report)> report) {
  std::unique_ptr<OrderDesk> desk(
      new OrderDesk(options, window, hash, store, clock, fetch_log, link, std::move(report)));
  OrderDesk* raw = desk.get();
  ASSIGN_OR_RETURN(desk->fetcher_,
                   fetch::Fetcher::Start(options.fetch, [raw](fetch::Response response) {
                     raw->OnResponse(std::move(response));
                   }));
  for (int i = 0; i < std::max(1, options.workers); ++i)
    desk->workers_.emplace_back([raw] { raw->Work(); });
  return desk;
}

OrderDesk::OrderDesk(const CrawlOptions& options, const importance::Window& window,
                     const url::UrlHash& hash, store::Store& store, base::Clock& clock,
                     const std::string& fetch_log, SchedulerLink& link,
                     std::function<void(Report)> report)
    : options_(options),
      hash_(hash),
      store_(store),
      clock_(clock),
      window_(window),
      robots_({.product_token = options.product_token,
               .lifetime = options.robots_lifetime,
               .unreachable_lifetime = options.robots_unreachable_lifetime},
              store),
      fetch_log_(fetch_log),
      link_(link),
      report_(std::move(report)),
      tasks_(kTasksMax) {}

OrderDesk::~OrderDesk() { Stop(); }

void OrderDesk::Stop() {
  if (stopped_.exchange(true)) return;
  if (fetcher_) fetcher_->Stop();
  tasks_.Close();
  for (std::thread& worker : workers_) worker.join();
}

void OrderDesk::Take(std::vector<schedule::Order> orders) {
  bool room = true;
  {
    absl::MutexLock lock(&mu_);
    // Answered early, orders are not bounded by the fetches under way: what waits for a worker or
    // the ledger is.
    room = !paused_ && in_progress_.size() + orders.size() <= kTasksMax / 2;
    for (const schedule::Order& order : orders) in_progress_.try_emplace(order.page);
  }
  for (const schedule::Order& order : orders) {
    if (room) {
      tasks_.Push(order);
    } else {
      Job job;
      job.order = order;
      Postpone(job);
    }
  }
}

std::vector<schedule::InFlight> OrderDesk::InFlight() const {
  absl::MutexLock lock(&mu_);
  std::vector<schedule::InFlight> pages;
  for (const auto& [page, progress] : in_progress_) {
    if (!progress.answered) pages.push_back({page, progress.host});
  }
  return pages;
}

std::vector<PageId> OrderDesk::InProgress() const {
  absl::MutexLock lock(&mu_);
  std::vector<PageId> pages;
  for (const auto& [page, progress] : in_progress_) pages.push_back(page);
  return pages;
}

size_t OrderDesk::in_flight() const { return static_cast<size_t>(fetcher_->in_flight()); }

size_t OrderDesk::in_progress() const {
  absl::MutexLock lock(&mu_);
  return in_progress_.size();
}

void OrderDesk::Handled(PageId page) {
  absl::MutexLock lock(&mu_);
  in_progress_.erase(page);
}

absl::Duration OrderDesk::worker_cpu() const {
  absl::Duration sum;
  for (const std::thread& worker : workers_) {
    clockid_t clock;
    timespec time{};
    if (pthread_getcpuclockid(const_cast<std::thread&>(worker).native_handle(), &clock) == 0 &&
        clock_gettime(clock, &time) == 0) {
      sum += absl::DurationFromTimespec(time);
    }
  }
  return sum;
}

void OrderDesk::Work() {
  while (std::optional<Task> task = tasks_.Pop()) {
    if (stopped_) continue;
    if (auto* order = std::get_if<schedule::Order>(&*task)) {
      Begin(*order);
    } else {
      Finish(std::get<fetch::Response>(*std::move(task)));
    }
  }
}

void OrderDesk::Begin(const schedule::Order& order) {
  Job job;
  {
    absl::MutexLock lock(&mu_);
    const auto errand = errands_.find(order.page);
    if (errand != errands_.end()) {
      job = errand->second;
      errands_.erase(errand);
    }
  }
  job.order = order;
  if (job.robots) {
    Submit(std::move(job));
  } else if (order.page.shard() == kErrandShard) {  // of a session before
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    Handled(order.page);
  } else {
    const absl::Status prepared = Prepare(job);
    // The store cannot be read: whatever follows would be in doubt.
    OPIC_CHECK(prepared.ok()) << prepared.ToString();
  }
}

// Finds out what the order needs and begins it: a visit without a request, a robots.txt, or the
// page.
absl::Status OrderDesk::Prepare(Job& job) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kPage, ledger::KeyOf(job.order.page)));
  if (!row) return absl::DataLossError("an ordered page has no row in the store");
  ASSIGN_OR_RETURN(const ledger::PageRow page, ledger::DecodePageRow(*row));
  job.page = url::Parse(page.url);
  if (!job.page) return absl::DataLossError("a page row has no URL: " + page.url);
  {
    absl::MutexLock lock(&mu_);
    in_progress_[job.order.page].host = std::string(job.page->host());
  }
  if (job.order.host_given_up) {
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    ReportVisit(job, ledger::VisitKind::kFailed, nullptr, {});
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const RobotsCache::Verdict verdict, robots_.Lookup(*job.page, clock_.Now()));
  if (verdict.fetch && verdict.fetch->host() != job.page->host()) {
    SendErrand(job, *verdict.fetch);
    Postpone(job);
  } else if (verdict.fetch) {
    job.robots = true;
    job.asked = verdict.fetch;
    Submit(std::move(job));
  } else if (!verdict.rules->Allows(job.page->path_and_query())) {
    ++counters_.forbidden;
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    ReportVisit(job,
                verdict.unreachable ? ledger::VisitKind::kFailed : ledger::VisitKind::kForbidden,
                nullptr, {});
  } else {
    job.asked = job.page;
    Submit(std::move(job));
  }
  return absl::OkStatus();
}

// A robots.txt on another host is fetched in a slot of that host: offered like a page, first of
// all.
void OrderDesk::SendErrand(const Job& job, const url::Url& robots) {
  Job errand = job;
  errand.robots = true;
  errand.asked = robots;
  const PageId id = ErrandId(robots);
  {
    absl::MutexLock lock(&mu_);
    if (in_progress_.contains(id) || !errands_.emplace(id, std::move(errand)).second)
      return;  // on its way already
  }
  link_.Send(schedule::Offers{0, {{id, std::string(robots.host()), cash::kSupply}}, false});
}

// Validators are there when the page was fetched before: one more read, of a row that the visit
// rewrites anyway.
absl::Status OrderDesk::AddValidators(const Job& job, fetch::Request& request) const {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(job.order.page)));
  if (!row) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ledger::HistoryRow history, ledger::DecodeHistoryRow(*row, window_));
  request.etag = history.etag;
  request.last_modified = history.last_modified;
  return absl::OkStatus();
}

void OrderDesk::SetPagesLeft(uint64_t pages) {
  absl::MutexLock lock(&mu_);
  pages_left_ = pages;
}

bool OrderDesk::TakePage() {
  absl::MutexLock lock(&mu_);
  if (!pages_left_) return true;
  if (*pages_left_ == 0) return false;
  --*pages_left_;
  return true;
}

void OrderDesk::ReturnPage() {
  absl::MutexLock lock(&mu_);
  if (pages_left_) ++*pages_left_;
}

void OrderDesk::Submit(Job job) {
  fetch::Request request;
  request.url = job.asked->text();
  if (job.robots) {
    request.body_bytes_max = robots::kRobotsBytesMax;
  } else {
    if (!TakePage()) return Postpone(job);
    const absl::Status added = AddValidators(job, request);
    OPIC_CHECK(added.ok()) << added.ToString();
  }
  {
    absl::MutexLock lock(&mu_);
    request.ticket = next_ticket_++;
    jobs_.emplace(request.ticket, job);
  }
  const uint64_t ticket = request.ticket;
  if (fetcher_->Submit(std::move(request))) return;
  {
    absl::MutexLock lock(&mu_);
    jobs_.erase(ticket);
  }
  if (!job.robots) ReturnPage();
  Postpone(job);
}

// The scheduler hears of a page's answer here, before a worker has looked at it: its host is free.
void OrderDesk::OnResponse(fetch::Response response) {
  Job job;
  {
    absl::MutexLock lock(&mu_);
    const auto found = jobs_.find(response.ticket);
    OPIC_CHECK(found != jobs_.end()) << "a response to no request";
    job = found->second;
  }
  if (response.error == fetch::Error::kStopped) return;
  if (response.error == fetch::Error::kAddressBusy) {
    if (!job.robots) ReturnPage();
    schedule::Outcome outcome = OutcomeOf(job, schedule::Result::kPostponed, &response);
    outcome.address_busy = true;
    outcome.requested = false;
    {
      absl::MutexLock lock(&mu_);
      jobs_.erase(response.ticket);
    }
    Answer(job, std::move(outcome));
    return;
  }
  if (!job.robots) {
    const bool again = IsTransient(response) && !job.order.last_attempt;
    if (again) ReturnPage();
    Answer(job, OutcomeOf(job, again ? schedule::Result::kTransient : schedule::Result::kDone,
                          &response));
  }
  tasks_.TryPush(std::move(response));  // refused only when stopping
}

void OrderDesk::Finish(fetch::Response response) {
  Job job;
  {
    absl::MutexLock lock(&mu_);
    const auto found = jobs_.find(response.ticket);
    job = std::move(found->second);
    jobs_.erase(found);
  }
  counters_.wire_bytes += response.wire_bytes;
  counters_.body_bytes += response.body.size();
  job.robots ? ++counters_.robots_requests : ++counters_.requests;
  if (response.error == fetch::Error::kBodyTooLarge) {
    ++counters_.too_large;
  } else if (response.error != fetch::Error::kNone) {
    ++counters_.network_errors;
  }
  if (response.status >= 400 && !job.robots) ++counters_.http_errors;
  if (job.robots) {
    FinishRobots(job, response);
  } else {
    FinishPage(job, response);
  }
}

void OrderDesk::FinishRobots(const Job& job, const fetch::Response& response) {
  absl::StatusOr<RobotsCache::Learned> learned =
      robots_.Answered(*job.page, *job.asked, response, clock_.Now());
  OPIC_CHECK(learned.ok()) << learned.status().ToString();
  Log(job, response, "robots", learned->sitemaps.size());
  const bool errand = job.order.page.shard() == kErrandShard;
  schedule::Outcome outcome =
      OutcomeOf(job, errand ? schedule::Result::kDone : schedule::Result::kPostponed, &response);
  outcome.crawl_delay = learned->crawl_delay;
  Answer(job, std::move(outcome));
  if (errand) Handled(job.order.page);
  if (!learned->sitemaps.empty())
    report_(Report{std::nullopt, Named(std::move(learned->sitemaps))});
}

void OrderDesk::FinishPage(const Job& job, const fetch::Response& response) {
  using ledger::VisitKind;
  const bool transient = IsTransient(response);
  if (transient && !job.order.last_attempt) {
    ++counters_.transient;
    Log(job, response, "retry", 0);
    return;
  }
  VisitKind kind = VisitKind::kGone;
  std::vector<ledger::Link> links;
  if (transient || !Answered(response)) {
    kind = VisitKind::kFailed;
  } else if (response.status == 304) {
    kind = VisitKind::kNotModified;
  } else if (response.status >= 200 && response.status < 300) {
    kind = VisitKind::kFetched;
    links = LinksOf(job, response);
  } else if (response.status >= 300 && response.status < 400 && !response.location.empty()) {
    if (std::optional<url::Url> target = url::Parse(response.location, &*job.page)) {
      kind = VisitKind::kRedirect;
      links = Named({*std::move(target)});
    }
  }
  Log(job, response, ledger::Name(kind), links.size());
  ReportVisit(job, kind, &response, std::move(links));
}

std::vector<ledger::Link> OrderDesk::LinksOf(const Job& job, const fetch::Response& response) {
  links::Document document;
  document.body = response.body;
  document.content_type = response.content_type;
  std::string unpacked;
  if (archive::IsGzip(
          response.body)) {  // a packed sitemap; what was readable of a damaged one counts
    const absl::StatusOr<std::string> whole =
        archive::Gunzip(response.body, options_.fetch.body_bytes_max, &unpacked);
    if (whole.ok()) unpacked = *whole;
    document.body = unpacked;
    document.content_type = "";  // says "gzip"; what is inside is sniffed
  }
  document.x_robots_tag = response.x_robots_tag;
  document.url = &*job.page;
  document.product_token = options_.product_token;
  links::Result found = links::Extract(document, options_.links);
  counters_.links_found += found.links.size();
  counters_.links_rejected += found.rejected;
  if (found.parser == links::Parser::kScanner) ++counters_.scanner_pages;
  return Named(std::move(found.links));
}

std::vector<ledger::Link> OrderDesk::Named(std::vector<url::Url> urls) const {
  std::vector<ledger::Link> links;
  links.reserve(urls.size());
  for (url::Url& url : urls) {
    if (options_.strip_tracking) url = url::StripTracking(url);
    links.push_back({hash_.PageOf(url), url.text()});
  }
  return links;
}

schedule::Outcome OrderDesk::OutcomeOf(const Job& job, schedule::Result result,
                                       const fetch::Response* response) const {
  schedule::Outcome outcome;
  outcome.page = job.order.page;
  outcome.result = result;
  const std::optional<url::Url>& named = job.asked ? job.asked : job.page;
  if (named) outcome.host = std::string(named->host());
  outcome.ended = clock_.Now();
  if (response == nullptr) return outcome;
  outcome.requested = true;
  outcome.ended = response->ended;
  outcome.status = response->status;
  outcome.network_failure = response->status == 0;
  outcome.retry_after = RetryAfter(response->retry_after, response->ended);
  outcome.address = response->address;
  return outcome;
}

void OrderDesk::Answer(const Job& job, schedule::Outcome outcome) {
  {
    absl::MutexLock lock(&mu_);
    if (outcome.result == schedule::Result::kDone) {
      in_progress_[job.order.page].answered = true;
    } else {
      in_progress_.erase(job.order.page);
    }
  }
  link_.Send(std::move(outcome));
}

// Nothing was asked of the host; the scheduler tries again a little later.
void OrderDesk::Postpone(const Job& job) {
  schedule::Outcome outcome = OutcomeOf(job, schedule::Result::kPostponed, nullptr);
  outcome.address_busy = true;
  Answer(job, std::move(outcome));
}

void OrderDesk::ReportVisit(const Job& job, ledger::VisitKind kind, const fetch::Response* response,
                            std::vector<ledger::Link> links) {
  ledger::Visit visit;
  visit.page = job.order.page;
  visit.kind = kind;
  visit.links = std::move(links);
  if (response != nullptr) {
    visit.http_status = static_cast<uint16_t>(response->status);
    visit.at = absl::ToUnixSeconds(response->ended);
    if (kind == ledger::VisitKind::kFetched) {
      visit.content_hash = base::Hash64(response->body);
      if (response->etag.size() <= kEtagBytesMax) visit.etag = response->etag;
      if (response->last_modified.size() <= kLastModifiedBytesMax)
        visit.last_modified = response->last_modified;
    }
  }
  report_(Report{std::move(visit), {}});
}

void OrderDesk::Log(const Job& job, const fetch::Response& response, std::string_view outcome,
                    size_t links) {
  FetchLine line;
  line.at = response.started;
  line.url = job.asked->text();
  line.outcome = std::string(outcome);
  line.status = response.status;
  if (response.error != fetch::Error::kNone) line.error = std::string(fetch::Name(response.error));
  line.detail = response.detail;
  line.wire_bytes = response.wire_bytes;
  line.body_bytes = response.body.size();
  line.duration = response.ended - response.started;
  line.links = links;
  line.content_type = response.content_type;
  line.address = response.address;
  fetch_log_.Append(line);
}

}  // namespace opic::node
