// The one thread that owns the money: takes in what the order desk reports and what the scheduler
// asks, sweeps the table, settles, commits, and tells the scheduler what became durable.
//
// A turn of the loop is a commit group: up to 64 reports and settled visits, or as many as their
// links' bytes allow (MemoryPlan::group), one synced write. While the scheduler has pages enough to
// order, reports and what peers sent wait until a group is full, at most 10 ms; all else that
// arrives begins a turn. What is sent to peers goes out when the group is committed
// (cluster/exchange.h).
//
// Thread safety: synchronised inside, but for what is confined to the ledger's thread, or to the
// time before Start, as it says.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/bounded_queue.h"
#include "base/byte_budget.h"
#include "base/clock.h"
#include "cluster/exchange.h"
#include "desk/counters.h"
#include "desk/order_desk.h"
#include "desk/scheduler_link.h"
#include "ledger/ledger.h"
#include "node/crawl_memory.h"
#include "node/crawl_options.h"
#include "node/disk_watch.h"
#include "node/first_pages.h"
#include "node/great_pages.h"
#include "node/lease_relay.h"
#include "node/limit_keeper.h"
#include "node/page_scope.h"
#include "node/phase.h"
#include "node/pools.h"
#include "node/recent_rate.h"
#include "node/refresh_options.h"
#include "node/settler.h"
#include "node/shard_mover.h"
#include "schedule/messages.h"
#include "schedule/strategy.h"

namespace opic::node {

class Attention;
class HostBudgets;
class HostRuleBook;
class IdlePublications;
class Publications;
class RefreshPlan;

// As of the last commit.
struct LoopStats {
  Phase phase = Phase::kCrawling;
  uint64_t pages = 0, unread = 0, ordered = 0;
  uint64_t withheld = 0;  // of those ordered, on hosts that are blocked or past their budgets
  std::array<uint64_t, ledger::kVisitKinds> by_kind{};
  uint64_t log_number = 0;
  uint64_t epoch = 0;  // of the latest cut
  double clock = 0;    // in supplies; of the cluster
  importance::Method method = importance::Method::kWindow;
  double error_bound = 0;  // ledger::Accounting
  double rounding_error = 0;
  double settling = 0;       // how much of it is done, 0 to 1
  double virtual_share = 0;  // of the supply
  uint64_t table_bytes = 0;
  absl::Duration cpu;  // of this thread
  absl::Duration longest_turn;
  double threshold = 0;    // of the discovery sweep, in units
  uint64_t pages_max = 0;  // --pages as it holds; 0: no limit, or told by another process
  bool limit_reached = false;
  bool restate_due = false;  // after a loss (ledger::RestateDuty::due)
  bool outbox_full = false;  // fetching waits for peers
  DiskState disk;
  // For pages, of late (RecentRate). Nothing: it is over, or not known.
  std::optional<double> requests_per_s;
  std::vector<cluster::ChannelStatus> channels;  // to the peers of a cluster
  RefreshStats refresh;
};

// A message of a peer. The next one is read when `read_next` was called; null: it was.
struct PeerMessage {
  NodeId from;
  cluster::Message message;
  std::function<void()> read_next;
  base::HeldBytes held = {};  // until it is taken in
};

class LedgerLoop {
 public:
  // Everything named must outlive the loop. `crawl` is what to crawl at first.
  LedgerLoop(const CrawlOptions& options, const CrawlMemory& crawl, ledger::Ledger& ledger,
             store::Store& store, base::Clock& clock);
  ~LedgerLoop();  // as Stop()

  // Pages are read again as `plan` says. REQUIRES: not started.
  void Refresh(std::unique_ptr<RefreshPlan> plan);
  // The publications of a crawl that reads no page again. REQUIRES: not started, Refresh was not
  // called.
  void UsePublications(std::unique_ptr<IdlePublications> idle);
  // The rules for hosts, for the Page Scheduler. `book` must outlive the loop. REQUIRES: not
  // started.
  void AskHostRules(const HostRuleBook& book) { host_rules_ = &book; }
  // What is fetched of hosts is counted there. `budgets` must outlive the loop. REQUIRES: not
  // started.
  void CountSpending(HostBudgets& budgets);
  // The rules for hosts have changed: tells the scheduler. REQUIRES: the ledger's thread.
  void TellHostRules();
  // Hosts that the scheduler had given up when this was `asked` for are asked once more. REQUIRES:
  // not started, or the ledger's thread.
  void TryGivenUpAgain(absl::Time asked);
  // Sets the limits of pages and of fetches at once, in force at once. REQUIRES: not started, or
  // the ledger's thread.
  void SetLimits(const Limits& limits) { limits_.Set(limits); }
  const Limits& limits() const { return limits_.limits(); }
  // The pages that recorded the most cash, for questions about the top of the ranking. To be used
  // on the ledger's thread. By ledger push they are followed from the start on: the rows are met a
  // few at a time, more when there is nothing else to do.
  GreatPages& great() { return great_; }
  // Null: no page is read again by itself. REQUIRES: the ledger's thread.
  RefreshPlan* refresh() { return refresh_.get(); }
  // REQUIRES: Refresh or UsePublications was called, the ledger's thread.
  Publications& published();
  // What discovery prefers. REQUIRES: the ledger's thread, or not started.
  Attention& attention() { return *attention_; }

  // Starts the thread. `desk`, `link`, `exchange` and `relay` are used from then on; no exchange:
  // the node is a cluster of its own; no relay: hosts are not lent.
  void Start(desk::OrderDesk& desk, desk::SchedulerLink& link, cluster::Exchange* exchange,
             LeaseRelay* relay = nullptr);
  // Blocks while the inbox is full, by number or by bytes (MemoryPlan::reports): that is the
  // back-pressure on parsing. Not to be called on the loop's thread.
  void TakeReport(desk::Report report);
  // What the reports take that are not recorded yet.
  const base::ByteBudget& reports() const { return reports_; }
  // A message of the scheduler. A directive is seen in the next turn, before the reports that wait:
  // while they are recorded the scheduler would run out of pages.
  void TakeMessage(schedule::ToNode message);
  // A new session with the scheduler has begun: forget what was ordered and say Hello.
  void BeginSession();
  // A session with a peer has begun, ended, or brought a message. Blocks when the inbox is full.
  void PeerConnected(NodeId peer) { inbox_.Push(PeerSessionChange{peer, true}); }
  void PeerDisconnected(NodeId peer) { inbox_.Push(PeerSessionChange{peer, false}); }
  void TakePeerMessage(PeerMessage message);
  // Who owns each shard, as of the last commit.
  std::shared_ptr<const std::vector<NodeId>> owners() const;
  // The part for shards that move; to be used on the ledger's thread.
  ShardMover& mover() { return mover_; }
  // Runs `work` on the ledger's thread between groups, before the reports that wait: a question
  // must not be late because the ledger is. False: the loop has ended. What has not begun when it
  // ends is destroyed.
  bool Run(std::function<void()> work);

  // No more fetches are ordered; those under way go on. For good, or until Resume.
  void Pause(bool paused);
  // Commits, checkpoints every shard, and ends the thread.
  absl::Status Stop();

  // What is crawled; for work on the ledger's thread, or before Start.
  const CrawlMemory& crawl() const { return crawl_; }
  void SetCrawl(CrawlMemory crawl);
  // Whether the crawl may fetch a page. From any thread.
  PageScope::Verdict Judge(const ledger::PageRow& row) const;
  bool InScope(const ledger::PageRow& row) const { return Judge(row).url.has_value(); }

  LoopStats stats() const;
  desk::Counters counters() const;  // of the ledger and its store, as of the last commit

 private:
  static constexpr size_t kGroupVisits = 64;
  static constexpr size_t kInboxItems = 4096;

  struct Wake {};  // for what does not pass the inbox
  struct SessionBegins {};
  struct PeerSessionChange {
    NodeId peer;
    bool connected;
  };
  struct Reported {
    desk::Report report;
    base::HeldBytes held;  // until it is recorded
  };
  using Item =
      std::variant<Reported, schedule::ToNode, SessionBegins, PeerSessionChange, PeerMessage, Wake>;

  void Loop();
  absl::Duration Patience() const;
  bool IdleTurn() const { return recorded_this_turn_ == 0 && !settler_.worked(); }
  size_t ReportsAwaited() const;
  void Gather(size_t most, absl::Duration patience);
  static uint64_t HeldBy(const Item& item);
  void TakeGathered();
  void Turn();
  void Take(Reported reported);
  bool IsOurs(PageId page) const;
  void Take(schedule::ToNode message);
  void TakeDirective();
  void Take(SessionBegins);
  void Take(PeerSessionChange change);
  void Take(PeerMessage message);
  void Take(Wake) {}
  void RunAsked();
  void DropAsked();
  std::string HostOf(PageId page);
  absl::Status Record(std::vector<ledger::Visit>& visits);
  absl::Status KeepLearnt();
  void ValueLines();
  void NoteSpending();
  void ServeDirective();
  void OfferDue(schedule::Offers& answer);
  bool SomethingToOffer() const;
  void CountTrap(const PageScope::Verdict& verdict);
  absl::Status OfferOrSettle(absl::Span<const schedule::Candidate> chosen,
                             schedule::Offers& answer);
  void CommitAndTell();
  void FollowGreatPages();
  void MoveShards();
  void WatchDisk();
  void ShareRate();
  bool CanFetch() const;
  void UpdateCapacity();
  bool NothingToFetch() const;  // here
  uint64_t Withheld() const;
  bool OnlyWithheldLeft() const;
  void UpdatePhase();
  std::optional<std::vector<cluster::ChannelStatus>> ChannelsWhenDue();
  void Publish(absl::Duration turn);
  void PublishOwners();
  void FindPlace(const std::vector<NodeId>& owners);
  void TellScheduler();
  uint64_t GivenUpAgain() const;  // as schedule::Rules has it
  desk::Counters Count() const;
  uint64_t Answered() const;  // pages that were fetched or failed for good

  const CrawlOptions options_;
  ledger::Ledger& ledger_;
  store::Store& store_;
  base::Clock& clock_;
  desk::OrderDesk* desk_ = nullptr;
  desk::SchedulerLink* link_ = nullptr;
  cluster::Exchange* exchange_ = nullptr;
  LeaseRelay* relay_ = nullptr;
  base::ByteBudget reports_, peer_messages_;
  const HostRuleBook* host_rules_ = nullptr;
  HostBudgets* budgets_ = nullptr;
  base::BoundedQueue<Item> inbox_;
  std::thread thread_;
  std::atomic<bool> stopping_ = false, paused_ = false;

  // Used by the loop's thread only.
  LimitKeeper limits_;
  DiskWatch disk_;
  RecentRate requests_;
  CrawlMemory crawl_;
  std::unique_ptr<RefreshPlan> refresh_;    // null: no page is read again by itself
  std::unique_ptr<IdlePublications> idle_;  // null: refresh_ has them
  ShardMover mover_;
  FirstPages first_pages_;
  GreatPages great_;
  bool follows_great_;  // by itself, not for questions alone
  UnreadPool unread_;
  const std::unique_ptr<Attention> attention_;
  schedule::StrategyKind strategy_kind_ = schedule::StrategyKind::kThresholdSweep;
  std::unique_ptr<schedule::Strategy> discovery_;
  Settler settler_;
  std::optional<schedule::Directive> directive_;
  bool only_due_wait_ = false;  // for their turns: there is nothing else to offer
  std::deque<Item> gathered_;   // out of the inbox, for this turn and the next
  std::vector<ledger::Visit> visits_;
  std::vector<base::HeldBytes> held_;  // of the reports in the present group
  std::vector<PageId> handled_;
  std::vector<std::pair<PageId, desk::BegunLine>> lines_;  // of the visits
  std::vector<desk::RecordedLine> lines_recorded_;         // of those in the present group
  std::optional<schedule::Capacity> capacity_sent_;
  uint64_t withheld_ = 0;  // ordered pages of hosts that are not asked, as the scheduler tells
  bool in_session_ = false;
  bool reported_exhausted_ = false;  // the scheduler knows that no page is left to offer
  absl::Time rate_shared_ = absl::InfinitePast();
  size_t recorded_this_turn_ = 0;
  int fruitless_turns_ = 0;  // without anything to do, in a row
  Phase phase_ = Phase::kCrawling;
  absl::Duration longest_turn_;
  uint64_t commits_ = 0;
  desk::Counters offered_traps_;  // those of traps
  absl::Time channels_published_ = absl::InfinitePast();
  std::optional<uint64_t> owners_published_;  // Placements::changes then
  absl::Time asked_again_ = absl::InfinitePast();
  schedule::ClusterPlace place_;  // by these owners
  absl::Status ended_;

  mutable absl::Mutex mu_;
  std::optional<schedule::Directive> new_directive_ ABSL_GUARDED_BY(mu_);  // not seen yet
  std::vector<std::function<void()>> asked_ ABSL_GUARDED_BY(mu_);          // to be run
  bool answered_all_ ABSL_GUARDED_BY(mu_) = false;                         // no more is run
  std::shared_ptr<const PageScope> scope_ ABSL_GUARDED_BY(mu_);
  LoopStats stats_ ABSL_GUARDED_BY(mu_);
  desk::Counters counters_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<const std::vector<NodeId>> owners_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::node
