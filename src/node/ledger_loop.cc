#include "node/ledger_loop.h"

#include <algorithm>

#include "base/status_macros.h"
#include "desk/store_failure.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

constexpr size_t kGroupVisits = 64;
constexpr size_t kInboxItems = 4096;
constexpr uint64_t kSlotsPerTurn = 100'000;
constexpr absl::Duration kGroupTime = absl::Milliseconds(10);
// A turn in which nothing can be due but the crawl's time limit; whatever arrives wakes the loop.
constexpr absl::Duration kRestTime = absl::Milliseconds(500);
// A settling sweep that found nothing: cash is on its way here, or below the threshold still.
constexpr absl::Duration kFruitlessPause = absl::Milliseconds(1);
// Settling outruns a network: more batches than these on their way to a peer are waited for, so
// that the cash of the cluster stays on its pages. Fewer where a few groups visit all pages there
// are: else a node that gets no processor for a while gathers what the others pay it, and its pages
// seem to be worth that much.
constexpr size_t kUnacknowledgedMax = 16;
constexpr uint64_t kPagesPerUnacknowledged = 1024;

// A walk that wraps, or goes on while pages move, may meet a page twice.
void DropRepeated(std::vector<PageId>& pages) {
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
}

void EndOnFailure(const absl::Status& status) { desk::EndOnStoreFailure("the ledger", status); }

}  // namespace

LedgerLoop::LedgerLoop(const CrawlOptions& options, const CrawlMemory& crawl,
                       ledger::Ledger& ledger, store::Store& store, base::Clock& clock)
    : options_(options),
      ledger_(ledger),
      store_(store),
      clock_(clock),
      inbox_(kInboxItems),
      crawl_(crawl),
      mover_(ledger),
      unread_(ledger.books().table(), mover_.closed()),
      settleable_(ledger.books().table(), mover_.closed()),
      discovery_(schedule::MakeStrategy(strategy_kind_, ledger.charter().cluster_id)),
      settling_(schedule::MakeStrategy(schedule::StrategyKind::kThresholdSweep,
                                       ledger.charter().cluster_id + 1)),
      started_(clock.Steady()),
      settle_time_(started_),
      scope_(std::make_shared<const PageScope>(PageScope{crawl.MakeScope(), crawl.depth_max})) {}

LedgerLoop::~LedgerLoop() { Stop().IgnoreError(); }

void LedgerLoop::Start(desk::OrderDesk& desk, desk::SchedulerLink& link,
                       cluster::Exchange* exchange, LeaseRelay* relay) {
  desk_ = &desk;
  link_ = &link;
  exchange_ = exchange;
  relay_ = relay;
  mover_.Start(link, relay);
  if (options_.pages_max > 0) {
    desk_->SetPagesLeft(options_.pages_max - std::min(options_.pages_max, Answered()));
  }
  Publish(absl::ZeroDuration());
  thread_ = std::thread([this] { Loop(); });
}

void LedgerLoop::Refresh(std::unique_ptr<RefreshPlan> plan) { refresh_ = std::move(plan); }

void LedgerLoop::Pause(bool paused) {
  paused_ = paused;
  inbox_.Push(std::function<void()>([] {}));  // wakes the loop
}

absl::Status LedgerLoop::Stop() {
  if (!stopping_.exchange(true) && thread_.joinable()) {
    inbox_.Push(std::function<void()>([] {}));  // wakes the loop
    thread_.join();
    inbox_.Close();
  }
  return ended_;
}

void LedgerLoop::Loop() {
  while (!stopping_) {
    Turn(inbox_.PopSome(kGroupVisits, Patience()));
  }
  // What was reported before the stop is still recorded.
  Turn(inbox_.PopSome(kInboxItems, absl::ZeroDuration()));
  ended_ = ledger_.Checkpoint(/*all=*/true);
}

// While there is something to settle the loop must not sleep; else it waits for a group to gather.
absl::Duration LedgerLoop::Patience() const {
  if (directive_) return absl::ZeroDuration();
  absl::Duration patience = kGroupTime;
  if (refresh_ && refresh_->stats().counting) return absl::ZeroDuration();
  if (phase_ == Phase::kFinished && !mover_.busy()) patience = kRestTime;
  if (phase_ == Phase::kSettling && exchange_ == nullptr) return absl::ZeroDuration();
  if (phase_ == Phase::kSettling && PeersKeepUp()) {
    patience = settled_this_turn_ > 0 ? absl::ZeroDuration() : kFruitlessPause;
  }
  if (exchange_ == nullptr) return patience;
  return std::clamp(exchange_->next_wake() - clock_.Steady(), absl::ZeroDuration(), patience);
}

void LedgerLoop::Turn(std::vector<Item> items) {
  const absl::Time begin = clock_.Steady();
  for (Item& item : items) std::visit([this](auto& value) { Take(std::move(value)); }, item);
  std::erase_if(visits_, [this](const ledger::Visit& visit) { return !IsOurs(visit.page); });
  if (refresh_) EndOnFailure(refresh_->Step(clock_.Now()));
  EndOnFailure(Record(visits_));
  recorded_this_turn_ = visits_.size();
  visits_.clear();
  if (exchange_ != nullptr) {
    mover_.AwaitOrder(!crawl_.given());
    mover_.UpdateClosed();
  }
  desk_->AskWhole(ledger_.restating().due());
  ServeDirective();
  SettleSome();
  CommitAndTell();
  MoveShards();
  EndOnFailure(ledger_.Checkpoint(/*all=*/false));
  UpdatePhase();
  UpdateCapacity();
  Publish(clock_.Steady() - begin);
}

absl::Status LedgerLoop::Record(std::vector<ledger::Visit>& visits) {
  if (refresh_) RETURN_IF_ERROR(refresh_->Plan(absl::MakeSpan(visits), clock_.Now()));
  return ledger_.Record(visits);
}

// Not so while an order for the page was carried out: its shard was found to be another node's.
bool LedgerLoop::IsOurs(PageId page) const {
  return ledger_.moves().Workable(page.shard()) && ledger_.books().table().Find(page);
}

void LedgerLoop::Take(desk::Report report) {
  if (!report.discovered.empty()) ledger_.Seed(report.discovered);
  if (report.rowless) {
    if (IsOurs(*report.rowless)) {
      EndOnFailure(absl::DataLossError("an ordered page has no row in the store"));
    }
    handled_.push_back(*report.rowless);
  }
  if (!report.visit) return;
  handled_.push_back(report.visit->page);
  visits_.push_back(*std::move(report.visit));
}

void LedgerLoop::Take(PeerSession session) {
  if (session.connected) {
    exchange_->OnConnected(session.peer, clock_.Steady());
    if (relay_ != nullptr) relay_->OnConnected(session.peer);  // Hello was said
  } else {
    exchange_->OnDisconnected(session.peer);
  }
}

// The next message may come in while this one is worked on: two of a peer are in memory at most.
void LedgerLoop::Take(PeerMessage message) {
  message.read_next();
  EndOnFailure(exchange_->OnMessage(message.from, std::move(message.message), clock_.Steady()));
}

void LedgerLoop::Take(schedule::ToNode message) {
  if (auto* directive = std::get_if<schedule::Directive>(&message)) {
    if (directive->strategy != strategy_kind_) {
      strategy_kind_ = directive->strategy;
      discovery_ = schedule::MakeStrategy(strategy_kind_, ledger_.charter().cluster_id);
    }
    directive_ = *directive;
  } else if (auto* released = std::get_if<schedule::Released>(&message)) {
    mover_.Take(std::move(*released));
  } else if (auto* adopted = std::get_if<schedule::Adopted>(&message)) {
    mover_.Take(*adopted);
  }
}

void LedgerLoop::Take(SessionBegins) {
  ledger_.table().ClearOrdered();
  if (refresh_) refresh_->OffersWereLost();
  schedule::NodeHello hello;
  hello.node = options_.membership ? options_.membership->own().name : "node0";
  hello.in_flight = desk_->InFlight();
  if (relay_ != nullptr) {
    hello.lending =
        schedule::Lending{.self = relay_->self().node,
                          .nodes = static_cast<uint32_t>(options_.membership->map.nodes().size()),
                          .process = relay_->self().process,
                          .request_time_max = options_.fetch.total_timeout};
  }
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
  mover_.BeginSession();
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

void LedgerLoop::SetCrawl(CrawlMemory crawl) {
  crawl_ = std::move(crawl);
  auto scope = std::make_shared<const PageScope>(PageScope{crawl_.MakeScope(), crawl_.depth_max});
  absl::MutexLock lock(&mu_);
  scope_ = std::move(scope);
}

std::optional<url::Url> LedgerLoop::InScope(const ledger::PageRow& row) const {
  std::shared_ptr<const PageScope> now;
  {
    absl::MutexLock lock(&mu_);
    now = scope_;
  }
  if (now->depth_max > 0 && row.depth > now->depth_max) return std::nullopt;
  std::optional<url::Url> url = url::Parse(row.url);
  if (url && !now->scope.Contains(*url)) url.reset();
  return url;
}

bool LedgerLoop::PeersKeepUp() const {
  const uint64_t pages = ledger_.books().table().totals().pages;
  const size_t most = std::min<size_t>(kUnacknowledgedMax, 1 + pages / kPagesPerUnacknowledged);
  for (uint16_t n = 0; n < ledger_.nodes(); ++n) {
    if (NodeId{n} == options_.membership->self) continue;
    if (ledger_.peers().retained(NodeId{n}).size() >= most) return false;
  }
  return true;
}

void LedgerLoop::SettleSome() {
  settled_this_turn_ = 0;
  if (!options_.settle || !ledger_.charter().keep_links || phase_ == Phase::kFinished) return;
  if (exchange_ != nullptr && (exchange_->outbox_full() || !PeersKeepUp())) return;
  size_t most = kGroupVisits;
  if (phase_ == Phase::kCrawling) {
    const absl::Time now = clock_.Steady();
    settle_allowance_ += options_.settles_per_s * absl::ToDoubleSeconds(now - settle_time_) +
                         options_.settles_per_fetch * static_cast<double>(recorded_this_turn_);
    settle_allowance_ = std::min(settle_allowance_, static_cast<double>(kGroupVisits));
    settle_time_ = now;
    most = static_cast<size_t>(settle_allowance_);
  }
  if (most == 0 || settleable_.eligible() == 0) return;
  if (ledger_.accounting().Converged(options_.error_max)) return;
  settleable_.SetFloor(ledger_.accounting().SettleFloor(options_.error_max));
  std::vector<schedule::Candidate> chosen;
  settling_->Choose(settleable_, most, kSlotsPerTurn, chosen);
  settle_allowance_ -= static_cast<double>(chosen.size());
  std::vector<PageId> pages;
  for (const schedule::Candidate& candidate : chosen) pages.push_back(candidate.page);
  DropRepeated(pages);
  settled_this_turn_ = pages.size();
  EndOnFailure(ledger_.Settle(pages));
}

void LedgerLoop::CommitAndTell() {
  const uint64_t before = ledger_.log_number();
  if (exchange_ != nullptr) exchange_->BeforeCommit(NothingToFetch(), clock_.Steady());
  const absl::StatusOr<uint64_t> log_number = ledger_.Commit();
  EndOnFailure(log_number.status());
  if (*log_number != before) ++commits_;
  if (exchange_ != nullptr) EndOnFailure(exchange_->AfterCommit(clock_.Steady()));
  for (PageId page : handled_) desk_->Handled(page);
  handled_.clear();
  // Whoever was told that nothing is left asks again after a Capacity, even an unchanged one.
  if (told_exhausted_ && SomethingToOffer()) {
    told_exhausted_ = false;
    capacity_told_.reset();
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

bool LedgerLoop::LimitReached() const {
  return desk_->pages_exhausted() ||
         (options_.bytes_max > 0 &&
          desk_->counters()[desk::Counter::kWireBytes] >= options_.bytes_max) ||
         clock_.Steady() - started_ >= options_.time_max;
}

void LedgerLoop::UpdateCapacity() {
  const bool stopped =
      paused_ || LimitReached() || (exchange_ != nullptr && exchange_->outbox_full());
  const uint32_t capacity = stopped ? 0 : static_cast<uint32_t>(options_.fetch.in_flight_max);
  if (!in_session_ || capacity_told_ == capacity) return;
  capacity_told_ = capacity;
  link_->Send(schedule::Capacity{capacity});
}

bool LedgerLoop::NothingToFetch() const {
  const page_table::Totals totals = ledger_.books().table().totals();
  return desk_->in_progress() == 0 && (totals.pages == totals.done || LimitReached());
}

// The bound of the error is counted from a reference that ages as cash moves. A new one costs a
// walk of the table, so it is taken when half as many pages as there are were settled since.
void LedgerLoop::SharpenBound() {
  const uint64_t pages = ledger_.books().table().totals().pages;
  if (ledger_.counts().settled < sharpened_at_ + pages / 2) return;
  const std::optional<cash::Amount> reference = ledger_.accounting().BetterReference();
  if (!reference) return;
  ledger_.table().SetReference(*reference);
  sharpened_at_ = ledger_.counts().settled;
}

void LedgerLoop::UpdatePhase() {
  PhaseInputs progress;
  progress.fetching_over = NothingToFetch() && (exchange_ == nullptr || exchange_->all_idle());
  progress.may_settle = options_.settle && ledger_.charter().keep_links;
  progress.time_over = clock_.Steady() - started_ >= options_.time_max;
  progress.pages = ledger_.cluster().pages();
  if (progress.fetching_over && ledger_.cluster().unread() == 0 && !LimitReached()) {
    ledger_.GraphStandsStill();
  }
  progress.converged = ledger_.Converged(options_.error_max);
  if (progress.fetching_over && !progress.converged) SharpenBound();
  phase_ = PhaseOf(progress);
}

}  // namespace opic::node
