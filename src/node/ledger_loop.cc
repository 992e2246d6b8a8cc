#include "node/ledger_loop.h"

#include <time.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/log.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr size_t kGroupVisits = 64;
constexpr size_t kInboxItems = 4096;
constexpr size_t kOffersPerTurn = 512;
constexpr uint64_t kSlotsPerTurn = 100'000;
constexpr absl::Duration kGroupTime = absl::Milliseconds(10);

absl::Duration ThreadCpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

// A walk that wraps, or goes on while pages move, may meet a page twice.
void DropRepeated(std::vector<PageId>& pages) {
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
}

// After a failed write the books in memory are ahead of the disk: recover from there rather than go
// on in doubt.
void EndOnFailure(const absl::Status& status) {
  if (status.ok()) return;
  base::LogError("the ledger cannot go on: {}", status.ToString());
  std::fprintf(
      stderr,
      "opic: the ledger cannot go on: %s\nNothing is lost: start again when the cause is mended.\n",
      status.ToString().c_str());
  std::fflush(nullptr);
  std::_Exit(kExitStoreFailed);
}

}  // namespace

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kCrawling:
      return "crawling";
    case Phase::kSettling:
      return "settling";
    case Phase::kFinished:
      return "finished";
  }
  return "unknown";
}

LedgerLoop::LedgerLoop(const CrawlOptions& options, const CrawlMemory& crawl,
                       ledger::Ledger& ledger, store::Store& store, base::Clock& clock)
    : options_(options),
      crawl_(crawl),
      scope_(crawl.MakeScope()),
      ledger_(ledger),
      store_(store),
      clock_(clock),
      inbox_(kInboxItems),
      unread_(ledger.books().table()),
      settleable_(ledger.books().table()),
      discovery_(schedule::MakeStrategy(strategy_kind_, ledger.charter().cluster_id)),
      settling_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep,
                                       ledger.charter().cluster_id + 1)),
      started_(clock.Now()),
      settle_time_(started_) {}

LedgerLoop::~LedgerLoop() { Stop().IgnoreError(); }

void LedgerLoop::Start(OrderDesk& desk, SchedulerLink& link) {
  desk_ = &desk;
  link_ = &link;
  if (options_.pages_max > 0) {
    desk_->SetPagesLeft(options_.pages_max - std::min(options_.pages_max, Answered()));
  }
  Publish(absl::ZeroDuration());
  thread_ = std::thread([this] { Loop(); });
}

void LedgerLoop::Pause(bool paused) { paused_ = paused; }

absl::Status LedgerLoop::Stop() {
  if (!stopping_.exchange(true) && thread_.joinable()) {
    inbox_.Push(std::function<void()>([] {}));  // wakes the loop
    thread_.join();
    inbox_.Close();
  }
  return ended_;
}

LoopStats LedgerLoop::stats() const {
  absl::MutexLock lock(&mu_);
  return stats_;
}

void LedgerLoop::Loop() {
  while (!stopping_) {
    // While there is something to settle the loop must not sleep; else it waits for a group to
    // gather.
    const bool busy = phase_ == Phase::kSettling || directive_.has_value();
    std::vector<Item> items =
        inbox_.PopSome(kGroupVisits, busy ? absl::ZeroDuration() : kGroupTime);
    Turn(std::move(items));
  }
  // What was reported before the stop is still recorded.
  Turn(inbox_.PopSome(kInboxItems, absl::ZeroDuration()));
  ended_ = ledger_.Checkpoint(/*all=*/true);
}

void LedgerLoop::Turn(std::vector<Item> items) {
  const absl::Time begin = clock_.Now();
  for (Item& item : items)
    std::visit([this](auto&& value) { Take(std::move(value)); }, std::move(item));
  EndOnFailure(ledger_.Record(visits_));
  visits_.clear();
  ServeDirective();
  SettleSome();
  CommitAndTell();
  EndOnFailure(ledger_.Checkpoint(/*all=*/false));
  UpdatePhase();
  UpdateCapacity();
  Publish(clock_.Now() - begin);
}

void LedgerLoop::Take(Report report) {
  if (!report.discovered.empty()) ledger_.Seed(report.discovered);
  if (!report.visit) return;
  handled_.push_back(report.visit->page);
  visits_.push_back(*std::move(report.visit));
}

void LedgerLoop::Take(schedule::ToNode message) {
  if (auto* directive = std::get_if<schedule::Directive>(&message)) {
    if (directive->strategy != strategy_kind_) {
      strategy_kind_ = directive->strategy;
      discovery_ = schedule::MakeStrategy(strategy_kind_, ledger_.charter().cluster_id);
    }
    directive_ = *directive;
  }
}

void LedgerLoop::Take(SessionBegins) {
  ledger_.table().ClearOrdered();
  schedule::Hello hello;
  hello.node = "node";
  hello.in_flight = desk_->InFlight();
  for (schedule::InFlight& fetch : hello.in_flight) {
    if (fetch.host.empty()) fetch.host = HostOf(fetch.page);
  }
  for (PageId page : desk_->InProgress()) {
    const std::optional<page_table::Page> known = ledger_.table().Find(page);
    if (known && !known->done) ledger_.table().SetOrdered(page, true);
  }
  directive_.reset();
  in_session_ = true;
  capacity_told_ = 0;
  link_->Send(std::move(hello));
  UpdateCapacity();
}

// Of an order that no worker has begun; empty for a page that is not known, an errand.
std::string LedgerLoop::HostOf(PageId page) {
  const absl::StatusOr<std::optional<std::string>> row =
      store_.Get(store::Table::kPage, ledger::KeyOf(page));
  EndOnFailure(row.status());
  if (!*row) return "";
  const absl::StatusOr<ledger::PageRow> named = ledger::DecodePageRow(**row);
  EndOnFailure(named.status());
  const std::optional<url::Url> url = url::Parse(named->url);
  return url ? std::string(url->host()) : "";
}

void LedgerLoop::ServeDirective() {
  if (!directive_ || !in_session_) return;
  schedule::Offers answer;
  answer.directive = directive_->id;
  if (unread_.eligible() > 0) {
    std::vector<schedule::Candidate> chosen;
    discovery_->Choose(unread_, std::min<size_t>(directive_->want, kOffersPerTurn), kSlotsPerTurn,
                       chosen);
    EndOnFailure(OfferOrSettle(chosen, answer));
    if (answer.offers.empty() && unread_.eligible() > 0) return;  // go on in the next turn
  }
  answer.exhausted = told_exhausted_ = unread_.eligible() == 0;
  directive_.reset();
  link_->Send(std::move(answer));
}

// The node reads each chosen row once: pages in scope are offered, the others are visited without a
// fetch.
absl::Status LedgerLoop::OfferOrSettle(absl::Span<const schedule::Candidate> chosen,
                                       schedule::Offers& answer) {
  std::vector<std::string> keys;
  for (const schedule::Candidate& candidate : chosen) keys.push_back(ledger::KeyOf(candidate.page));
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, keys, &rows));
  std::vector<ledger::Visit> out_of_scope;
  absl::flat_hash_set<PageId> seen;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (!seen.insert(chosen[i].page).second) continue;  // a walk may meet a page twice
    if (!rows[i]) return absl::DataLossError("a page of the table has no row in the store");
    ASSIGN_OR_RETURN(const ledger::PageRow row, ledger::DecodePageRow(*rows[i]));
    const std::optional<url::Url> url = url::Parse(row.url);
    const bool too_deep = crawl_.depth_max > 0 && row.depth > crawl_.depth_max;
    if (!url || too_deep || !scope_.Contains(*url)) {
      ledger::Visit visit;
      visit.page = chosen[i].page;
      visit.kind = ledger::VisitKind::kOutOfScope;
      out_of_scope.push_back(std::move(visit));
      continue;
    }
    ledger_.table().SetOrdered(chosen[i].page, true);
    answer.offers.push_back({chosen[i].page, std::string(url->host()), chosen[i].cash});
  }
  return ledger_.Record(out_of_scope);
}

void LedgerLoop::SettleSome() {
  if (!options_.settle || !ledger_.charter().keep_links || phase_ == Phase::kFinished) return;
  size_t most = kGroupVisits;
  if (phase_ == Phase::kCrawling) {
    const absl::Time now = clock_.Now();
    settle_allowance_ += options_.settles_per_s * absl::ToDoubleSeconds(now - settle_time_);
    settle_allowance_ = std::min(settle_allowance_, static_cast<double>(kGroupVisits));
    settle_time_ = now;
    most = static_cast<size_t>(settle_allowance_);
  }
  if (most == 0 || settleable_.eligible() == 0) return;
  std::vector<schedule::Candidate> chosen;
  settling_->Choose(settleable_, most, kSlotsPerTurn, chosen);
  settle_allowance_ -= static_cast<double>(chosen.size());
  std::vector<PageId> pages;
  for (const schedule::Candidate& candidate : chosen) pages.push_back(candidate.page);
  DropRepeated(pages);
  EndOnFailure(ledger_.Settle(pages));
}

void LedgerLoop::CommitAndTell() {
  const uint64_t before = ledger_.log_number();
  const absl::StatusOr<uint64_t> log_number = ledger_.Commit();
  EndOnFailure(log_number.status());
  if (*log_number != before) ++commits_;
  for (PageId page : handled_) desk_->Handled(page);
  handled_.clear();
  // Whoever was told that nothing is left asks again after a Capacity, even an unchanged one.
  if (told_exhausted_ && unread_.eligible() > 0) {
    told_exhausted_ = false;
    capacity_told_.reset();
  }
}

uint64_t LedgerLoop::Answered() const {
  const auto& by_kind = ledger_.balances().by_kind;
  return by_kind[static_cast<int>(ledger::VisitKind::kFetched)] +
         by_kind[static_cast<int>(ledger::VisitKind::kRedirect)] +
         by_kind[static_cast<int>(ledger::VisitKind::kGone)] +
         by_kind[static_cast<int>(ledger::VisitKind::kFailed)];
}

bool LedgerLoop::LimitReached() const {
  return (options_.pages_max > 0 && Answered() >= options_.pages_max) ||
         (options_.bytes_max > 0 && desk_->counters().wire_bytes >= options_.bytes_max) ||
         clock_.Now() - started_ >= options_.time_max;
}

void LedgerLoop::UpdateCapacity() {
  const bool stopped = paused_ || LimitReached();
  const uint32_t capacity = stopped ? 0 : static_cast<uint32_t>(options_.fetch.in_flight_max);
  if (!in_session_ || capacity_told_ == capacity) return;
  capacity_told_ = capacity;
  link_->Send(schedule::Capacity{capacity});
}

void LedgerLoop::UpdatePhase() {
  const page_table::Totals totals = ledger_.books().table().totals();
  const bool limit = LimitReached();
  const bool fetching_over = desk_->in_progress() == 0 && (limit || totals.pages == totals.done);
  if (!fetching_over) {
    phase_ = Phase::kCrawling;
    return;
  }
  const ledger::Balances& balances = ledger_.balances();
  if (!limit && balances.fetch_clock > ledger_.origin()) ledger_.BeginWindow();
  // Behind a limit pages stay unread and pay nothing on: settling would end with all cash on them,
  // and the clock would stand still before it has grown by T.
  const bool settled = !options_.settle || !ledger_.charter().keep_links ||
                       totals.done < totals.pages || clock_.Now() - started_ >= options_.time_max ||
                       balances.clock - std::max(balances.fetch_clock, ledger_.origin()) >=
                           ledger_.charter().window.T();
  phase_ = settled ? Phase::kFinished : Phase::kSettling;
}

void LedgerLoop::Publish(absl::Duration turn) {
  longest_turn_ = std::max(longest_turn_, turn);
  const page_table::Totals totals = ledger_.books().table().totals();
  const ledger::Balances& balances = ledger_.balances();
  const double supply = static_cast<double>(ledger_.charter().supply.units());
  LoopStats now;
  now.phase = phase_;
  now.pages = totals.pages;
  now.unread = totals.pages - totals.done;
  now.ordered = totals.ordered;
  now.by_kind = balances.by_kind;
  now.settled = ledger_.settled();
  now.commits = commits_;
  now.collisions = ledger_.collisions();
  now.log_number = ledger_.log_number();
  now.clock = static_cast<double>(balances.clock) / supply;
  now.fetch_clock = static_cast<double>(std::max(balances.fetch_clock, balances.origin)) / supply;
  now.window = ledger_.charter().window.supplies;
  now.virtual_share = static_cast<double>(balances.virtual_page.units()) / supply;
  now.table_bytes = totals.bytes;
  now.store_bytes_written = store_.bytes_written();
  now.cpu = ThreadCpu();
  now.longest_turn = longest_turn_;
  now.threshold = static_cast<double>(discovery_->threshold().units());
  now.limit_reached = LimitReached();
  absl::MutexLock lock(&mu_);
  stats_ = now;
}

}  // namespace opic::node
