#include "node/node.h"

#include <sys/resource.h>

#include <algorithm>
#include <random>

#include "absl/synchronization/notification.h"
#include "base/check.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/pause_memory.h"

namespace opic::node {
namespace {

uint64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// Never 0, which stands for "none".
uint64_t RandomNumber() {
  std::random_device device;
  return uint64_t{device()} << 32 | device() | 1;
}

constexpr char kStartsKey[] = "starts";

// Synced before any peer hears of it, so that no two processes on one folder have the same.
absl::StatusOr<cluster::Incarnation> CountStart(store::Store& store) {
  ASSIGN_OR_RETURN(std::optional<std::string> row, store.Get(store::Table::kMeta, kStartsKey));
  if (!row) row = base::Big64(0);
  base::Decoder in(*row);
  const uint64_t start = in.Big64() + 1;
  if (!in.done()) {
    return absl::DataLossError(
        "the data folder is damaged: the number of its starts cannot be read; restore it from a "
        "backup");
  }
  store::Batch batch;
  batch.Put(store::Table::kMeta, kStartsKey, base::Big64(start));
  RETURN_IF_ERROR(store.Write(batch, store::Sync::kYes));
  return cluster::Incarnation{start, RandomNumber()};
}

ledger::Options LedgerOptions(const DataFolder& folder, const CrawlOptions& crawl) {
  ledger::Options options;
  options.checkpoint_folder = folder.checkpoints();
  options.unread_share = crawl.unread_share;
  if (crawl.membership) {
    options.nodes = static_cast<uint16_t>(crawl.membership->map.nodes().size());
    options.owner = [membership = crawl.membership](ShardId shard) {
      return membership->map.OwnerOf(shard);
    };
  }
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
  const absl::Time begin = started_ = clock_.Steady();
  store::RocksOptions reading_first;  // until the ledger has found it sound
  reading_first.read_first = true;
  ASSIGN_OR_RETURN(store_, store::OpenRocksStore(folder.store(), reading_first));
  ASSIGN_OR_RETURN(const CrawlMemory crawl, RecallCrawl(*store_));
  ASSIGN_OR_RETURN(const ledger::Charter wanted, WantedCharter());
  ASSIGN_OR_RETURN(ledger_,
                   ledger::Ledger::Open(LedgerOptions(folder, options_), *store_, &wanted));
  recovery_time_ = clock_.Steady() - begin;
  hash_ = std::make_unique<url::UrlHash>(ledger_->charter().shard_by, ledger_->charter().shards);
  loop_ = std::make_unique<LedgerLoop>(options_, crawl, *ledger_, *store_, clock_);
  if (options_.refresh.on()) {
    ASSIGN_OR_RETURN(
        std::unique_ptr<RefreshPlan> plan,
        RefreshPlan::Open(options_.refresh, *ledger_, *store_, folder.path(), clock_.Now()));
    loop_->Refresh(std::move(plan));
  }
  exports_ = std::make_unique<ExportDesk>(
      *ledger_, *store_, clock_, folder.path(),
      [this](std::function<void()> ask) { return OnLedger(std::move(ask)); });
  return TakeSeeds();
}

// What the folder is to agree with; a new one begins with it.
absl::StatusOr<ledger::Charter> Node::WantedCharter() const {
  ASSIGN_OR_RETURN(const std::optional<ledger::Charter> stored,
                   ledger::Ledger::StoredCharter(*store_));
  if (options_.membership) {
    ledger::Charter charter = options_.membership->map.CharterOf(options_.membership->self);
    charter.birth = stored ? stored->birth : RandomNumber();
    return charter;
  }
  if (stored && stored->birth != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("this data folder belongs to node ", stored->node.value,
                     " of a cluster; run it with opic-node --cluster"));
  }
  ledger::Charter born = ledger::Charter::ForNewCrawl();
  born.cluster_id = RandomNumber();
  return options_.charter.ApplyTo(stored.value_or(born));
}

absl::Status Node::Start(desk::SchedulerLink& link, cluster::Transport* transport,
                         std::function<bool(NodeId)> answers) {
  OPIC_CHECK((transport != nullptr) == (options_.membership != nullptr));
  answers_ = std::move(answers);
  options_.strip_tracking = loop_->crawl().strip_tracking;
  ASSIGN_OR_RETURN(desk_,
                   desk::OrderDesk::Start(
                       options_, ledger_->window(), *hash_, *store_, clock_, fetch_log_, link,
                       [this](desk::Report report) { loop_->TakeReport(std::move(report)); }));
  desk_->AskScope([this](const ledger::PageRow& row) { return loop_->InScope(row).has_value(); });
  RETURN_IF_ERROR(RecallPause());
  if (transport != nullptr) {
    cluster::ExchangeOptions exchange = options_.membership->exchange;
    ASSIGN_OR_RETURN(exchange.incarnation, CountStart(*store_));
    exchange_ = std::make_unique<cluster::Exchange>(
        options_.membership->map, options_.membership->self, *ledger_, *transport, exchange);
    if (charter().shard_by == url::ShardBy::kUrl) LendHosts(link, *transport);
  }
  link_ = &link;
  running_ = true;
  loop_->Start(*desk_, link, exchange_.get(), relay_.get());
  return absl::OkStatus();
}

void Node::LendHosts(desk::SchedulerLink& link, cluster::Transport& transport) {
  relay_ = std::make_unique<LeaseRelay>(
      LeaseRelay::Self{charter().node, charter().cluster_id, RandomNumber()}, *hash_,
      desk_->robots(), link, transport, clock_);
  desk_->AskOnLoan([this](const std::string& host) { return relay_->MayAsk(host); });
}

void Node::OnPeerDisconnected(NodeId peer) {
  loop_->PeerDisconnected(peer);
  if (relay_) relay_->OnDisconnected(peer);
}

void Node::OnPeerMessage(NodeId peer, cluster::Message message, std::function<void()> read_next) {
  if (auto* letter = std::get_if<schedule::LeaseMessage>(&message)) {
    read_next();
    if (relay_) relay_->FromPeer(peer, std::move(*letter));
  } else {
    loop_->TakePeerMessage({peer, std::move(message), std::move(read_next)});
  }
}

// Orders and letters do not pass the ledger: a host that is free must not wait for a commit.
void Node::OnMessage(schedule::ToNode message) {
  if (auto* orders = std::get_if<schedule::Orders>(&message)) {
    desk_->Take(std::move(orders->orders));
  } else if (auto* letter = std::get_if<schedule::LeaseMessage>(&message)) {
    if (relay_) relay_->FromScheduler(std::move(*letter));
  } else {
    loop_->TakeMessage(std::move(message));
  }
}

absl::Status Node::Pause(bool paused) {
  HoldFetches(paused);
  paused_ = paused;
  base::LogInfo("fetching is {}, by an operator", paused ? "paused" : "resumed");
  return DoOnLedger([this, paused] { return RememberPause(*store_, paused, clock_.Now()); });
}

void Node::HoldFetches(bool hold) {
  if (desk_) desk_->Pause(hold);  // orders may be on their way
  loop_->Pause(hold);
}

absl::Status Node::RecallPause() {
  ASSIGN_OR_RETURN(const std::optional<absl::Time> since, PausedSince(*store_));
  paused_ = since.has_value();
  if (!paused_) return absl::OkStatus();
  base::LogWarning("fetching is paused since {}; `opic control resume` ends that",
                   absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", *since, absl::UTCTimeZone()));
  HoldFetches(true);
  return absl::OkStatus();
}

absl::Status Node::StopNode() {
  stop_requested_ = true;
  return absl::OkStatus();
}

Node::~Node() { Stop().IgnoreError(); }

// The desk first: its workers may wait for room in the loop's inbox, which the loop still empties.
absl::Status Node::Stop() {
  if (desk_) desk_->Stop();
  return loop_ ? loop_->Stop() : absl::OkStatus();
}

NodeStats Node::stats() const {
  NodeStats stats;
  if (options_.membership) stats.name = options_.membership->own().name;
  stats.loop = loop_->stats();
  stats.counters = loop_->counters();
  stats.recovery = ledger_->recovery();
  stats.recovery_time = recovery_time_;
  stats.uptime = clock_.Steady() - started_;
  stats.memory_bytes_peak = PeakMemory();
  stats.paused = paused_;
  if (!running_) return stats;
  stats.scheduler_away = !link_->connected();
  stats.counters += desk_->counters().Now();
  stats.in_flight = desk_->in_flight();
  stats.in_progress = desk_->in_progress();
  stats.fetch_cpu = desk_->fetch_cpu();
  stats.worker_cpu = desk_->worker_cpu();
  return stats;
}

absl::Status Node::OnLedger(std::function<void()> ask) {
  if (!running_) {
    if (std::this_thread::get_id() != opener_)
      return absl::UnavailableError("the node is starting: try again");
    ask();
    return absl::OkStatus();
  }
  struct Asked {
    std::atomic<bool> taken_up = false;  // by the loop, or by us when we have lost patience
    absl::Notification done;
  };
  auto asked = std::make_shared<Asked>();
  const bool taken = loop_->Run([ask = std::move(ask), asked] {
    if (asked->taken_up.exchange(true)) return;
    ask();
    asked->done.Notify();
  });
  if (!taken) return absl::UnavailableError("the node is stopping");
  // The loop answers within a turn; a longer wait means that it is very late, or has ended. What
  // `ask` refers to may be gone when we have returned: either it is never called, or waited for.
  if (!asked->done.WaitForNotificationWithTimeout(absl::Seconds(30))) {
    if (!asked->taken_up.exchange(true)) {
      return absl::DeadlineExceededError("the ledger did not answer within 30 s");
    }
    asked->done.WaitForNotification();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PageImportance>> Node::Importance(const std::vector<std::string>& urls) {
  auto answer = std::make_shared<absl::StatusOr<std::vector<PageImportance>>>();
  RETURN_IF_ERROR(OnLedger(
      [this, answer, urls] { *answer = AnswerImportance(*ledger_, *store_, *hash_, urls); }));
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

// What has a meaning in a cluster alone.
absl::Status Node::InCluster() const {
  return options_.membership ? absl::OkStatus()
                             : absl::UnimplementedError("the node is in no cluster");
}

absl::StatusOr<ledger::Cut> Node::TakeCut(uint64_t epoch) {
  RETURN_IF_ERROR(InCluster());
  auto cut = std::make_shared<absl::StatusOr<ledger::Cut>>();
  RETURN_IF_ERROR(OnLedger([this, cut, epoch] { *cut = exchange_->TakeCut(epoch); }));
  return *std::move(cut);
}

absl::StatusOr<MendedEpoch> Node::MendEpoch() {
  RETURN_IF_ERROR(InCluster());
  auto mended = std::make_shared<absl::StatusOr<MendedEpoch>>();
  RETURN_IF_ERROR(OnLedger([this, mended] {
    const uint64_t before = ledger_->epoch();
    const absl::StatusOr<uint64_t> batches = exchange_->MendEpoch(clock_.Steady());
    if (batches.ok()) {
      *mended = MendedEpoch{before, *batches};
    } else {
      *mended = batches.status();
    }
  }));
  return *std::move(mended);
}

absl::StatusOr<ledger::LostChannel> Node::DeclareLost(const Loss& loss) {
  RETURN_IF_ERROR(InCluster());
  if (loss.peer == charter().node || loss.peer.value >= options_.membership->map.nodes().size()) {
    return absl::InvalidArgumentError("only another node of the cluster can be declared lost");
  }
  const bool answers = answers_ && answers_(loss.peer);
  auto channel = std::make_shared<absl::StatusOr<ledger::LostChannel>>();
  RETURN_IF_ERROR(
      OnLedger([this, channel, loss, answers] { *channel = DeclareLostHere(loss, answers); }));
  return *std::move(channel);
}

absl::StatusOr<ledger::LostChannel> Node::DeclareLostHere(const Loss& loss, bool answers) {
  const bool done_before = ledger_->peers().book(loss.peer).generation == loss.generation;
  if (!done_before && (answers || exchange_->IsConnected(loss.peer))) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node ", options_.membership->map.node(loss.peer).name,
        " is there and answers: what lives is not lost. If its data folder is to be given up all "
        "the same, stop the node first"));
  }
  if (!loss.ask) {
    RETURN_IF_ERROR(exchange_->BeginAnew(loss.peer, loss.generation, clock_.Steady()));
  }
  const ledger::PeerBook& book = ledger_->peers().book(loss.peer);
  ledger::LostChannel channel{charter().node, book.closed_sealed_cash, book.closed_applied_cash,
                              book.news.clock};
  if (loss.ask && !done_before) {
    channel.received += book.acknowledged_cash;
    channel.sealed += book.applied_cash;
  }
  return channel;
}

absl::Status Node::MoveShards(const std::vector<ShardId>& shards, NodeId to) {
  RETURN_IF_ERROR(InCluster());
  if (to.value >= options_.membership->map.nodes().size()) {
    return absl::InvalidArgumentError("the shard map has no such node");
  }
  auto first = std::make_shared<absl::Status>();
  RETURN_IF_ERROR(OnLedger([this, first, shards, to] {
    for (ShardId shard : shards) first->Update(loop_->mover().Move(shard, to));
  }));
  return *first;
}

absl::StatusOr<std::vector<ShardStatus>> Node::Shards() {
  RETURN_IF_ERROR(InCluster());
  auto all = std::make_shared<std::vector<ShardStatus>>();
  RETURN_IF_ERROR(OnLedger([this, all] { *all = loop_->mover().Status(); }));
  return *std::move(all);
}

}  // namespace opic::node
