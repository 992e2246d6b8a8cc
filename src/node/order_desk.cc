#include "node/order_desk.h"

#include <pthread.h>
#include <time.h>

#include "absl/strings/numbers.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "links/links.h"

namespace opic::node {
namespace {

// Errands are no pages: they live in a shard number that no cluster has (at most 2^15 shards are used with one).
constexpr ShardId kErrandShard{0xffff};

PageId ErrandId(const url::Url& url) {
  return PageId(kErrandShard, base::Hash64(url.text()) & (kPageIdCount - 1));
}

// Answers that may be another one soon (RFC 9110 section 15).
bool IsTransientStatus(int status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501 && status != 505);
}

bool IsFinalError(fetch::Error error) {
  return error == fetch::Error::kHeaderTooLarge || error == fetch::Error::kBadEncoding ||
         error == fetch::Error::kRefusedAddress;
}

// Seconds or an HTTP date (RFC 9110 section 10.2.3); zero when absent or senseless.
absl::Duration RetryAfter(const std::string& value, absl::Time now) {
  int64_t seconds = 0;
  if (absl::SimpleAtoi(value, &seconds)) return seconds > 0 ? absl::Seconds(seconds) : absl::ZeroDuration();
  absl::Time when;
  if (absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT", value, &when, nullptr) && when > now) return when - now;
  return absl::ZeroDuration();
}

}  // namespace

absl::StatusOr<std::unique_ptr<OrderDesk>> OrderDesk::Start(const CrawlOptions& options, const url::UrlHash& hash,
                                                            store::Store& store, base::Clock& clock,
                                                            const std::string& fetch_log,
                                                            std::function<void(Report)> report) {
  std::unique_ptr<OrderDesk> desk(new OrderDesk(options, hash, store, clock, fetch_log, std::move(report)));
  OrderDesk* raw = desk.get();
  ASSIGN_OR_RETURN(desk->fetcher_, fetch::Fetcher::Start(options.fetch, [raw](fetch::Response response) {
                     raw->tasks_.TryPush(std::move(response));
                   }));
  for (int i = 0; i < std::max(1, options.workers); ++i) desk->workers_.emplace_back([raw] { raw->Work(); });
  return desk;
}

OrderDesk::OrderDesk(const CrawlOptions& options, const url::UrlHash& hash, store::Store& store, base::Clock& clock,
                     const std::string& fetch_log, std::function<void(Report)> report)
    : options_(options),
      hash_(hash),
      store_(store),
      clock_(clock),
      window_(options.charter.window),
      robots_({.product_token = options.product_token,
               .lifetime = options.robots_lifetime,
               .unreachable_lifetime = options.robots_unreachable_lifetime},
              store),
      fetch_log_(fetch_log),
      report_(std::move(report)),
      // Orders and responses are bounded by fetches_max: an order is a task twice at most, so nothing is refused.
      tasks_(static_cast<size_t>(4 * options.fetch.in_flight_max + 1024)) {}

OrderDesk::~OrderDesk() { Stop(); }

void OrderDesk::Stop() {
  if (stopped_.exchange(true)) return;
  if (fetcher_) fetcher_->Stop();
  tasks_.Close();
  for (std::thread& worker : workers_) worker.join();
}

void OrderDesk::Take(std::vector<schedule::Order> orders) {
  {
    absl::MutexLock lock(&mu_);
    for (const schedule::Order& order : orders) in_flight_.try_emplace(order.page);
  }
  for (schedule::Order& order : orders) tasks_.Push(std::move(order));
}

std::vector<schedule::InFlight> OrderDesk::InFlight() const {
  absl::MutexLock lock(&mu_);
  std::vector<schedule::InFlight> pages;
  for (const auto& [page, host] : in_flight_) pages.push_back({page, host});
  return pages;
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
    Submit(std::move(job), /*conditional=*/false);
    return;
  }
  if (order.page.shard() == kErrandShard) {  // of a session before
    ReportUndone(job, schedule::Result::kDone, nullptr, false);
    return;
  }
  const absl::Status prepared = Prepare(job);
  // The store cannot be read: whatever follows would be in doubt.
  OPIC_CHECK(prepared.ok()) << prepared.ToString();
}

// Finds out what the order needs and begins it: a visit without a request, a robots.txt, or the page.
absl::Status OrderDesk::Prepare(Job& job) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kPage, ledger::KeyOf(job.order.page)));
  if (!row) return absl::DataLossError("an ordered page has no row in the store");
  ASSIGN_OR_RETURN(const ledger::PageRow page, ledger::DecodePageRow(*row));
  job.page = url::Parse(page.url);
  job.depth = page.depth;
  if (!job.page) return absl::DataLossError("a page row has no URL: " + page.url);
  {
    absl::MutexLock lock(&mu_);
    in_flight_[job.order.page] = std::string(job.page->host());
  }
  if (job.order.host_given_up) {
    ReportVisit(job, ledger::VisitKind::kFailed, nullptr, {});
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const RobotsCache::Verdict verdict, robots_.Lookup(*job.page, clock_.Now()));
  if (verdict.fetch && verdict.fetch->host() != job.page->host()) {
    Job errand = job;
    errand.robots = true;
    errand.asked = verdict.fetch;
    Report report;
    report.errand = schedule::Offer{ErrandId(*verdict.fetch), std::string(verdict.fetch->host()),
                                    cash::Amount(~uint64_t{0})};
    {
      absl::MutexLock lock(&mu_);
      errands_.insert_or_assign(report.errand->page, std::move(errand));
    }
    report_(std::move(report));
    ReportUndone(job, schedule::Result::kPostponed, nullptr, /*address_busy=*/true);
    return absl::OkStatus();
  }
  if (verdict.fetch) {
    job.robots = true;
    job.asked = verdict.fetch;
    Submit(std::move(job), false);
    return absl::OkStatus();
  }
  if (!verdict.rules->Allows(job.page->path_and_query())) {
    ++counters_.forbidden;
    ReportVisit(job, verdict.unreachable ? ledger::VisitKind::kFailed : ledger::VisitKind::kForbidden, nullptr, {});
    return absl::OkStatus();
  }
  job.asked = job.page;
  Submit(std::move(job), true);
  return absl::OkStatus();
}

void OrderDesk::Submit(Job job, bool conditional) {
  fetch::Request request;
  request.url = job.asked->text();
  if (job.robots) request.body_bytes_max = robots::kRobotsBytesMax;
  if (conditional) {
    // Validators are there when the page was fetched before: one more read, of a row that the visit rewrites anyway.
    const absl::StatusOr<std::optional<std::string>> row =
        store_.Get(store::Table::kHistory, ledger::KeyOf(job.order.page));
    OPIC_CHECK(row.ok()) << row.status().ToString();
    if (*row) {
      const absl::StatusOr<ledger::HistoryRow> history = ledger::DecodeHistoryRow(**row, window_);
      OPIC_CHECK(history.ok()) << history.status().ToString();
      request.etag = history->etag;
      request.last_modified = history->last_modified;
    }
  }
  uint64_t ticket;
  {
    absl::MutexLock lock(&mu_);
    ticket = next_ticket_++;
    jobs_.emplace(ticket, job);
  }
  request.ticket = ticket;
  if (fetcher_->Submit(std::move(request))) return;
  {
    absl::MutexLock lock(&mu_);
    jobs_.erase(ticket);
  }
  ReportUndone(job, schedule::Result::kPostponed, nullptr, /*address_busy=*/true);
}

void OrderDesk::Finish(fetch::Response response) {
  Job job;
  {
    absl::MutexLock lock(&mu_);
    const auto found = jobs_.find(response.ticket);
    OPIC_CHECK(found != jobs_.end()) << "a response to no request";
    job = std::move(found->second);
    jobs_.erase(found);
  }
  counters_.wire_bytes += response.wire_bytes;
  counters_.body_bytes += response.body.size();
  if (response.error == fetch::Error::kStopped) return;
  if (response.error == fetch::Error::kAddressBusy) {
    ReportUndone(job, schedule::Result::kPostponed, &response, true);
    return;
  }
  job.robots ? ++counters_.robots_requests : ++counters_.requests;
  if (response.error == fetch::Error::kBodyTooLarge) {
    ++counters_.too_large;
  } else if (response.error != fetch::Error::kNone) {
    ++counters_.network_errors;
  }
  if (response.status >= 400) ++counters_.http_errors;
  if (job.robots) {
    FinishRobots(job, response);
  } else {
    FinishPage(job, response);
  }
}

void OrderDesk::FinishRobots(const Job& job, const fetch::Response& response) {
  absl::StatusOr<RobotsCache::Learned> learned = robots_.Answered(*job.page, *job.asked, response, clock_.Now());
  OPIC_CHECK(learned.ok()) << learned.status().ToString();
  Log(job, response, "robots", learned->sitemaps.size());
  Report report;
  report.wire_bytes = response.wire_bytes;
  report.discovered = Named(std::move(learned->sitemaps));
  report.outcome = OutcomeOf(job, &response);
  const bool errand = job.order.page.shard() == kErrandShard;
  report.outcome->result = errand ? schedule::Result::kDone : schedule::Result::kPostponed;
  report.outcome->crawl_delay = learned->crawl_delay;
  report_(std::move(report));
}

void OrderDesk::FinishPage(const Job& job, fetch::Response& response) {
  using ledger::VisitKind;
  const bool answered = response.error == fetch::Error::kNone || response.error == fetch::Error::kBodyTooLarge;
  const bool transient = answered ? IsTransientStatus(response.status) : !IsFinalError(response.error);
  if (transient && !job.order.last_attempt) {
    ++counters_.transient;
    Log(job, response, "retry", 0);
    ReportUndone(job, schedule::Result::kTransient, &response, false);
    return;
  }
  VisitKind kind = VisitKind::kGone;
  std::vector<ledger::Link> links;
  if (transient || !answered) {
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

schedule::Outcome OrderDesk::OutcomeOf(const Job& job, const fetch::Response* response) const {
  schedule::Outcome outcome;
  outcome.page = job.order.page;
  const std::optional<url::Url>& named = job.asked ? job.asked : job.page;
  if (named) outcome.host = std::string(named->host());
  outcome.ended = clock_.Now();
  if (response == nullptr) return outcome;
  outcome.requested = response->sent || response->error != fetch::Error::kAddressBusy;
  outcome.ended = response->ended;
  outcome.status = response->status;
  outcome.network_failure = response->status == 0;
  outcome.retry_after = RetryAfter(response->retry_after, response->ended);
  outcome.address = response->address;
  return outcome;
}

void OrderDesk::ReportVisit(const Job& job, ledger::VisitKind kind, const fetch::Response* response,
                            std::vector<ledger::Link> links) {
  Report report;
  report.visit.emplace();
  report.visit->page = job.order.page;
  report.visit->kind = kind;
  report.visit->links = std::move(links);
  if (response != nullptr) {
    report.wire_bytes = response->wire_bytes;
    report.visit->http_status = static_cast<uint16_t>(response->status);
    report.visit->at = absl::ToUnixSeconds(response->ended);
    if (kind == ledger::VisitKind::kFetched) {
      report.visit->content_hash = base::Hash64(response->body);
      report.visit->etag = response->etag.substr(0, response->etag.size() <= 256 ? std::string::npos : 0);
      report.visit->last_modified = response->last_modified.size() <= 64 ? response->last_modified : "";
    }
  }
  report.outcome = OutcomeOf(job, response);
  report.outcome->result = schedule::Result::kDone;
  report_(std::move(report));
}

void OrderDesk::ReportUndone(const Job& job, schedule::Result result, const fetch::Response* response,
                             bool address_busy) {
  Report report;
  report.outcome = OutcomeOf(job, response);
  report.outcome->result = result;
  report.outcome->address_busy = address_busy;
  if (address_busy) report.outcome->requested = false;
  if (response != nullptr) report.wire_bytes = response->wire_bytes;
  report_(std::move(report));
}

void OrderDesk::Handled(PageId page) {
  absl::MutexLock lock(&mu_);
  in_flight_.erase(page);
}

void OrderDesk::Log(const Job& job, const fetch::Response& response, std::string_view outcome, size_t links) {
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
