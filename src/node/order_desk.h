// Carries out the scheduler's orders: row, scope, robots.txt, fetch, links; out comes what the ledger shall record.
//
// An order ends in exactly one Report: a visit (fetched, redirected, gone, forbidden, failed for good) or none
// (transient failure, postponed), with the outcome for the scheduler. Each order makes at most one request: its own
// page, or the robots.txt that has to be known first; then the order is postponed.
//
// Threads: `workers` of its own read rows and parse; the fetcher's thread only hands responses over.
// Thread safety: synchronised inside.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/bounded_queue.h"
#include "base/clock.h"
#include "fetch/fetcher.h"
#include "ledger/ledger.h"
#include "node/crawl_options.h"
#include "node/fetch_log.h"
#include "node/robots_cache.h"
#include "schedule/messages.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::node {

struct Report {
  std::optional<ledger::Visit> visit;
  std::optional<schedule::Outcome> outcome;  // log_number is filled in when the visit is committed
  std::vector<ledger::Link> discovered;      // sitemaps of a robots.txt: known from now on, paid by nobody
  std::optional<schedule::Offer> errand;     // robots.txt of another host, to be fetched in a slot of its own
  uint64_t wire_bytes = 0;
};

// What happened so far in this process; read at any time.
struct DeskCounters {
  std::atomic<uint64_t> requests = 0, robots_requests = 0, wire_bytes = 0, body_bytes = 0;
  std::atomic<uint64_t> transient = 0, network_errors = 0, http_errors = 0, too_large = 0, scanner_pages = 0;
  std::atomic<uint64_t> links_found = 0, links_rejected = 0, forbidden = 0;
};

class OrderDesk {
 public:
  // `store` and `clock` must outlive the desk. `report` is called on worker threads and may block (back-pressure).
  static absl::StatusOr<std::unique_ptr<OrderDesk>> Start(const CrawlOptions& options, const url::UrlHash& hash,
                                                          store::Store& store, base::Clock& clock,
                                                          const std::string& fetch_log,
                                                          std::function<void(Report)> report);
  ~OrderDesk();  // as Stop()

  void Take(std::vector<schedule::Order> orders);
  // Orders whose report was not yet handled. Their hosts are busy for a new scheduler session.
  std::vector<schedule::InFlight> InFlight() const;
  // The report of an order on this page has been taken in.
  void Handled(PageId page);
  // Ends requests under way; orders not ended by then get no report.
  void Stop();

  const DeskCounters& counters() const { return counters_; }
  absl::Duration fetch_cpu() const { return fetcher_->cpu_time(); }
  absl::Duration worker_cpu() const;

 private:
  // One order on its way, by ticket.
  struct Job {
    schedule::Order order;
    std::optional<url::Url> page;   // known once the row was read
    std::optional<url::Url> asked;  // what was requested: the page, or a robots.txt
    uint32_t depth = 0;
    bool robots = false;
  };
  using Task = std::variant<schedule::Order, fetch::Response>;

  OrderDesk(const CrawlOptions& options, const url::UrlHash& hash, store::Store& store, base::Clock& clock,
            const std::string& fetch_log, std::function<void(Report)> report);
  void Work();
  void Begin(const schedule::Order& order);
  absl::Status Prepare(Job& job);
  void Submit(Job job, bool conditional);
  void Finish(fetch::Response response);
  void FinishRobots(const Job& job, const fetch::Response& response);
  void FinishPage(const Job& job, fetch::Response& response);
  // Reports and the links they need.
  void ReportVisit(const Job& job, ledger::VisitKind kind, const fetch::Response* response,
                   std::vector<ledger::Link> links);
  void ReportUndone(const Job& job, schedule::Result result, const fetch::Response* response, bool address_busy);
  std::vector<ledger::Link> LinksOf(const Job& job, const fetch::Response& response);
  std::vector<ledger::Link> Named(std::vector<url::Url> urls) const;
  schedule::Outcome OutcomeOf(const Job& job, const fetch::Response* response) const;
  void Log(const Job& job, const fetch::Response& response, std::string_view outcome, size_t links);

  const CrawlOptions options_;
  const url::UrlHash hash_;
  store::Store& store_;
  base::Clock& clock_;
  const importance::Window window_;
  RobotsCache robots_;
  FetchLog fetch_log_;
  const std::function<void(Report)> report_;
  DeskCounters counters_;
  std::unique_ptr<fetch::Fetcher> fetcher_;
  base::BoundedQueue<Task> tasks_;
  std::vector<std::thread> workers_;
  std::atomic<bool> stopped_ = false;

  mutable absl::Mutex mu_;
  uint64_t next_ticket_ ABSL_GUARDED_BY(mu_) = 1;
  absl::flat_hash_map<uint64_t, Job> jobs_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_map<PageId, std::string> in_flight_ ABSL_GUARDED_BY(mu_);  // host, empty until known
  absl::flat_hash_map<PageId, Job> errands_ ABSL_GUARDED_BY(mu_);            // offered, not ordered yet
};

}  // namespace opic::node
