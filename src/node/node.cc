#include "node/node.h"

#include <sys/resource.h>

#include <algorithm>
#include <random>

#include "absl/synchronization/notification.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

// Importance of each URL, in their order.
absl::StatusOr<std::vector<PageImportance>> AskImportance(const ledger::Ledger& ledger,
                                                          store::Store& store,
                                                          const url::UrlHash& hash,
                                                          const std::vector<std::string>& urls) {
  std::vector<PageImportance> pages;
  for (const std::string& url : urls) {
    ASSIGN_OR_RETURN(PageImportance page, ImportanceOf(ledger, store, hash, url));
    pages.push_back(std::move(page));
  }
  return pages;
}

Answers::TopPages WithBounds(const ledger::Ledger& ledger, std::vector<PageImportance> pages) {
  Answers::TopPages top;
  top.pages = std::move(pages);
  top.known = ledger.books().table().totals().pages;
  top.clock = static_cast<double>(ledger.books().clock()) /
              static_cast<double>(ledger.charter().supply.units());
  top.error_bound = top.clock > 0 ? 1 / std::min(top.clock, ledger.charter().window.supplies) : 1;
  return top;
}

uint64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t RandomClusterId() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

ledger::Options LedgerOptions(const DataFolder& folder, bool read_only, double unread_share) {
  ledger::Options options;
  options.checkpoint_folder = folder.checkpoints();
  options.read_only = read_only;
  options.unread_share = unread_share;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Node>> Node::Open(const CrawlOptions& options,
                                                 const DataFolder& folder, base::Clock& clock) {
  std::unique_ptr<Node> node(new Node(options, clock));
  RETURN_IF_ERROR(node->Prepare(folder));
  return node;
}

absl::Status Node::Prepare(const DataFolder& folder) {
  fetch_log_ = folder.fetch_log();
  const absl::Time begin = started_ = clock_.Now();
  ASSIGN_OR_RETURN(store_, store::OpenRocksStore(folder.store(), {}));
  ASSIGN_OR_RETURN(const std::optional<ledger::Charter> stored,
                   ledger::Ledger::StoredCharter(*store_));
  ledger::Charter born;
  born.cluster_id = RandomClusterId();
  const ledger::Charter wanted = options_.charter.ApplyTo(stored.value_or(born));
  ASSIGN_OR_RETURN(
      ledger_,
      ledger::Ledger::Open(LedgerOptions(folder, false, options_.unread_share), *store_, &wanted));
  recovery_time_ = clock_.Now() - begin;
  hash_ = std::make_unique<url::UrlHash>(ledger_->charter().shard_by, ledger_->charter().shards);
  RETURN_IF_ERROR(TakeSeeds());
  loop_ = std::make_unique<LedgerLoop>(options_, crawl_, *ledger_, *store_, clock_);
  return absl::OkStatus();
}

// Brings together what the folder remembers and what this run asks for.
absl::Status Node::TakeSeeds() {
  ASSIGN_OR_RETURN(crawl_, RecallCrawl(*store_));
  const bool resumed = !crawl_.seeds.empty();
  const uint64_t scope_before = crawl_.MakeScope().Fingerprint();
  const uint32_t depth_before = crawl_.depth_max;
  std::vector<ledger::Link> pages;
  for (const std::string& typed : options_.seeds) {
    url::Rejected why = url::Rejected::kNone;
    const std::optional<url::Url> seed = url::Parse(typed, nullptr, &why);
    if (!seed) {
      return absl::InvalidArgumentError(
          absl::StrCat("seed \"", typed, "\" is no URL: ", std::string(url::Name(why))));
    }
    pages.push_back({hash_->PageOf(*seed), seed->text()});
    if (std::find(crawl_.seeds.begin(), crawl_.seeds.end(), seed->text()) == crawl_.seeds.end()) {
      crawl_.seeds.push_back(seed->text());
    }
  }
  if (crawl_.seeds.empty())
    return absl::InvalidArgumentError("no seeds: name at least one URL to begin with");
  if (!resumed || options_.scope_given) {
    crawl_.scope = options_.scope;
    crawl_.depth_max = options_.depth_max;
  }
  // Crawl first, remember then: a crash between the two repeats this, harmlessly.
  if (!pages.empty()) ledger_->Seed(pages);
  RETURN_IF_ERROR(ledger_->Commit().status());
  const bool changed = resumed && (scope_before != crawl_.MakeScope().Fingerprint() ||
                                   depth_before != crawl_.depth_max);
  if (changed) {
    RETURN_IF_ERROR(ReopenPages(
        [](const ledger::HistoryRow& row) { return row.kind == ledger::VisitKind::kOutOfScope; }));
  }
  if (options_.again) {
    RETURN_IF_ERROR(ReopenPages([](const ledger::HistoryRow&) { return true; }));
  }
  return RememberCrawl(*store_, crawl_);
}

absl::Status Node::ReopenPages(absl::FunctionRef<bool(const ledger::HistoryRow&)> which) {
  constexpr size_t kGroup = 10'000;
  std::vector<PageId> pages;
  const std::unique_ptr<store::Cursor> rows = store_->Scan(store::Table::kHistory, "");
  for (; rows->Valid(); rows->Next()) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::DecodeHistoryRow(rows->value(), ledger_->window()));
    if (which(row)) pages.push_back(page);
    if (pages.size() < kGroup) continue;
    ledger_->Reopen(pages);
    RETURN_IF_ERROR(ledger_->Commit().status());
    pages.clear();
  }
  RETURN_IF_ERROR(rows->status());
  ledger_->Reopen(pages);
  return ledger_->Commit().status();
}

absl::Status Node::Start(SchedulerLink& link) {
  ASSIGN_OR_RETURN(desk_, OrderDesk::Start(options_, ledger_->window(), *hash_, *store_, clock_,
                                           fetch_log_, link, [this](Report report) {
                                             loop_->TakeReport(std::move(report));
                                           }));
  loop_->Start(*desk_, link);
  return absl::OkStatus();
}

// Orders go straight to the desk: a host that is free must not wait for a commit.
void Node::OnMessage(schedule::ToNode message) {
  if (auto* orders = std::get_if<schedule::Orders>(&message)) {
    desk_->Take(std::move(orders->orders));
  } else {
    loop_->TakeMessage(std::move(message));
  }
}

void Node::Pause(bool paused) {
  if (desk_) desk_->Pause(paused);  // orders may be on their way
  loop_->Pause(paused);
}

Node::~Node() { Stop().IgnoreError(); }

// The desk first: its workers may wait for room in the loop's inbox, which the loop still empties.
absl::Status Node::Stop() {
  if (desk_) desk_->Stop();
  return loop_ ? loop_->Stop() : absl::OkStatus();
}

NodeStats Node::stats() const {
  NodeStats stats;
  stats.loop = loop_->stats();
  stats.recovery = ledger_->recovery();
  stats.recovery_time = recovery_time_;
  stats.uptime = clock_.Now() - started_;
  stats.memory_bytes_peak = PeakMemory();
  if (!desk_) return stats;
  const DeskCounters& desk = desk_->counters();
  stats.requests = desk.requests;
  stats.robots_requests = desk.robots_requests;
  stats.wire_bytes = desk.wire_bytes;
  stats.body_bytes = desk.body_bytes;
  stats.transient = desk.transient;
  stats.network_errors = desk.network_errors;
  stats.http_errors = desk.http_errors;
  stats.too_large = desk.too_large;
  stats.scanner_pages = desk.scanner_pages;
  stats.links_found = desk.links_found;
  stats.links_rejected = desk.links_rejected;
  stats.forbidden = desk.forbidden;
  stats.in_flight = desk_->in_flight();
  stats.in_progress = desk_->in_progress();
  stats.fetch_cpu = desk_->fetch_cpu();
  stats.worker_cpu = desk_->worker_cpu();
  return stats;
}

absl::Status Node::OnLedger(std::function<void()> ask) {
  auto done = std::make_shared<absl::Notification>();
  const bool taken = loop_->Run([ask = std::move(ask), done] {
    ask();
    done->Notify();
  });
  if (!taken) return absl::UnavailableError("the node is stopping");
  // The loop answers within a turn; a longer wait means that it has ended.
  if (!done->WaitForNotificationWithTimeout(absl::Seconds(30))) {
    return absl::DeadlineExceededError("the ledger did not answer within 30 s");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PageImportance>> Node::Importance(const std::vector<std::string>& urls) {
  auto answer = std::make_shared<absl::StatusOr<std::vector<PageImportance>>>();
  RETURN_IF_ERROR(
      OnLedger([this, answer, urls] { *answer = AskImportance(*ledger_, *store_, *hash_, urls); }));
  return *std::move(answer);
}

absl::StatusOr<Answers::TopPages> Node::Top(size_t count) {
  auto scan = std::make_shared<TopScan>(*ledger_, *store_, count);
  auto finished = std::make_shared<absl::StatusOr<bool>>(false);
  while (finished->ok() && !**finished) {
    RETURN_IF_ERROR(OnLedger([scan, finished] { *finished = scan->Step(); }));
  }
  RETURN_IF_ERROR(finished->status());
  auto top = std::make_shared<absl::StatusOr<TopPages>>();
  RETURN_IF_ERROR(OnLedger([this, scan, top] {
    absl::StatusOr<std::vector<PageImportance>> pages = scan->Result();
    if (pages.ok()) {
      *top = WithBounds(*ledger_, *std::move(pages));
    } else {
      *top = pages.status();
    }
  }));
  return *std::move(top);
}

absl::StatusOr<Audit> Node::TakeAudit() {
  auto audit = std::make_shared<Audit>();
  RETURN_IF_ERROR(OnLedger([this, audit] { *audit = AuditOf(*ledger_); }));
  return *audit;
}

absl::Status Node::AddSeeds(const std::vector<std::string>& urls) {
  std::vector<ledger::Link> pages;
  for (const std::string& typed : urls) {
    const std::optional<url::Url> seed = url::Parse(typed);
    if (!seed) return absl::InvalidArgumentError(absl::StrCat("\"", typed, "\" is no http(s) URL"));
    pages.push_back({hash_->PageOf(*seed), seed->text()});
  }
  return OnLedger([this, pages] { ledger_->Seed(pages); });
}

namespace {

class RestingNode final : public Answers {
 public:
  absl::Status Prepare(const DataFolder& folder) {
    const absl::Time begin = base::RealClock::Get().Now();
    store::RocksOptions rocks;
    rocks.read_only = true;
    rocks.create = false;
    ASSIGN_OR_RETURN(store_, store::OpenRocksStore(folder.store(), rocks));
    ASSIGN_OR_RETURN(ledger_,
                     ledger::Ledger::Open(LedgerOptions(folder, true, 0), *store_, nullptr));
    hash_ = std::make_unique<url::UrlHash>(ledger_->charter().shard_by, ledger_->charter().shards);
    recovery_time_ = base::RealClock::Get().Now() - begin;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    return AskImportance(*ledger_, *store_, *hash_, urls);
  }

  absl::StatusOr<TopPages> Top(size_t count) override {
    TopScan scan(*ledger_, *store_, count);
    while (true) {
      ASSIGN_OR_RETURN(const bool finished, scan.Step());
      if (finished) break;
    }
    ASSIGN_OR_RETURN(std::vector<PageImportance> pages, scan.Result());
    return WithBounds(*ledger_, std::move(pages));
  }

  absl::StatusOr<Audit> TakeAudit() override { return AuditOf(*ledger_); }

  absl::StatusOr<NodeStats> Stats() override {
    const page_table::Totals totals = ledger_->books().table().totals();
    const ledger::Balances& balances = ledger_->balances();
    const double supply = static_cast<double>(ledger_->charter().supply.units());
    NodeStats stats;
    stats.recovery = ledger_->recovery();
    stats.recovery_time = recovery_time_;
    stats.loop.phase = totals.pages == totals.done &&
                               balances.clock - std::max(balances.fetch_clock, balances.origin) >=
                                   ledger_->charter().window.T()
                           ? Phase::kFinished
                       : totals.pages == totals.done ? Phase::kSettling
                                                     : Phase::kCrawling;
    stats.loop.pages = totals.pages;
    stats.loop.unread = totals.pages - totals.done;
    stats.loop.by_kind = balances.by_kind;
    stats.loop.log_number = ledger_->log_number();
    stats.loop.clock = static_cast<double>(balances.clock) / supply;
    stats.loop.fetch_clock =
        static_cast<double>(std::max(balances.fetch_clock, balances.origin)) / supply;
    stats.loop.window = ledger_->charter().window.supplies;
    stats.loop.virtual_share = static_cast<double>(balances.virtual_page.units()) / supply;
    stats.loop.table_bytes = totals.bytes;
    return stats;
  }

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<url::UrlHash> hash_;
  absl::Duration recovery_time_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Answers>> OpenAtRest(const DataFolder& folder) {
  auto node = std::make_unique<RestingNode>();
  RETURN_IF_ERROR(node->Prepare(folder));
  return node;
}

}  // namespace opic::node
