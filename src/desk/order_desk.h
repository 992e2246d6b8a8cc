// Carries out the scheduler's orders: row, robots.txt, fetch, links; out comes what the ledger
// shall record.
//
// Each order is answered by exactly one outcome, sent to the scheduler as soon as the host is free
// again: at the last byte of the answer, so that parsing and committing never keep a host waiting.
// An order makes at most one request: its own page, or the robots.txt that has to be known first;
// then it is postponed. A page whose order is done (fetched, redirected, gone, forbidden, failed
// for good) also ends in exactly one Report, for the ledger; until that is handled the page is *in
// progress* and must not be offered again.
//
// Threads: `workers` of its own read rows and parse; the fetcher's thread answers the scheduler and
// hands over.
//
// Thread safety: synchronised inside.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "base/bounded_queue.h"
#include "base/byte_budget.h"
#include "base/clock.h"
#include "desk/cookie_keeper.h"
#include "desk/counters.h"
#include "desk/desk_options.h"
#include "desk/failure.h"
#include "desk/fetch_log.h"
#include "desk/host_allowance.h"
#include "desk/left_out.h"
#include "desk/network_guard.h"
#include "desk/page_allowance.h"
#include "desk/robots_cache.h"
#include "desk/robots_redirects.h"
#include "desk/scheduler_link.h"
#include "fetch/fetcher.h"
#include "ledger/ledger.h"
#include "refresh/category.h"
#include "schedule/messages.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::desk {

// For the ledger.
struct Report {
  std::optional<ledger::Visit> visit;
  // Sitemaps of a robots.txt: known from now on, paid by nobody.
  std::vector<ledger::Link> discovered = {};
  // An ordered page that is not in the store: damage, or its shard has left while it was queued.
  std::optional<PageId> rowless = {};
  // Of the visit, for LogRecorded once it is recorded; empty: it has none.
  BegunLine log_line = {};
};

class OrderDesk {
 public:
  // `store`, `clock` and `link` must outlive the desk. `report` is called on worker threads and may
  // block: that is the back-pressure on parsing.
  static absl::StatusOr<std::unique_ptr<OrderDesk>> Start(
      const DeskOptions& options, const importance::Window& window, const url::UrlHash& hash,
      store::Store& store, base::Clock& clock, const std::string& fetch_log, SchedulerLink& link,
      std::function<void(Report)> report);
  ~OrderDesk();  // as Stop()

  void Take(std::vector<schedule::Order> orders);
  // Page requests that may be begun, 0: any number, beside those of earlier processes; more orders
  // are postponed. Called at any time.
  void LimitPages(uint64_t pages) { pages_left_.Limit(pages); }
  void CountEarlierPages(uint64_t pages) { pages_left_.CountEarlier(pages); }
  // Requests at once (fetch::Fetcher::LimitInFlight). Called at any time.
  void LimitFetches(int most) { fetcher_->LimitInFlight(most); }
  bool pages_exhausted() const { return pages_left_.exhausted(); }
  // While paused new orders are postponed, so that what is in progress only shrinks. Who has paused
  // it lets it go on; by several it is paused until all have.
  enum class PausedBy : uint8_t { kOperator = 1, kFullDisk = 2 };
  void Pause(bool paused, PausedBy by = PausedBy::kOperator);
  // Hosts are on loan (schedule/lease_message.h): an order is postponed when it cannot be begun
  // within kOrderPatience, or when `may_ask` says no of its host. To be called before the first
  // order.
  void AskOnLoan(std::function<bool(const std::string& host)> may_ask) {
    may_ask_ = std::move(may_ask);
  }
  // Hosts that are not asked at the moment: an order is postponed when a request of it would go to
  // one of them. A robots.txt that lies on one counts as one that cannot be had. Called on any
  // thread; to be set before the first order.
  void AskBlocked(std::function<bool(std::string_view host)> blocked) {
    blocked_ = std::move(blocked);
  }
  // Some have been added: requests that were sent there end, and their orders are postponed.
  void EndBlocked();
  // Nothing is asked for from now on: orders are postponed. What was sent goes on.
  void AskNoMore();
  // Ends all requests under way; their orders are postponed.
  void EndRequests();
  // How much may be fetched of each host: an order of a host past its budget is postponed, and its
  // outcome says so. A robots.txt on such a host counts as above. To be called before the first
  // order; `allowance` must outlive the desk.
  void AskAllowance(HostAllowance& allowance) { allowance_ = &allowance; }
  // Which pages may be fetched, as it is when an order is begun: one that was queued before the
  // scope was narrowed is visited as out of scope. Called on any thread; to be set before the first
  // order.
  void AskScope(std::function<bool(const ledger::PageRow&)> in_scope) {
    in_scope_ = std::move(in_scope);
  }
  // Called when this node has lost its network, and when that is back (network_loss()): on a thread
  // of the desk's own, and may block. To be set before the first order.
  void TellNetwork(std::function<void()> changed) { network_changed_ = std::move(changed); }
  // Meanwhile orders are postponed, and failures that may come of it are put off. Never so behind a
  // proxy, whose network it would be. Since when, by the wall clock; nothing: there is a network.
  std::optional<NetworkWatch::Loss> network_loss() const;
  bool without_network() const { return network_ && network_->lost(); }
  // Session and campaign parameters of links are dropped from now on.
  void StripTracking() { strip_tracking_ = true; }
  // Whether pages are asked for unconditionally: an answer of 304 has no links to tell a node that
  // has lost its pages.
  void AskWhole(bool whole) { ask_whole_ = whole; }
  // Orders not answered yet. Their hosts are busy for a new session; a host is empty until the row
  // was read.
  std::vector<schedule::InFlight> InFlight() const;
  // Those and the pages whose report is not handled yet.
  std::vector<PageId> InProgress() const;
  // `tell` begins a session with the scheduler, and says what is in flight. No outcome is sent
  // meanwhile: one that the session before got is not in flight any more, and of each order that is
  // the new session gets the outcome. The scheduler has forgotten the robots.txt files that it was
  // asked for: an order for one that is not begun asks nothing. `tell` must not call the desk.
  void BeginSession(absl::FunctionRef<void(std::vector<schedule::InFlight> in_flight,
                                           const std::vector<PageId>& in_progress)>
                        tell);
  size_t in_flight() const;
  size_t in_progress() const;
  // Of robots.txt files that the scheduler was asked for (desk/robots_redirects.h): those on hosts
  // that are not asked at the moment, because they are blocked or past their budgets. It counts
  // them as pages, and they are none.
  size_t withheld_redirects() const;
  // The report on this page has been recorded.
  void Handled(PageId page);
  // Report::log_line of visits that have been recorded. Missing if the process is killed first.
  void LogRecorded(absl::Span<const RecordedLine> lines) { fetch_log_.Append(lines); }
  // Ends requests under way; orders not ended by then get no report.
  void Stop();

  RobotsCache& robots() { return robots_; }
  const base::ByteBudget& bodies() const { return bodies_; }
  const SharedCounters& counters() const { return counters_; }
  absl::Duration fetch_cpu() const { return fetcher_->cpu_time(); }
  absl::Duration worker_cpu() const;

 private:
  std::vector<schedule::InFlight> NotAnswered() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::vector<PageId> NotHandled() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // One order on its way, by ticket.
  struct Job {
    schedule::Order order;
    absl::Time taken;
    std::optional<url::Url> page;   // known once the row was read
    std::optional<url::Url> asked;  // what was requested: the page, or a robots.txt
    bool robots = false;
    bool redirect = false;            // that robots.txt is ordered by itself (RobotsRedirects)
    uint32_t depth = 0;               // of the page
    std::string referrer;             // likewise (ledger::PageName)
    bool read_before = false;         // its content: a 304 may say that it is good still
    LeftOut left_out_before;          // at that reading
    uint64_t content_key_before = 0;  // ledger::Visit
  };
  struct Taken {
    schedule::Order order;
    absl::Time when;
  };
  struct Answered {
    Job job;
    fetch::Response response;
  };
  // An answer's 700 bytes stay where they are on their way. Who hands it on has it no more, but a
  // unique_ptr would not go into the std::function of a NetworkGuard.
  using Task = std::variant<Taken, std::shared_ptr<Answered>>;

  OrderDesk(const DeskOptions& options, const importance::Window& window, const url::UrlHash& hash,
            store::Store& store, base::Clock& clock, const std::string& fetch_log,
            SchedulerLink& link, std::function<void(Report)> report);
  size_t workers_max() const { return static_cast<size_t>(std::max(1, options_.workers)); }
  void Work();
  std::vector<Task> TakeTasks(bool busy);
  static int RankOf(const Task& task);  // the lowest is done first
  void Do(const Task& task);
  void Begin(const Taken& taken);
  absl::Status Prepare(Job& job);
  absl::StatusOr<RobotsCache::Verdict> VerdictOn(const url::Url& page);
  void EndRedirect(const Job& job, const absl::Status& settled);
  void OfferCrossHost(const Job& job, const url::Url& robots);
  bool IsTooLate(const Job& job) const;
  // The page is ordered once more, and this answer is no visit.
  static bool ComesAgain(const Job& job, const fetch::Response& response);
  bool IsBlocked(const url::Url& url) const { return blocked_ && blocked_(url.host()); }
  bool MaySend(std::string_view url) const;
  // The same, or past its budget.
  bool IsHeld(const url::Url& url) const { return IsBlocked(url) || !OverBudget(url).empty(); }
  std::string OverBudget(const url::Url& url) const;  // HostAllowance; empty: it may be asked
  std::string BeginPage(Job& job, fetch::Request& request) const;
  bool IsSitemap(const url::Url& page);
  void Submit(Job job);
  Job TakeJob(uint64_t ticket);  // its request is over, or was not sent
  static std::string NameOfRobots(const Job& job);
  bool BeginRobots(const Job& job);
  absl::StatusOr<bool> AddValidators(Job& job, fetch::Request& request) const;
  void GiveBack(const Job& job);              // a page that is no longer asked for, or once more
  void OnResponse(fetch::Response response);  // on the fetcher's thread
  void WatchNetwork(const fetch::Options& fetch);
  void TakeAnswer(std::shared_ptr<Answered> answered);
  bool IsUrgent(const Job& job) const;
  void Finish(const Answered& answered);
  void FinishRobots(const Job& job, const fetch::Response& response);
  Failure Unreachable(const url::Url& page);
  void FinishPage(const Job& job, const fetch::Response& response);
  // What an answer holds.
  struct Reading {
    std::vector<ledger::Link> links;
    std::optional<ledger::Link> canonical;  // one of them, which alone is paid
    uint64_t content_hash = 0;  // of text and links that a reader sees, or of the whole body
    uint64_t content_key = 0;   // ledger::Visit
    std::string near_text;      // likewise
    refresh::Category category = refresh::Category::kHtml;
    LeftOut left_out;
  };
  // `line`: of its request; nothing: there was none.
  void ReportVisit(const Job& job, ledger::VisitKind kind, const fetch::Response* response,
                   Reading reading, PageFailure failure = {},
                   std::optional<FetchLine> line = std::nullopt);
  Reading Read(const Job& job, const fetch::Response& response, FetchLine& line);
  // What of it is compared with other pages.
  void ReadContent(const url::Url& page, const links::Result& found, Reading& reading) const;
  // What the document names as its canonical, if that is to be paid instead of its links.
  std::optional<ledger::Link> CanonicalOf(const Job& job, const links::Result& found);
  std::vector<ledger::Link> Named(std::vector<url::Url> urls) const;
  // Answers the order. Unless it is done, its page is no longer in progress.
  void Answer(const Job& job, schedule::Outcome outcome);
  schedule::Outcome OutcomeOf(const Job& job, schedule::Result result,
                              const fetch::Response* response) const;
  void Postpone(const Job& job, bool no_room = false);
  void PostponeOverBudget(const Job& job, std::string over_budget);
  void PutOff(const Job& job, const fetch::Response& response);  // on the fetcher's thread
  void NoteNoDescriptor();                                       // likewise
  void NoteProxyFailed(const fetch::Response& response);         // likewise
  // Whether it is to be told, too, which was last done at `told`: once in ten seconds.
  bool CountAndTell(Counter counter, absl::Time& told);
  void Log(const Job& job, std::string_view outcome, FetchLine line);
  // With what the job says of it.
  static FetchLine Completed(const Job& job, std::string_view outcome, FetchLine line);
  std::optional<FetchLine> UnaskedLine(ledger::VisitKind kind, PageFailure failure) const;

  const DeskOptions options_;
  const url::UrlHash hash_;
  store::Store& store_;
  base::Clock& clock_;
  const importance::Window window_;
  RobotsCache robots_;
  FetchLog fetch_log_;
  SchedulerLink& link_;
  const std::function<void(Report)> report_;
  SharedCounters counters_;
  absl::Time descriptors_told_ = absl::InfinitePast();  // the fetcher's thread's own
  absl::Time proxy_told_ = absl::InfinitePast();        // likewise
  PageAllowance pages_left_;
  std::function<bool(const std::string&)> may_ask_;       // null: hosts are not lent
  std::function<bool(const ledger::PageRow&)> in_scope_;  // null: all pages are
  std::function<bool(std::string_view)> blocked_;         // null: no host is
  HostAllowance* allowance_ = nullptr;                    // null: hosts have no budgets
  base::ByteBudget bodies_;
  std::unique_ptr<CookieKeeper> cookies_;  // null: no cookies
  std::function<void()> network_changed_;  // null: nobody asks
  std::unique_ptr<NetworkGuard> network_;  // null: behind a proxy
  std::unique_ptr<fetch::Fetcher> fetcher_;
  base::BoundedQueue<Task> tasks_;
  std::vector<std::thread> workers_;
  std::atomic<bool> stopped_ = false, strip_tracking_, ask_whole_ = false, asks_no_more_ = false;
  std::atomic<uint8_t> paused_by_ = 0;  // of PausedBy

  struct PageInProgress {
    std::string host;       // empty until known
    bool answered = false;  // the scheduler has its outcome
  };
  mutable absl::Mutex mu_;
  uint64_t next_ticket_ ABSL_GUARDED_BY(mu_) = 1;
  absl::flat_hash_map<uint64_t, Job> jobs_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<PageId, PageInProgress> in_progress_ ABSL_GUARDED_BY(mu_);
  RobotsRedirects robots_redirects_ ABSL_GUARDED_BY(mu_);  // offered, not ordered yet
  // By which order each robots.txt is being asked for: others of its host wait for what it says.
  absl::flat_hash_map<std::string, PageId> robots_asked_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::desk
