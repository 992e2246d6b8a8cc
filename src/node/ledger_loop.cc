#include "node/ledger_loop.h"

#include <pthread.h>

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "base/log_part.h"
#include "base/status_macros.h"
#include "desk/store_failure.h"
#include "node/attention.h"
#include "node/error_goal.h"
#include "node/host_budgets.h"
#include "node/host_rule_book.h"
#include "node/idle_publications.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

constexpr absl::Duration kGroupTime = absl::Milliseconds(10);
// A turn in which nothing can be due but the crawl's time limit; whatever arrives wakes the loop.
constexpr absl::Duration kRestTime = absl::Milliseconds(500);
// A settling sweep that found nothing: cash is on its way here, or below the threshold still. After
// so many of them there is nothing that settling could do, as while a loss waits for its operator.
constexpr absl::Duration kFruitlessPause = absl::Milliseconds(1);
constexpr int kFruitlessTurns = 1000;
constexpr absl::Duration kShareRateEvery = absl::Seconds(2);

// What GreatPages may take of a turn that has work to do, and of one that has none.
constexpr absl::Duration kWalkBusy = absl::Milliseconds(2), kWalkIdle = absl::Milliseconds(10);
constexpr int kWalkStepsMost = 40;

constexpr uint64_t kMegabyte = 1'000'000;

void EndOnFailure(const absl::Status& status) { desk::EndOnStoreFailure("the ledger", status); }

}  // namespace

LedgerLoop::LedgerLoop(const CrawlOptions& options, const CrawlMemory& crawl,
                       ledger::Ledger& ledger, store::Store& store, base::Clock& clock)
    : options_(options),
      ledger_(ledger),
      store_(store),
      clock_(clock),
      reports_(options.memory.reports()),
      peer_messages_(options.memory.group()),
      inbox_(kInboxItems),
      limits_(options, clock),
      disk_(options.disk),
      crawl_(crawl),
      mover_(ledger),
      first_pages_(options.duplicates, options.near_duplicates, ledger, store),
      great_(ledger, store),
      follows_great_(ledger.charter().method == importance::Method::kPush),
      unread_(ledger.books().table(), mover_.closed()),
      attention_(std::make_unique<Attention>(ledger, store, mover_.closed(), options.interest)),
      discovery_(schedule::MakeStrategy(strategy_kind_, ledger.charter().cluster_id)),
      settler_(options_, ledger, store, mover_.closed(), clock),
      scope_(std::make_shared<const PageScope>(crawl, clock.Now())) {
  ledger_.TellDiscoveries(
      [this](PageId page, const ledger::PageRow& row) { attention_->Found(page, row.url); });
  ledger_.CompleteGroups([this] { return first_pages_.TakeMoves(); });
}

LedgerLoop::~LedgerLoop() {
  Stop().IgnoreError();
  ledger_.TellDiscoveries(nullptr);
  ledger_.CompleteGroups(nullptr);
}

void LedgerLoop::Start(desk::OrderDesk& desk, desk::SchedulerLink& link,
                       cluster::Exchange* exchange, LeaseRelay* relay) {
  desk_ = &desk;
  link_ = &link;
  exchange_ = exchange;
  relay_ = relay;
  if (exchange != nullptr) settler_.MeetPeers(*exchange);
  mover_.Start(link, relay);
  limits_.Start(desk, Answered());
  desk.robots().AskSilentAgain(std::min(asked_again_, clock_.Now()));  // it may have been ahead
  Publish(absl::ZeroDuration());
  thread_ = std::thread(base::OfThisPart([this] { Loop(); }));
}

void LedgerLoop::Refresh(std::unique_ptr<RefreshPlan> plan) {
  refresh_ = std::move(plan);
  attention_->Follow(refresh_->publications());
}

void LedgerLoop::UsePublications(std::unique_ptr<IdlePublications> idle) {
  idle_ = std::move(idle);
  attention_->Follow(idle_->publications());
}

Publications& LedgerLoop::published() {
  if (refresh_) return *refresh_;
  return *idle_;
}

void LedgerLoop::CountSpending(HostBudgets& budgets) {
  budgets_ = &budgets;
  mover_.CarrySpending(budgets);
}

// What holds of hosts, and the node's place in its cluster.
void LedgerLoop::TellScheduler() {
  if (!in_session_) return;
  schedule::Rules rules;
  rules.place = place_;
  rules.given_up_again = GivenUpAgain();
  if (host_rules_ != nullptr) {
    rules.rules = host_rules_->list();
    rules.groups = host_rules_->groups();
  }
  link_->Send(std::move(rules));
}

void LedgerLoop::TellHostRules() {
  TellScheduler();
  if (desk_ != nullptr) desk_->EndBlocked();
  if (refresh_) EndOnFailure(refresh_->HostRulesChanged(clock_.Now()));
}

void LedgerLoop::TryGivenUpAgain(absl::Time asked) {
  asked_again_ = asked;
  if (desk_ != nullptr) desk_->robots().AskSilentAgain(asked);
  TellScheduler();
}

uint64_t LedgerLoop::GivenUpAgain() const {
  if (asked_again_ == absl::InfinitePast()) return 0;
  return static_cast<uint64_t>(absl::ToUnixMicros(asked_again_));
}

void LedgerLoop::Pause(bool paused) {
  paused_ = paused;
  inbox_.Push(Wake());  // wakes the loop
}

absl::Status LedgerLoop::Stop() {
  if (!stopping_.exchange(true) && thread_.joinable()) {
    inbox_.Push(Wake());  // wakes the loop
    thread_.join();
    inbox_.Close();
  }
  return ended_;
}

void LedgerLoop::Loop() {
  pthread_setname_np(pthread_self(), "opic-ledger");
  while (!stopping_) {
    Gather(kGroupVisits, Patience());
    Turn();
  }
  // What was reported before the stop is still recorded: what the turn before has left, and then
  // all that is in the inbox.
  bool last = false;
  do {
    last = last || gathered_.empty();
    Gather(kInboxItems, absl::ZeroDuration());
    Turn();
  } while (!last || !gathered_.empty());
  DropAsked();
  ended_ = KeepLearnt();
  if (ended_.ok()) ended_ = ledger_.Checkpoint(/*all=*/true);
}

// While there is something to settle the loop must not sleep; else it waits for a group to gather.
absl::Duration LedgerLoop::Patience() const {
  if (directive_ && !only_due_wait_) return absl::ZeroDuration();
  absl::Duration patience = kGroupTime;
  if (refresh_ && refresh_->stats().counting) return absl::ZeroDuration();
  if (attention_->looking()) return absl::ZeroDuration();
  if (follows_great_ && !great_.whole() && IdleTurn()) return absl::ZeroDuration();
  if (phase_ == Phase::kFinished && !mover_.busy()) patience = kRestTime;
  if (phase_ == Phase::kSettling && settler_.PeersKeepUp()) {
    if (!IdleTurn()) return absl::ZeroDuration();
    if (fruitless_turns_ < kFruitlessTurns) patience = kFruitlessPause;
  }
  if (exchange_ == nullptr) return patience;
  return std::clamp(exchange_->next_wake() - clock_.Steady(), absl::ZeroDuration(), patience);
}

void LedgerLoop::Turn() {
  const absl::Time begin = clock_.Steady();
  RunAsked();
  TakeGathered();
  std::erase_if(visits_, [this](const ledger::Visit& visit) { return !IsOurs(visit.page); });
  if (refresh_) {
    const desk::SharedCounters& counters = desk_->counters();
    refresh_->NoteFetcher(
        counters[desk::Counter::kRequests] + counters[desk::Counter::kRobotsRequests],
        desk_->in_progress() >= limits_.limits().in_flight);
  }
  if (refresh_) EndOnFailure(refresh_->Step(clock_.Now()));
  if (idle_) EndOnFailure(idle_->Step(clock_.Now()));
  EndOnFailure(Record(visits_));
  ValueLines();
  NoteSpending();
  recorded_this_turn_ = visits_.size();
  visits_.clear();
  if (exchange_ != nullptr) {
    mover_.AwaitOrder(!crawl_.given());
    mover_.UpdateClosed();
  }
  EndOnFailure(attention_->Step());
  desk_->AskWhole(ledger_.restating().due());
  TakeDirective();
  ServeDirective();
  EndOnFailure(settler_.Step(phase_, recorded_this_turn_));
  fruitless_turns_ = phase_ == Phase::kSettling && IdleTurn() ? fruitless_turns_ + 1 : 0;
  CommitAndTell();
  FollowGreatPages();
  MoveShards();
  EndOnFailure(ledger_.Checkpoint(/*all=*/false));
  limits_.HoldToTime();
  WatchDisk();
  UpdatePhase();
  ShareRate();
  UpdateCapacity();
  Publish(clock_.Steady() - begin);
}

absl::Status LedgerLoop::Record(std::vector<ledger::Visit>& visits) {
  RETURN_IF_ERROR(first_pages_.Judge(absl::MakeSpan(visits)));
  if (refresh_) RETURN_IF_ERROR(refresh_->Plan(absl::MakeSpan(visits), clock_.Now()));
  RETURN_IF_ERROR(attention_->Learn(visits));
  RETURN_IF_ERROR(ledger_.Record(visits));
  if (visits.empty()) return absl::OkStatus();
  if (auto learnt = attention_->TakeRow(/*at_once=*/false))
    ledger_.Note(std::move(learnt->first), std::move(learnt->second));
  return absl::OkStatus();
}

absl::Status LedgerLoop::KeepLearnt() {
  auto learnt = attention_->TakeRow(/*at_once=*/true);
  if (!learnt) return absl::OkStatus();
  store::Batch batch;
  batch.Put(store::Table::kMeta, std::move(learnt->first), std::move(learnt->second));
  return store_.Write(batch, store::Sync::kNo);
}

// Before what the group pays to these pages is theirs. Visits of other nodes' pages were dropped.
void LedgerLoop::ValueLines() {
  for (auto& [page, line] : lines_) {
    lines_recorded_.push_back({std::move(line), ledger_.RecordedImportance(page)});
  }
  lines_.clear();
}

// With the visits that are recorded now.
void LedgerLoop::NoteSpending() {
  if (budgets_ == nullptr) return;
  std::vector<PageId> pages;
  for (const ledger::Visit& visit : visits_) pages.push_back(visit.page);
  for (auto& [key, row] : budgets_->Record(pages)) ledger_.Note(std::move(key), std::move(row));
}

void LedgerLoop::SetCrawl(CrawlMemory crawl) {
  crawl_ = std::move(crawl);
  auto scope = std::make_shared<const PageScope>(crawl_, clock_.Now());
  absl::MutexLock lock(&mu_);
  scope_ = std::move(scope);
}

PageScope::Verdict LedgerLoop::Judge(const ledger::PageRow& row) const {
  std::shared_ptr<const PageScope> scope;
  {
    absl::MutexLock lock(&mu_);
    scope = scope_;
  }
  return scope->Judge(row, clock_.Now());
}

void LedgerLoop::CommitAndTell() {
  const uint64_t before = ledger_.log_number();
  if (exchange_ != nullptr) exchange_->BeforeCommit(NothingToFetch(), clock_.Steady());
  const absl::StatusOr<uint64_t> log_number = ledger_.Commit();
  EndOnFailure(log_number.status());
  first_pages_.Committed();
  if (budgets_ != nullptr) budgets_->Committed();
  OPIC_CHECK(*log_number >= before)
      << "the journal has fallen from record " << before << " to " << *log_number;
  if (*log_number != before) ++commits_;
  if (exchange_ != nullptr) EndOnFailure(exchange_->AfterCommit(clock_.Steady()));
  for (PageId page : handled_) {
    if (budgets_ != nullptr) budgets_->GiveBack(page);
    desk_->Handled(page);
  }
  handled_.clear();
  desk_->LogRecorded(lines_recorded_);
  lines_recorded_.clear();
  held_.clear();
  // Whoever was told that nothing is left asks again after a Capacity, even an unchanged one.
  if (reported_exhausted_ && SomethingToOffer()) {
    reported_exhausted_ = false;
    capacity_sent_.reset();
  }
}

// After the commit, which has told it what it wrote. A row that cannot be read is told by the
// questions that need it.
void LedgerLoop::FollowGreatPages() {
  if (!follows_great_ || great_.whole()) return;
  const absl::Time until = clock_.Steady() + (IdleTurn() ? kWalkIdle : kWalkBusy);
  for (int step = 0; step < kWalkStepsMost && !great_.whole() && clock_.Steady() < until; ++step) {
    const absl::Status walked = great_.Step();
    if (walked.ok()) continue;
    base::LogWarning(
        "`opic top` is slow or fails until the next start, because what a page recorded cannot be "
        "read (`opic verify` looks at all pages, at rest): {}",
        std::string(walked.message()));
    follows_great_ = false;
    return;
  }
}

// One shard a turn: its departure is a write of its own.
void LedgerLoop::MoveShards() {
  if (exchange_ == nullptr) return;
  std::vector<PageId> in_progress;
  if (mover_.busy()) in_progress = desk_->InProgress();
  const absl::StatusOr<bool> departed = mover_.Step(in_progress);
  EndOnFailure(departed.status());
  if (*departed) CommitAndTell();
  if (mover_.TakeStranded() && in_session_) Take(SessionBegins());
}

uint64_t LedgerLoop::Answered() const {
  const auto& by_kind = ledger_.balances().by_kind;
  return by_kind[static_cast<int>(ledger::VisitKind::kFetched)] +
         by_kind[static_cast<int>(ledger::VisitKind::kRedirect)] +
         by_kind[static_cast<int>(ledger::VisitKind::kGone)] +
         by_kind[static_cast<int>(ledger::VisitKind::kFailed)];
}

// Orders on their way are postponed by the desk, and no new ones come (UpdateCapacity).
void LedgerLoop::WatchDisk() {
  if (!disk_.Look(clock_.Steady())) return;
  const DiskState& disk = disk_.state();
  desk_->Pause(disk.low, desk::OrderDesk::PausedBy::kFullDisk);
  if (disk.low) {
    base::LogWarning(
        "fetching is paused: only {} MB are free on the disk of the data folder, less than "
        "--disk-free-min, {} MB; it goes on by itself when {} MB are free",
        disk.free_bytes / kMegabyte, disk.free_min / kMegabyte, disk.free_enough / kMegabyte);
  } else {
    base::LogWarning("fetching goes on: {} MB are free on the disk of the data folder",
                     disk.free_bytes / kMegabyte);
  }
}

bool LedgerLoop::CanFetch() const {
  return !paused_ && !desk_->without_network() && !disk_.state().low && !limits_.Reached() &&
         (exchange_ == nullptr || !exchange_->outbox_full());
}

void LedgerLoop::ShareRate() {
  const absl::Time now = clock_.Steady();
  if (!refresh_ || exchange_ == nullptr || now < rate_shared_ + kShareRateEvery) return;
  rate_shared_ = now;
  exchange_->Tell(refresh_->ShareRate(CanFetch(), exchange_->Demands(now)));
}

void LedgerLoop::UpdateCapacity() {
  schedule::Capacity capacity{CanFetch() ? limits_.limits().in_flight : 0,
                              desk_->without_network()};
  if (refresh_) {
    capacity.rate_factor = refresh_->rate_factor();
    capacity.refresh_share = refresh_->given_share();
  }
  if (!in_session_ || capacity_sent_ == capacity) return;
  capacity_sent_ = capacity;
  link_->Send(capacity);
}

bool LedgerLoop::NothingToFetch() const {
  const page_table::Totals totals = ledger_.books().table().totals();
  return desk_->in_progress() == 0 &&
         (totals.pages == totals.done || limits_.Reached() || OnlyWithheldLeft());
}

// They stay unread, and keep their cash; a crawl does not wait for an operator.
bool LedgerLoop::OnlyWithheldLeft() const {
  const page_table::Totals totals = ledger_.books().table().totals();
  const uint64_t withheld = Withheld();
  return withheld > 0 && totals.pages - totals.done <= withheld && unread_.eligible() == 0;
}

// The scheduler counts a robots.txt of another host's page, too.
uint64_t LedgerLoop::Withheld() const {
  if (withheld_ == 0) return 0;
  return withheld_ - std::min<uint64_t>(withheld_, desk_->withheld_redirects());
}

void LedgerLoop::UpdatePhase() {
  PhaseInputs progress;
  progress.fetching_over = NothingToFetch() && (exchange_ == nullptr || exchange_->all_idle());
  progress.may_settle = options_.settle && ledger_.charter().keep_links;
  progress.time_over = limits_.TimeIsOver();
  progress.pages = ledger_.cluster().pages();
  if (progress.fetching_over && ledger_.cluster().unread() == 0 && !limits_.Reached()) {
    ledger_.GraphStandsStill();
  }
  progress.converged = ledger_.Converged(ErrorGoal(options_, progress.fetching_over));
  if (progress.fetching_over && !progress.converged) settler_.SharpenBound();
  phase_ = PhaseOf(progress);
}

}  // namespace opic::node
