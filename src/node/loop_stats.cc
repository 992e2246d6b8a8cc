// Implements a part of node/ledger_loop.h. What the ledger's loop tells of itself after each turn,
// for whoever asks from another thread.
#include <time.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "node/error_goal.h"
#include "node/idle_publications.h"
#include "node/ledger_loop.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

constexpr absl::Duration kPublishChannelsEvery = absl::Milliseconds(100);

absl::Duration ThreadCpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace

LoopStats LedgerLoop::stats() const {
  absl::MutexLock lock(&mu_);
  return stats_;
}

desk::Counters LedgerLoop::counters() const {
  absl::MutexLock lock(&mu_);
  return counters_;
}

desk::Counters LedgerLoop::Count() const {
  const ledger::LinkCounts& links = ledger_.counts().links;
  desk::Counters now = offered_traps_;
  now[desk::Counter::kSettled] = ledger_.counts().settled;
  now[desk::Counter::kCommits] = commits_;
  now[desk::Counter::kCollisions] = ledger_.counts().collisions;
  now[desk::Counter::kUnnamed] = ledger_.counts().unnamed;
  now[desk::Counter::kForwarded] = ledger_.counts().forwarded;
  if (refresh_) {
    now[desk::Counter::kReadings] = refresh_->readings();
    now[desk::Counter::kChanges] = refresh_->changes();
  }
  now[desk::Counter::kDuplicates] = first_pages_.counts().duplicates;
  now[desk::Counter::kDuplicatesTaken] = first_pages_.counts().taken_over;
  now[desk::Counter::kNearDuplicates] = first_pages_.near_duplicates();
  now[desk::Counter::kSimilar] = first_pages_.similar();
  now[desk::Counter::kLinksOwn] = links.own;
  now[desk::Counter::kLinksAway] = links.away;
  now[desk::Counter::kTransfers] = links.transfers;
  now[desk::Counter::kNamed] = links.named;
  now[desk::Counter::kNameBytes] = links.name_bytes;
  now[desk::Counter::kBatchBytes] = links.batch_bytes;
  now[desk::Counter::kStoreBytesWritten] = store_.bytes_written();
  return now;
}

// They hold text: not copied with every group.
std::optional<std::vector<cluster::ChannelStatus>> LedgerLoop::ChannelsWhenDue() {
  const absl::Time now = clock_.Steady();
  if (exchange_ == nullptr || now < channels_published_ + kPublishChannelsEvery)
    return std::nullopt;
  channels_published_ = now;
  std::vector<cluster::ChannelStatus> channels = exchange_->Status();
  // People read it by their clocks.
  for (cluster::ChannelStatus& channel : channels) channel.heard += clock_.Now() - now;
  return channels;
}

std::shared_ptr<const std::vector<NodeId>> LedgerLoop::owners() const {
  absl::MutexLock lock(&mu_);
  return owners_;
}

void LedgerLoop::PublishOwners() {
  if (owners_published_ == ledger_.placements().changes()) return;
  owners_published_ = ledger_.placements().changes();
  auto owners = std::make_shared<std::vector<NodeId>>(ledger_.charter().shards);
  for (uint32_t shard = 0; shard < owners->size(); ++shard) {
    (*owners)[shard] = ledger_.placements().OwnerOf(ShardAt(shard));
  }
  FindPlace(*owners);
  absl::MutexLock lock(&mu_);
  owners_ = std::move(owners);
}

// A node without shards counts itself in: it may get some.
void LedgerLoop::FindPlace(const std::vector<NodeId>& owners) {
  std::set<NodeId> nodes(owners.begin(), owners.end());
  nodes.insert(ledger_.charter().node);
  const auto self = nodes.find(ledger_.charter().node);
  const schedule::ClusterPlace place{
      .self = static_cast<uint32_t>(std::distance(nodes.begin(), self)),
      .nodes = static_cast<uint32_t>(nodes.size())};
  if (place == place_) return;
  place_ = place;
  TellScheduler();
}

void LedgerLoop::Publish(absl::Duration turn) {
  PublishOwners();
  longest_turn_ = std::max(longest_turn_, turn);
  const page_table::Totals totals = ledger_.books().table().totals();
  const ledger::Balances& balances = ledger_.balances();
  const double supply = static_cast<double>(ledger_.charter().supply.units());
  LoopStats now;
  now.phase = phase_;
  now.pages = totals.pages;
  now.unread = totals.pages - totals.done;
  now.ordered = totals.ordered;
  now.withheld = Withheld();
  now.by_kind = balances.by_kind;
  now.log_number = ledger_.log_number();
  now.epoch = ledger_.epoch();
  now.clock = static_cast<double>(ledger_.cluster().clock()) / supply;
  now.method = ledger_.charter().method;
  now.error_bound = ledger_.ErrorBound();
  now.rounding_error = ledger_.accounting().RoundingError();
  now.settling = ledger_.accounting().Settled(ErrorGoal(options_, phase_ != Phase::kCrawling));
  now.virtual_share = static_cast<double>(balances.virtual_page.units()) / supply;
  now.table_bytes = totals.bytes;
  now.cpu = ThreadCpu() + ledger_.books().table().helper_cpu();
  now.longest_turn = longest_turn_;
  now.threshold = static_cast<double>(discovery_->threshold().units());
  now.pages_max = limits_.limits().pages;
  now.limit_reached = limits_.Reached();
  now.restate_due = ledger_.restating().due();
  now.outbox_full = exchange_ != nullptr && exchange_->outbox_full();
  now.disk = disk_.state();
  requests_.Note(clock_.Steady(), desk_->counters()[desk::Counter::kRequests]);
  now.requests_per_s = requests_.per_s();
  if (refresh_) now.refresh = refresh_->stats();
  if (idle_) now.refresh.publications = idle_->publications().size();
  std::optional<std::vector<cluster::ChannelStatus>> channels = ChannelsWhenDue();
  absl::MutexLock lock(&mu_);
  now.channels = channels ? *std::move(channels) : std::move(stats_.channels);
  stats_ = std::move(now);
  counters_ = Count();
}

}  // namespace opic::node
