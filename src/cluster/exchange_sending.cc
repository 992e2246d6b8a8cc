// Implements a part of cluster/exchange.h. What the exchange sends: sealed batches within the
// window, acknowledgements, sums. All of it after the commit that it tells of (rules R1, R2).
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "cluster/exchange.h"

namespace opic::cluster {

void Exchange::BeforeCommit(bool idle, absl::Time now) {
  idle_ = idle;
  if (now < share_next_) return;
  share_next_ = now + options_.share_every;
  ledger_.ShareVirtualPage([&](NodeId peer) { return channels_[peer.value].connected; });
}

absl::Status Exchange::AfterCommit(absl::Time now) {
  RETURN_IF_ERROR(SendSealed(now));
  pages_arrived_ = false;
  wake_now_ = false;
  WatchIdleness(now);
  CheckChannels();
  return absl::OkStatus();
}

// What a peer says was judged when it came; here our own state is held against the books.
void Exchange::CheckChannels() const {
  for (const Channel& channel : channels_) {
    if (channel.peer == self_) continue;
    const ledger::PeerBook& book = ledger_.peers().book(channel.peer);
    OPIC_CHECK(AcknowledgedBy(channel) <= book.sealed)
        << "node " << NameOf(channel) << " is held to have acknowledged batch "
        << AcknowledgedBy(channel) << " of " << book.sealed;
    OPIC_CHECK(!channel.connected || channel.next <= book.sealed + 1)
        << "batch " << channel.next << " to node " << NameOf(channel) << " would be next, after "
        << book.sealed;
  }
}

absl::Status Exchange::SendSealed(absl::Time now) {
  for (ledger::SealedBatch& batch : ledger_.TakeSealed()) {
    Channel& channel = channels_[batch.to.value];
    if (batch.names) channel.names_pages = batch.sequence;
    RETURN_IF_ERROR(SendStored(channel, batch.sequence - 1, now));
    if (channel.next == batch.sequence && WindowOpen(channel)) {
      SendBatch(channel, std::move(batch.bytes), now);
    }
  }
  const ledger::NodeSums sums = Sums();
  sums_due_ = absl::InfiniteFuture();
  for (Channel& channel : channels_) {
    if (!channel.connected) continue;
    RETURN_IF_ERROR(SendStored(channel, ledger_.peers().book(channel.peer).sealed, now));
    const bool due = channel.announced.idle != sums.idle ||
                     channel.announced_placements != ledger_.placements().changes() ||
                     now >= SumsDue(channel, sums);
    if (channel.owes_acknowledgement || due) Acknowledge(channel, now);
    SendLast(channel);
    sums_due_ = std::min(sums_due_, SumsDue(channel, sums));
  }
  return absl::OkStatus();
}

// What a peer has heard already is repeated only now and then, so that a cluster at rest rests.
// Batches tell neither the demand nor the debt of unread pages: what changed of these does not
// wait for the batches to end.
absl::Time Exchange::SumsDue(const Channel& channel, const ledger::NodeSums& sums) const {
  const bool in_batches = channel.announced.unread_debt == sums.unread_debt && KnowsDemand(channel);
  const bool same =
      in_batches && channel.announced == sums && channel.announced_epoch == ledger_.epoch();
  return (in_batches ? channel.spoke : channel.announced_at) +
         (same ? options_.same_sums_every : options_.sums_every);
}

bool Exchange::WindowOpen(const Channel& channel) const {
  return channel.connected && channel.next <= AcknowledgedBy(channel) + options_.window;
}

absl::Status Exchange::SendStored(Channel& channel, uint64_t last, absl::Time now) {
  while (channel.next <= last && WindowOpen(channel)) {
    ASSIGN_OR_RETURN(std::string bytes, ledger_.SealedBytes(channel.peer, channel.next));
    SendBatch(channel, std::move(bytes), now);
  }
  return absl::OkStatus();
}

void Exchange::SendBatch(Channel& channel, std::string bytes, absl::Time now) {
  const uint64_t sealed = ledger_.peers().book(channel.peer).sealed;
  OPIC_CHECK(channel.next <= sealed) << "batch " << channel.next << " to node " << NameOf(channel)
                                     << " is sent, and " << sealed << " are on disk (rule R1)";
  ++(channel.next <= channel.sent_max ? channel.batches_resent : channel.batches_sent);
  channel.sent_max = std::max(channel.sent_max, channel.next);
  SendLast(channel);
  channel.last = Sealed{channel.next++, std::move(bytes)};
  channel.spoke = now;
}

void Exchange::SendLast(Channel& channel) {
  if (!channel.last) return;
  transport_.Send(channel.peer, *std::exchange(channel.last, std::nullopt));
}

void Exchange::SayHello(Channel& channel, absl::Time now) {
  const ledger::Charter& charter = ledger_.charter();
  const ledger::PeerBook& book = ledger_.peers().book(channel.peer);
  Hello hello;
  hello.cluster_id = charter.cluster_id;
  hello.format_version = charter.exchange_version();
  hello.from = self_;
  hello.to = channel.peer;
  hello.generation = charter.generation;
  hello.birth = charter.birth;
  hello.incarnation = options_.incarnation;
  hello.known = channel.incarnation;
  hello.known_generation = GenerationOf(channel);
  hello.map_version = map_.version();
  hello.applied = book.applied;
  hello.applied_cash = book.applied_cash;
  hello.sealed = book.sealed;
  hello.sealed_cash = book.sealed_cash;
  hello.closed_sealed_cash = book.closed_sealed_cash;
  hello.closed_applied_cash = book.closed_applied_cash;
  hello.acknowledged = AcknowledgedBy(channel);
  hello.epoch = ledger_.epoch();
  hello.sums = Sums();
  hello.placements = ledger_.moves().PlacementsSince(0);
  hello.plans_together = true;
  hello.batches_carry_acknowledgements = true;
  channel.announced_placements = ledger_.placements().changes();
  channel.announced_demand = {};
  channel.announced = hello.sums;
  channel.announced_epoch = hello.epoch;
  channel.announced_at = channel.spoke = now;
  transport_.Send(channel.peer, std::move(hello));
}

void Exchange::Acknowledge(Channel& channel, absl::Time now) {
  Acknowledgement acknowledgement{ledger_.peers().book(channel.peer).applied, ledger_.epoch(),
                                  Sums(),
                                  ledger_.moves().PlacementsSince(channel.announced_placements)};
  if (!KnowsDemand(channel)) acknowledgement.demand = channel.announced_demand = demand_;
  channel.announced_placements = ledger_.placements().changes();
  channel.owes_acknowledgement = false;
  channel.announced = acknowledgement.sums;
  channel.announced_epoch = acknowledgement.epoch;
  channel.announced_at = channel.spoke = now;
  if (channel.last && channel.batches_carry_acknowledgements) {
    channel.last->acknowledgement = std::move(acknowledgement);
    return;
  }
  SendLast(channel);
  transport_.Send(channel.peer, std::move(acknowledgement));
}

void Exchange::Say(NodeId peer, PlanPart part) {
  if (PlansTogether(peer)) transport_.Send(peer, std::move(part));
}

ledger::NodeSums Exchange::Sums() const {
  ledger::NodeSums sums = ledger_.Sums();
  sums.idle = IsIdle();
  return sums;
}

std::vector<schedule::RefreshDemand> Exchange::Demands(absl::Time now) const {
  std::vector<schedule::RefreshDemand> demands;
  for (const Channel& channel : channels_) {
    if (channel.peer != self_ && now <= channel.heard + options_.demands_kept)
      demands.push_back(channel.demand);
  }
  return demands;
}

bool Exchange::IsIdle() const {
  return idle_ && !pages_arrived_ &&
         std::all_of(channels_.begin(), channels_.end(), [&](const Channel& channel) {
           return channel.peer == self_ || channel.names_pages <= AcknowledgedBy(channel);
         });
}

void Exchange::WatchIdleness(absl::Time now) {
  const bool everybody =
      IsIdle() && std::all_of(channels_.begin(), channels_.end(), [&](const Channel& channel) {
        return channel.peer == self_ || (channel.connected && channel.is_idle);
      });
  if (!everybody) {
    idle_since_ = absl::InfiniteFuture();
  } else if (idle_since_ == absl::InfiniteFuture()) {
    idle_since_ = now;
  }
  all_idle_ = everybody && (channels_.size() == 1 || now >= idle_since_ + 2 * options_.sums_every);
}

absl::Time Exchange::next_wake() const {
  if (wake_now_) return absl::InfinitePast();
  return all_idle_ ? sums_due_ : std::min(sums_due_, idle_since_ + 2 * options_.sums_every);
}

}  // namespace opic::cluster
