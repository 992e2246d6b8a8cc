#include "node/node.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/again_memory.h"
#include "node/attention.h"
#include "node/idle_publications.h"
#include "node/operations.h"
#include "node/pause_memory.h"
#include "node/publication_memory.h"
#include "node/refresh_memory.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

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
    return base::DamagedFolder("the number of its starts cannot be read");
  }
  store::Batch batch;
  batch.Put(store::Table::kMeta, kStartsKey, base::Big64(start));
  RETURN_IF_ERROR(store.Write(batch, store::Sync::kYes));
  return cluster::Incarnation{start, RandomNumber()};
}

ledger::Options LedgerOptions(const DataFolder& folder, const CrawlOptions& crawl) {
  ledger::Options options;
  options.checkpoint_folder = folder.checkpoints();
  options.save = ledger::SaveCheckpoints::kBeside;
  options.kept_rows_bytes = crawl.memory.rows();
  options.unread_share = crawl.unread_share;
  options.referrers = crawl.referrers;
  options.credit_helper = crawl.processors > 1;
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

Node::Node(const CrawlOptions& options, base::Clock& clock)
    : parts_(options, clock), crawl_(parts_), operations_(OperationsOn(parts_, crawl_)) {}

absl::Status Node::Prepare(const DataFolder& folder) {
  parts_.fetch_log = folder.fetch_log();
  if (!parts_.options.disk.read)
    parts_.options.disk.read = [path = folder.path()] { return DiskRoomAt(path); };
  const absl::Time begin = parts_.started = parts_.clock.Steady();
  store::RocksOptions reading_first;  // until the ledger has found it sound
  reading_first.read_first = true;
  reading_first.cache_bytes = parts_.options.memory.store_cache();
  reading_first.write_buffer_bytes = parts_.options.memory.store_buffers();
  ASSIGN_OR_RETURN(parts_.store, store::OpenRocksStore(folder.store(), reading_first));
  ASSIGN_OR_RETURN(const CrawlMemory crawl, RecallCrawl(*parts_.store));
  ASSIGN_OR_RETURN(const ledger::Charter wanted, WantedCharter());
  ASSIGN_OR_RETURN(parts_.ledger, ledger::Ledger::Open(LedgerOptions(folder, parts_.options),
                                                       *parts_.store, &wanted));
  parts_.recovery_time = parts_.clock.Steady() - begin;
  parts_.hash = std::make_unique<url::UrlHash>(parts_.ledger->charter().shard_by,
                                               parts_.ledger->charter().shards);
  ASSIGN_OR_RETURN(parts_.host_rules, HostRuleBook::Open(*parts_.store));
  RETURN_IF_ERROR(parts_.host_rules->UseFile(parts_.options.hosts_file));
  ASSIGN_OR_RETURN(parts_.trail, AuditTrail::Open(folder.audit_trail(), AuditTrail::Limits(),
                                                  parts_.store.get()));
  parts_.loop = std::make_unique<LedgerLoop>(parts_.options, crawl, *parts_.ledger, *parts_.store,
                                             parts_.clock);
  RETURN_IF_ERROR(parts_.loop->attention().Recall());
  parts_.loop->AskHostRules(*parts_.host_rules);
  parts_.budgets = std::make_unique<HostBudgets>(parts_.options.budgets, *parts_.host_rules,
                                                 parts_.ledger->charter(), *parts_.store);
  parts_.loop->CountSpending(*parts_.budgets);
  parts_.budgets->TellRulesBy(
      [this] { parts_.loop->Run([this] { parts_.loop->TellHostRules(); }); });
  if (parts_.options.pages_typed) RETURN_IF_ERROR(ForgetPagesLimit(*parts_.store));
  ASSIGN_OR_RETURN(const LimitChanges limits, RecallLimits(*parts_.store));
  parts_.UseLimits(limits);
  if (!limits.empty()) base::LogInfo("limits that an operator has set hold: {}", limits.InWords());
  if (parts_.options.refresh.on()) {
    ASSIGN_OR_RETURN(std::unique_ptr<RefreshPlan> plan,
                     RefreshPlan::Open(parts_.options.refresh, *parts_.ledger, *parts_.store,
                                       folder.path(), parts_.clock.Now()));
    ASSIGN_OR_RETURN(const RefreshTuning tuning, RecallRefreshTuning(*parts_.store));
    RETURN_IF_ERROR(plan->Tune(tuning, parts_.clock.Now()));
    ASSIGN_OR_RETURN(refresh::PublicationBook book, RecallPublications(*parts_.store));
    RETURN_IF_ERROR(plan->Follow(std::move(book), *parts_.hash, parts_.clock.Now()));
    plan->AskHostRules(*parts_.host_rules, parts_.budgets.get());
    parts_.loop->Refresh(std::move(plan));
  } else {
    ASSIGN_OR_RETURN(std::unique_ptr<IdlePublications> idle, IdlePublications::Open(*parts_.store));
    parts_.loop->UsePublications(std::move(idle));
  }
  parts_.exports = std::make_unique<ExportDesk>(
      *parts_.ledger, *parts_.store, parts_.clock, folder.path(),
      [this](std::function<void()> ask) { return parts_.OnLedger(std::move(ask)); });
  return crawl_.TakeOptions();
}

// What the folder is to agree with; a new one begins with it.
absl::StatusOr<ledger::Charter> Node::WantedCharter() const {
  ASSIGN_OR_RETURN(const std::optional<ledger::Charter> stored,
                   ledger::Ledger::StoredCharter(*parts_.store));
  if (parts_.options.membership) {
    ledger::Charter charter =
        parts_.options.membership->map.CharterOf(parts_.options.membership->self);
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
  return parts_.options.charter.ApplyTo(stored.value_or(born));
}

absl::Status Node::Start(desk::SchedulerLink& link, cluster::Transport* transport,
                         std::function<bool(NodeId)> answers) {
  const Membership* member = parts_.options.membership.get();
  OPIC_CHECK((transport != nullptr) == (member != nullptr));
  parts_.answers = std::move(answers);
  parts_.options.strip_tracking = parts_.loop->crawl().strip_tracking;
  // No more than there are files for.
  parts_.options.fetch.connections_kept = static_cast<int>(
      std::min<uint64_t>(parts_.options.memory.connections(), parts_.options.fetches_most));
  parts_.options.bodies_bytes_max = parts_.options.memory.bodies();
  parts_.options.robots_bytes_max = parts_.options.memory.robots();
  parts_.options.cookie_bytes_max = parts_.options.memory.cookies();
  ASSIGN_OR_RETURN(
      parts_.desk,
      desk::OrderDesk::Start(parts_.options, parts_.ledger->window(), *parts_.hash, *parts_.store,
                             parts_.clock, parts_.fetch_log, link, [this](desk::Report report) {
                               parts_.loop->TakeReport(std::move(report));
                             }));
  parts_.desk->AskScope([this](const ledger::PageRow& row) { return parts_.loop->InScope(row); });
  parts_.desk->AskBlocked([this](std::string_view host) {
    return parts_.host_rules->rules()->BlockOf(host) != nullptr;
  });
  parts_.desk->TellNetwork([this] { parts_.loop->Run([] {}); });  // wakes it
  parts_.desk->AskAllowance(*parts_.budgets);
  RETURN_IF_ERROR(RecallPause());
  ASSIGN_OR_RETURN(const absl::Time asked_again, AskedAgain(*parts_.store));
  parts_.loop->TryGivenUpAgain(asked_again);
  if (transport != nullptr) {
    cluster::ExchangeOptions exchange = member->exchange;
    ASSIGN_OR_RETURN(exchange.incarnation, CountStart(*parts_.store));
    parts_.exchange = std::make_unique<cluster::Exchange>(parts_.options.membership->map,
                                                          parts_.options.membership->self,
                                                          *parts_.ledger, *transport, exchange);
    if (charter().shard_by == url::ShardBy::kUrl) LendHosts(link, *transport);
  }
  parts_.link = &link;
  parts_.running = true;
  parts_.loop->Start(*parts_.desk, link, parts_.exchange.get(), parts_.relay.get());
  return absl::OkStatus();
}

void Node::LendHosts(desk::SchedulerLink& link, cluster::Transport& transport) {
  parts_.relay = std::make_unique<LeaseRelay>(
      LeaseRelay::Self{charter().node, charter().cluster_id, RandomNumber()}, *parts_.hash,
      parts_.desk->robots(), link, transport, parts_.clock);
  parts_.desk->AskOnLoan([this](const std::string& host) { return parts_.relay->MayAsk(host); });
}

void Node::OnPeerDisconnected(NodeId peer) {
  parts_.loop->PeerDisconnected(peer);
  if (parts_.relay) parts_.relay->OnDisconnected(peer);
}

void Node::OnPeerMessage(NodeId peer, cluster::Message message, std::function<void()> read_next) {
  if (auto* lease = std::get_if<schedule::LeaseMessage>(&message)) {
    read_next();
    if (parts_.relay) parts_.relay->FromPeer(peer, std::move(*lease));
  } else {
    parts_.loop->TakePeerMessage({peer, std::move(message), std::move(read_next)});
  }
}

// Orders and lease messages do not pass the ledger: a host that is free must not wait for a commit.
void Node::OnMessage(schedule::ToNode message) {
  if (auto* orders = std::get_if<schedule::Orders>(&message)) {
    parts_.desk->Take(std::move(orders->orders));
  } else if (auto* lease = std::get_if<schedule::LeaseMessage>(&message)) {
    if (parts_.relay) parts_.relay->FromScheduler(std::move(*lease));
  } else {
    parts_.loop->TakeMessage(std::move(message));
  }
}

absl::Status Node::RecallPause() {
  ASSIGN_OR_RETURN(const std::optional<absl::Time> since, PausedSince(*parts_.store));
  parts_.paused = since.has_value();
  if (!parts_.paused) return absl::OkStatus();
  base::LogWarning("fetching is paused since {}; `opic control resume` ends that",
                   absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", *since, absl::UTCTimeZone()));
  parts_.HoldFetches(true);
  return absl::OkStatus();
}

Node::~Node() { Stop().IgnoreError(); }

// The desk first: its workers may wait for room in the loop's inbox, which the loop still empties.
absl::Status Node::Stop() {
  if (parts_.desk) parts_.desk->Stop();
  return parts_.loop ? parts_.loop->Stop() : absl::OkStatus();
}

}  // namespace opic::node
