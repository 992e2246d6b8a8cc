#include "desk/order_desk.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>

#include "base/log_part.h"
#include "base/status_macros.h"
#include "desk/store_failure.h"

namespace opic::desk {
namespace {

constexpr size_t kTasksMax = 8192;
// Of all workers: what one has taken no other can do.
constexpr size_t kTasksTogether = 16;
// Answers to be read wait for an order so long, and no more of them.
constexpr absl::Duration kAnswersWait = absl::Milliseconds(1);
constexpr size_t kAnswersTogether = 8;

}  // namespace

absl::StatusOr<std::unique_ptr<OrderDesk>> OrderDesk::Start(
    const DeskOptions& options, const importance::Window& window, const url::UrlHash& hash,
    store::Store& store, base::Clock& clock, const std::string& fetch_log, SchedulerLink& link,
    std::function<void(Report)> report) {
  std::unique_ptr<OrderDesk> desk(
      new OrderDesk(options, window, hash, store, clock, fetch_log, link, std::move(report)));
  OrderDesk* raw = desk.get();
  fetch::Options fetch = options.fetch;
  fetch.accept = options.accept.Header();
  fetch.bodies = &raw->bodies_;
  if (options.cookies) {
    ASSIGN_OR_RETURN(desk->cookies_,
                     CookieKeeper::Open(store, options.cookie_bytes_max, clock.Now()));
    fetch.cookies = &desk->cookies_->jar();
  }
  // Names and connections take their time: the host may have been blocked meanwhile.
  fetch.may_send = [raw](std::string_view asked) { return raw->MaySend(asked); };
  fetch.wants = [list = options.accept](std::string_view type) { return list.Wants(type); };
  desk->WatchNetwork(fetch);
  ASSIGN_OR_RETURN(desk->fetcher_,
                   fetch::Fetcher::Start(std::move(fetch), [raw](fetch::Response response) {
                     raw->OnResponse(std::move(response));
                   }));
  for (size_t i = 0; i < raw->workers_max(); ++i)
    desk->workers_.emplace_back(base::OfThisPart([raw] { raw->Work(); }));
  return desk;
}

OrderDesk::OrderDesk(const DeskOptions& options, const importance::Window& window,
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
               .unreachable_lifetime = options.robots_unreachable_lifetime,
               .remembered_bytes_max = options.robots_bytes_max},
              store),
      fetch_log_(fetch_log, {options.fetch_log_bytes_max, options.fetch_log_files}),
      link_(link),
      report_(std::move(report)),
      bodies_(options.bodies_bytes_max),
      tasks_(kTasksMax),
      strip_tracking_(options.strip_tracking) {}

OrderDesk::~OrderDesk() { Stop(); }

void OrderDesk::Stop() {
  if (stopped_.exchange(true)) return;
  if (fetcher_) fetcher_->Stop();
  if (network_) network_->Stop();
  if (cookies_) cookies_->Stop();
  tasks_.Close();
  for (std::thread& worker : workers_) worker.join();
}

bool OrderDesk::MaySend(std::string_view asked) const {
  if (asks_no_more_) return false;
  return !blocked_ || !blocked_(url::HostOf(asked));
}

// What was not sent yet is asked about (MaySend) when it can be.
void OrderDesk::EndBlocked() {
  fetcher_->Withdraw([this](const fetch::Fetcher::UnderWay& request) {
    return request.sent && blocked_ && blocked_(url::HostOf(request.url));
  });
}

void OrderDesk::EndRequests() {
  fetcher_->Withdraw([](const fetch::Fetcher::UnderWay&) { return true; });
}

void OrderDesk::Take(std::vector<schedule::Order> orders) {
  bool room = true;
  const absl::Time now = clock_.Steady();
  {
    absl::MutexLock lock(&mu_);
    // Answered early, orders are not bounded by the fetches under way: what waits for a worker or
    // the ledger is.
    room = paused_by_ == 0 && !without_network() &&
           in_progress_.size() + orders.size() <= kTasksMax / 2;
    for (const schedule::Order& order : orders) in_progress_.try_emplace(order.page);
  }
  for (const schedule::Order& order : orders) {
    if (room) {
      tasks_.Push(Taken{order, now});
    } else {
      Job job;
      job.order = order;
      Postpone(job);
    }
  }
}

std::vector<schedule::InFlight> OrderDesk::NotAnswered() const {
  std::vector<schedule::InFlight> pages;
  for (const auto& [page, progress] : in_progress_) {
    if (!progress.answered) pages.push_back({page, progress.host});
  }
  return pages;
}

std::vector<PageId> OrderDesk::NotHandled() const {
  std::vector<PageId> pages;
  for (const auto& [page, progress] : in_progress_) pages.push_back(page);
  return pages;
}

std::vector<schedule::InFlight> OrderDesk::InFlight() const {
  absl::MutexLock lock(&mu_);
  return NotAnswered();
}

std::vector<PageId> OrderDesk::InProgress() const {
  absl::MutexLock lock(&mu_);
  return NotHandled();
}

void OrderDesk::BeginSession(
    absl::FunctionRef<void(std::vector<schedule::InFlight>, const std::vector<PageId>&)> tell) {
  absl::MutexLock lock(&mu_);
  tell(NotAnswered(), NotHandled());
  robots_redirects_.Clear();  // of those that are ordered the session was told no host
}

size_t OrderDesk::in_flight() const { return static_cast<size_t>(fetcher_->in_flight()); }

size_t OrderDesk::in_progress() const {
  absl::MutexLock lock(&mu_);
  return in_progress_.size();
}

size_t OrderDesk::withheld_redirects() const {
  absl::MutexLock lock(&mu_);
  return robots_redirects_.Count(
      [this](const RobotsRedirects::RobotsRedirect& redirect) { return IsHeld(redirect.robots); });
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

// What has gathered is done in the order of who waits for it: of the answers those to a robots.txt,
// which orders may need; then orders, so that hosts are asked while the pages are read.
void OrderDesk::Work() {
  pthread_setname_np(pthread_self(), "opic-worker");
  for (bool busy = false;; busy = true) {
    std::vector<Task> tasks = TakeTasks(busy);
    if (tasks.empty()) return;
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const Task& a, const Task& b) { return RankOf(a) < RankOf(b); });
    for (Task& task : tasks) {
      if (!stopped_) Do(task);
      task = Task();  // an answer holds memory until it is read
    }
  }
}

// Nothing: the desk is stopped. A worker that has just worked, and is the only one, waits a moment
// for an order: a free host's comes mostly right behind the answer, and both cost one wake-up.
std::vector<OrderDesk::Task> OrderDesk::TakeTasks(bool busy) {
  if (busy && workers_max() == 1) {
    std::vector<Task> tasks = tasks_.PopSome(kTasksTogether, kAnswersWait, kAnswersTogether);
    if (!tasks.empty()) return tasks;
  }
  return tasks_.PopAll(std::max<size_t>(1, kTasksTogether / workers_max()));
}

int OrderDesk::RankOf(const Task& task) {
  const auto* answered = std::get_if<std::shared_ptr<Answered>>(&task);
  return answered == nullptr ? 1 : (*answered)->job.robots ? 0 : 2;
}

void OrderDesk::Do(const Task& task) {
  if (const auto* taken = std::get_if<Taken>(&task)) {
    Begin(*taken);
  } else {
    Finish(*std::get<std::shared_ptr<Answered>>(task));
  }
}

void OrderDesk::Begin(const Taken& taken) {
  const schedule::Order& order = taken.order;
  Job job;
  {
    absl::MutexLock lock(&mu_);
    if (std::optional<RobotsRedirects::RobotsRedirect> redirect =
            robots_redirects_.Take(order.page)) {
      job.page = std::move(redirect->page);
      job.asked = std::move(redirect->robots);
      job.robots = job.redirect = true;
      in_progress_[order.page].host = std::string(job.asked->host());
    }
  }
  job.order = order;
  job.taken = taken.when;
  if (job.robots && order.host_given_up) {  // nothing is asked of it, as of its pages
    EndRedirect(job, robots_.GivenUp(*job.page, *job.asked, clock_.Now()).status());
  } else if (job.robots && IsHeld(*job.asked)) {
    EndRedirect(job, robots_.Blocked(*job.page, clock_.Now()).status());
  } else if (job.robots) {
    Submit(std::move(job));
  } else {
    EndOnStoreFailure("the order desk", Prepare(job));
  }
}

// Nothing is asked for it.
void OrderDesk::EndRedirect(const Job& job, const absl::Status& settled) {
  EndOnStoreFailure("the memory of robots.txt verdicts", settled);
  Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
  Handled(job.order.page);
}

// A page does not wait for an operator because its robots.txt lies on a blocked host.
absl::StatusOr<RobotsCache::Verdict> OrderDesk::VerdictOn(const url::Url& page) {
  ASSIGN_OR_RETURN(RobotsCache::Verdict verdict, robots_.Lookup(page, clock_.Now()));
  const bool elsewhere = verdict.fetch && verdict.fetch->host() != page.host();
  if (!elsewhere || !IsHeld(*verdict.fetch)) return verdict;
  RETURN_IF_ERROR(robots_.Blocked(page, clock_.Now()).status());
  return robots_.Lookup(page, clock_.Now());
}

// Finds out what the order needs and begins it: a visit without a request, a robots.txt, or the
// page.
absl::Status OrderDesk::Prepare(Job& job) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kPage, ledger::KeyOf(job.order.page)));
  if (!row && RobotsRedirects::IsCrossHost(job.order.page)) {  // of a session before
    EndRedirect(job, absl::OkStatus());
    return absl::OkStatus();
  }
  if (!row) {
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    report_(Report{.visit = std::nullopt, .rowless = job.order.page});
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const ledger::PageRow page, ledger::ReadPageRow(job.order.page, *row));
  job.page = url::Parse(page.url);
  if (!job.page) return ledger::DamagedPage(job.order.page, "has no URL in its row");
  job.depth = page.depth;
  job.referrer = page.referrer;
  {
    absl::MutexLock lock(&mu_);
    in_progress_[job.order.page].host = std::string(job.page->host());
  }
  if (in_scope_ && !in_scope_(page)) {
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    ReportVisit(job, ledger::VisitKind::kOutOfScope, nullptr, {});
    return absl::OkStatus();
  }
  if (job.order.host_given_up) {
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    ReportVisit(job, ledger::VisitKind::kFailed, nullptr, {}, {Failure::kGivenUp});
    return absl::OkStatus();
  }
  if (IsBlocked(*job.page)) {
    Postpone(job);
    return absl::OkStatus();
  }
  if (std::string over = OverBudget(*job.page); !over.empty()) {
    PostponeOverBudget(job, std::move(over));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const RobotsCache::Verdict verdict, VerdictOn(*job.page));
  if (verdict.fetch && verdict.fetch->host() != job.page->host()) {
    OfferCrossHost(job, *verdict.fetch);
    Postpone(job);
  } else if (verdict.fetch) {
    job.robots = true;
    job.asked = verdict.fetch;
    Submit(std::move(job));
  } else if (!verdict.rules->Allows(job.page->path_and_query())) {
    if (verdict.unreachable == Failure::kNone) counters_.Add(Counter::kForbidden);
    Answer(job, OutcomeOf(job, schedule::Result::kDone, nullptr));
    const bool unreachable = verdict.unreachable != Failure::kNone;
    ReportVisit(job, unreachable ? ledger::VisitKind::kFailed : ledger::VisitKind::kForbidden,
                nullptr, {}, {verdict.unreachable, unreachable});
  } else {
    job.asked = job.page;
    Submit(std::move(job));
  }
  return absl::OkStatus();
}

void OrderDesk::OfferCrossHost(const Job& job, const url::Url& robots) {
  {
    absl::MutexLock lock(&mu_);
    if (in_progress_.contains(RobotsRedirects::IdOf(robots)) ||
        !robots_redirects_.Add({*job.page, robots}))
      return;  // on its way already
  }
  link_.Send(RobotsRedirects::OfferOf(robots));
}

}  // namespace opic::desk
