// Sessions, what comes in, and what an operator asks; exchange_sending.cc has what goes out.
#include "cluster/exchange.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cluster/epoch_limits.h"
#include "cluster/handshake.h"

namespace opic::cluster {
namespace {

constexpr size_t kUrlBytesMax = 64 << 10;

// What is wrong when a peer has a newer cluster file; empty: nothing.
std::string UnknownNode(const std::vector<ledger::Placement>& placements, size_t nodes) {
  for (const ledger::Placement& placement : placements) {
    if (placement.node.value < nodes) continue;
    return absl::StrCat("shard ", placement.shard.value, " is said to be at node ",
                        placement.node.value,
                        ", which this node's cluster file does not have: "
                        "restart this node with the newest cluster file");
  }
  return "";
}

}  // namespace

Exchange::Exchange(const ShardMap& map, NodeId self, ledger::Ledger& ledger, Transport& transport,
                   ExchangeOptions options)
    : map_(map),
      self_(self),
      ledger_(ledger),
      transport_(transport),
      options_(options),
      channels_(map.nodes().size()) {
  for (const MemberNode& node : map.nodes()) {
    Channel& channel = channels_[node.id.value];
    channel.peer = node.id;
    if (node.id == self) continue;
    channel.names_pages = ledger.peers().book(node.id).sealed;  // it may
  }
}

Exchange::Channel* Exchange::Find(NodeId peer) {
  return peer == self_ || peer.value >= channels_.size() ? nullptr : &channels_[peer.value];
}

uint64_t Exchange::AcknowledgedBy(const Channel& channel) const {
  const auto& retained = ledger_.peers().retained(channel.peer);
  return retained.empty() ? ledger_.peers().book(channel.peer).sealed
                          : retained.front().sequence - 1;
}

uint32_t Exchange::GenerationOf(const Channel& channel) const {
  const ledger::PeerBook& book = ledger_.peers().working(channel.peer);
  return book.birth == 0 ? std::max(book.generation, map_.node(channel.peer).generation)
                         : book.generation;
}

void Exchange::OnConnected(NodeId peer, absl::Time now) {
  Channel* channel = Find(peer);
  if (channel == nullptr) return;
  channel->session = true;
  channel->connected = false;
  if (!channel->faulty) SayHello(*channel, now);
}

void Exchange::OnDisconnected(NodeId peer) {
  Channel* channel = Find(peer);
  if (channel == nullptr) return;
  channel->session = false;
  channel->connected = false;
  channel->is_idle = false;
}

void Exchange::EndSession(Channel& channel) {
  OnDisconnected(channel.peer);
  transport_.Disconnect(channel.peer);
}

void Exchange::Stop(Channel& channel, const std::string& why) {
  if (channel.alarm != why)
    base::LogError("the channel to node {} stops: {}", NameOf(channel), why);
  channel.alarm = why;
  EndSession(channel);
}

void Exchange::StopForGood(Channel& channel, const std::string& why) {
  channel.faulty = true;
  Stop(channel, absl::StrCat(why,
                             "; nothing was done with it. Look for a damaged disk or another "
                             "program version at either end, then start this node again"));
}

void Exchange::StopAll(const std::string& why) {
  for (Channel& channel : channels_) {
    if (channel.peer == self_) continue;
    channel.faulty = true;
    Stop(channel, why);
  }
}

absl::Status Exchange::OnMessage(NodeId peer, Message message, absl::Time now) {
  Channel* channel = Find(peer);
  // A session that has ended may still have messages on their way to us.
  if (channel == nullptr || !channel->session || channel->faulty) return absl::OkStatus();
  channel->heard = now;
  if (const auto* hello = std::get_if<Hello>(&message)) {
    return channel->connected ? absl::OkStatus() : OnHello(*channel, *hello);
  }
  if (!channel->connected) return absl::OkStatus();
  if (const auto* sealed = std::get_if<Sealed>(&message)) return OnSealed(*channel, *sealed);
  const auto* acknowledgement = std::get_if<Acknowledgement>(&message);
  return acknowledgement ? OnAcknowledgement(*channel, *acknowledgement) : absl::OkStatus();
}

absl::Status Exchange::OnHello(Channel& channel, const Hello& hello) {
  const PeerState known{map_,
                        self_,
                        channel.peer,
                        ledger_.charter().cluster_id,
                        ledger_.charter().method,
                        ledger_.peers().book(channel.peer),
                        ledger_.peers().retained(channel.peer),
                        GenerationOf(channel),
                        ledger_.peers().working(channel.peer).birth,
                        ledger_.charter().generation,
                        options_.incarnation,
                        channel.incarnation};
  if (const std::string why = CopyOfThisNode(hello, known); !why.empty()) {
    StopAll(why);
    return absl::OkStatus();
  }
  const absl::Status right = CheckHello(hello, known);
  const std::string fault = right.ok() ? FaultOf(hello.placements) : std::string(right.message());
  if (!fault.empty()) {
    Stop(channel, fault);
    return absl::OkStatus();
  }
  if (!AcceptEpoch(channel, hello.epoch)) return absl::OkStatus();
  channel.alarm.clear();
  Met(channel, hello.incarnation);
  RETURN_IF_ERROR(Follow(hello.epoch));
  // With the first meeting in one group: who has met a peer knows what it reported.
  RETURN_IF_ERROR(Learn(hello.placements));
  if (ledger_.peers().working(channel.peer).birth == 0) {
    ledger_.Meet(channel.peer, hello.generation, hello.birth);
  }
  RETURN_IF_ERROR(ledger_.Acknowledge(channel.peer, hello.applied));
  Hear(channel, hello.sums);
  channel.connected = true;
  channel.plans_together = hello.plans_together;
  channel.batches_carry_acknowledgements = hello.batches_carry_acknowledgements;
  channel.demand = {};  // told anew in each session
  channel.next = hello.applied + 1;
  channel.owes_acknowledgement = true;  // Hello said what was on disk then
  return absl::OkStatus();
}

// Before a process that was started again follows the epoch, what it seals would seem to have been
// on its way at the cut.
void Exchange::Met(Channel& channel, const Incarnation& peer) {
  if (peer.process == 0) return;
  const Incarnation before = std::exchange(channel.incarnation, peer);
  if (before.process == 0 || before.process == peer.process) return;
  ledger_.restating().Spoil(
      absl::StrCat("node ", NameOf(channel), " was started again meanwhile; try again"));
}

std::string Exchange::FaultOf(const Channel& channel, const ledger::TransferBatch& batch) const {
  if (batch.from != channel.peer || batch.to != self_) {
    return absl::StrCat("has sender ", batch.from.value, ", receiver ", batch.to.value,
                        "; expected ", channel.peer.value, " and ", self_.value);
  }
  if (const std::string what = cluster::FaultOf(batch.sums); !what.empty()) {
    return absl::StrCat("sends impossible numbers of its node: ", what);
  }
  for (const ledger::Transfer& transfer : batch.transfers) {
    if (std::max(transfer.url.size(), transfer.referrer.size()) > kUrlBytesMax)
      return "has a URL of more than 64 KB";
  }
  if (!batch.chunk) return "";
  for (const ledger::MovedPage& moved : batch.chunk->pages) {
    if (moved.row.size() <= kUrlBytesMax) continue;
    const absl::StatusOr<ledger::PageRow> row = ledger::DecodePageRow(moved.row);
    if (row.ok() && std::max(row->url.size(), row->referrer.size()) > kUrlBytesMax)
      return "has a URL of more than 64 KB";
  }
  return "";
}

absl::Status Exchange::OnSealed(Channel& channel, const Sealed& sealed) {
  RETURN_IF_ERROR(OnBatch(channel, sealed));
  // The batch may have ended the session.
  if (!sealed.acknowledgement || !channel.connected) return absl::OkStatus();
  return OnAcknowledgement(channel, *sealed.acknowledgement);
}

absl::Status Exchange::OnBatch(Channel& channel, const Sealed& sealed) {
  const auto fault = [&](std::string_view what) {
    StopForGood(channel, absl::StrCat("batch ", sealed.sequence, " of node ", NameOf(channel), " ",
                                      std::string(what)));
    return absl::OkStatus();
  };
  if (sealed.bytes.size() > kBatchBytesMax) return fault("has more than 4 MB");
  const absl::StatusOr<ledger::TransferBatch> batch = ledger::DecodeTransferBatch(sealed.bytes);
  if (!batch.ok() || batch->sequence != sealed.sequence) return fault("is damaged");
  if (const std::string what = FaultOf(channel, *batch); !what.empty()) return fault(what);
  if (!AcceptEpoch(channel, batch->epoch)) return absl::OkStatus();
  RETURN_IF_ERROR(Follow(batch->epoch));
  const absl::StatusOr<ledger::Receipt> receipt = ledger_.Receive(*batch);
  if (!receipt.ok()) return fault(absl::StrCat("was refused: ", receipt.status().message()));
  if (*receipt == ledger::Receipt::kAhead) {
    // Something before it was lost; the next session begins with what is missing here.
    EndSession(channel);
    return absl::OkStatus();
  }
  channel.owes_acknowledgement = true;
  if (*receipt == ledger::Receipt::kRepeated) {
    ++channel.batches_repeated;
    return absl::OkStatus();
  }
  ++channel.batches_received;
  pages_arrived_ |= batch->chunk.has_value();
  pages_arrived_ |= std::any_of(batch->transfers.begin(), batch->transfers.end(),
                                [](const ledger::Transfer& t) { return !t.url.empty(); });
  return absl::OkStatus();
}

absl::Status Exchange::OnAcknowledgement(Channel& channel, const Acknowledgement& acknowledgement) {
  const uint64_t applied = acknowledgement.applied;
  if (applied > ledger_.peers().book(channel.peer).sealed) {
    StopForGood(channel, absl::StrCat("node ", NameOf(channel), " acknowledges batch ", applied,
                                      ", the last one sealed here is ",
                                      ledger_.peers().book(channel.peer).sealed));
    return absl::OkStatus();
  }
  const std::string unknown = UnknownNode(acknowledgement.placements, channels_.size());
  if (!unknown.empty()) {
    Stop(channel, unknown);
    return absl::OkStatus();
  }
  std::string fault = cluster::FaultOf(acknowledgement.sums);
  if (fault.empty()) fault = FaultOf(acknowledgement.placements);
  if (!fault.empty()) {
    StopForGood(channel,
                absl::StrCat("node ", NameOf(channel), " sends impossible numbers: ", fault));
    return absl::OkStatus();
  }
  if (!AcceptEpoch(channel, acknowledgement.epoch)) return absl::OkStatus();
  RETURN_IF_ERROR(Follow(acknowledgement.epoch));
  RETURN_IF_ERROR(Learn(acknowledgement.placements));
  RETURN_IF_ERROR(ledger_.Acknowledge(channel.peer, applied));
  channel.next = std::max(channel.next, applied + 1);
  if (acknowledgement.demand) channel.demand = *acknowledgement.demand;
  Hear(channel, acknowledgement.sums);
  return absl::OkStatus();
}

void Exchange::Hear(Channel& channel, const ledger::NodeSums& sums) {
  ledger_.Hear(channel.peer, sums);
  channel.is_idle = sums.idle;
}

bool Exchange::AcceptEpoch(Channel& channel, uint64_t epoch) {
  const absl::Status near = CheckEpoch(epoch, ledger_.epoch(), kEpochsReportedAhead);
  if (near.ok()) return true;
  Stop(channel, absl::StrCat("node ", NameOf(channel), " says that ", near.message()));
  return false;
}

absl::Status Exchange::Follow(uint64_t epoch) {
  if (epoch <= ledger_.epoch()) return absl::OkStatus();
  RETURN_IF_ERROR(ledger_.Commit().status());
  ledger_.EnterEpoch(epoch);
  wake_now_ = true;
  return absl::OkStatus();
}

std::string Exchange::FaultOf(const std::vector<ledger::Placement>& placements) const {
  std::string unknown = UnknownNode(placements, channels_.size());
  if (!unknown.empty()) return unknown;
  std::vector<bool> named(ledger_.charter().shards);
  for (const ledger::Placement& placement : placements) {
    if (placement.shard.value < ledger_.charter().shards && placement.move > 0 &&
        placement.move <= ledger::kMovesMax && !named[placement.shard.value]) {
      named[placement.shard.value] = true;
      continue;
    }
    return absl::StrCat("shard ", placement.shard.value, " is said to be at node ",
                        placement.node.value, " since move ", placement.move,
                        ", which is impossible");
  }
  return "";
}

absl::Status Exchange::Learn(const std::vector<ledger::Placement>& placements) {
  if (!ledger_.moves().IsNews(placements)) return absl::OkStatus();
  RETURN_IF_ERROR(ledger_.Commit().status());
  wake_now_ = true;
  return ledger_.moves().Learn(placements);
}

absl::StatusOr<ledger::Cut> Exchange::TakeCut(uint64_t epoch) {
  if (epoch == 0 || epoch > kEpochMax) {
    return absl::InvalidArgumentError("an epoch is from 1 to 2^62");
  }
  if (epoch < ledger_.epoch()) {
    return absl::AbortedError(absl::StrCat("epoch ", ledger_.epoch(), " has begun since ", epoch));
  }
  RETURN_IF_ERROR(CheckEpoch(epoch, ledger_.epoch(), kEpochsAskedAhead));
  RETURN_IF_ERROR(Follow(epoch));
  return ledger_.cut();
}

absl::StatusOr<uint64_t> Exchange::MendEpoch(absl::Time now) {
  for (Channel& channel : channels_) {
    if (channel.session) EndSession(channel);
  }
  RETURN_IF_ERROR(ledger_.Commit().status());
  RETURN_IF_ERROR(SendSealed(now));
  return ledger_.LowerEpoch(0);
}

absl::Status Exchange::BeginAnew(NodeId peer, uint32_t generation, absl::Time now) {
  Channel* channel = Find(peer);
  if (channel == nullptr) return absl::InvalidArgumentError("there is no such peer");
  EndSession(*channel);
  RETURN_IF_ERROR(ledger_.Commit().status());
  RETURN_IF_ERROR(SendSealed(now));
  RETURN_IF_ERROR(ledger_.BeginAnew(peer, generation));
  RETURN_IF_ERROR(ledger_.Commit().status());
  RETURN_IF_ERROR(SendSealed(now));
  channel->incarnation = {};
  channel->names_pages = ledger_.peers().book(peer).sealed;
  channel->sent_max = 0;
  channel->faulty = false;
  channel->alarm.clear();
  return absl::OkStatus();
}

bool Exchange::outbox_full() const {
  uint64_t bytes = 0;
  for (const Channel& channel : channels_) {
    if (channel.peer != self_) bytes += ledger_.peers().OutboxBytesOf(channel.peer);
  }
  return bytes > options_.outbox_bytes_max;
}

std::vector<ChannelStatus> Exchange::Status() const {
  std::vector<ChannelStatus> all;
  for (const Channel& channel : channels_) {
    if (channel.peer == self_) continue;
    ChannelStatus status;
    status.peer = channel.peer;
    status.name = NameOf(channel);
    status.connected = channel.connected;
    status.alarm = channel.alarm;
    status.unacknowledged = ledger_.peers().retained(channel.peer).size();
    status.outbox_bytes = ledger_.peers().OutboxBytesOf(channel.peer);
    status.batches_sent = channel.batches_sent;
    status.batches_resent = channel.batches_resent;
    status.batches_received = channel.batches_received;
    status.batches_repeated = channel.batches_repeated;
    status.heard = channel.heard;
    all.push_back(std::move(status));
  }
  return all;
}

}  // namespace opic::cluster
