#include "rpc/peer_wire.h"

#include <algorithm>

#include "base/overloaded.h"
#include "opic/v1/peer.pb.h"
#include "rpc/lease_wire.h"

namespace opic::rpc {
namespace {

void SumToWire(cash::Sum sum, v1::Units128* wire) {
  wire->set_high(static_cast<uint64_t>(sum >> 64));
  wire->set_low(static_cast<uint64_t>(sum));
}

cash::Sum SumFromWire(const v1::Units128& wire) {
  return static_cast<cash::Sum>(static_cast<unsigned __int128>(wire.high()) << 64 | wire.low());
}

void NodeSumsToWire(const ledger::NodeSums& sums, v1::PeerNews* wire) {
  SumToWire(sums.clock, wire->mutable_clock());
  SumToWire(sums.fetch_clock, wire->mutable_fetch_clock());
  SumToWire(sums.origin, wire->mutable_origin());
  SumToWire(sums.table, wire->mutable_table());
  wire->set_virtual_page(sums.virtual_page.units());
  wire->set_pages(sums.pages);
  wire->set_unread(sums.unread);
  wire->set_idle(sums.idle);
  if (sums.method != importance::Method::kPush) return;
  SumToWire(sums.history, wire->mutable_push()->mutable_history());
  SumToWire(sums.read_cash, wire->mutable_push()->mutable_read_cash());
  SumToWire(sums.residual, wire->mutable_push()->mutable_residual());
  wire->mutable_push()->set_reread(sums.reread);
  SumToWire(sums.rounded, wire->mutable_push()->mutable_rounded());
  if (sums.unread_debt) SumToWire(*sums.unread_debt, wire->mutable_push()->mutable_unread_debt());
}

// More cash than there is, or more unread pages than pages, would break what sums them.
std::optional<ledger::NodeSums> NodeSumsFromWire(const v1::PeerNews& wire) {
  ledger::NodeSums sums;
  sums.clock = SumFromWire(wire.clock());
  sums.fetch_clock = SumFromWire(wire.fetch_clock());
  sums.origin = SumFromWire(wire.origin());
  sums.table = SumFromWire(wire.table());
  sums.virtual_page = cash::Amount(wire.virtual_page());
  const auto too_much = [](cash::Sum sum) {
    return sum > cash::kHoldingMax.units() || sum < -cash::Sum{cash::kHoldingMax.units()};
  };
  if (too_much(sums.table) || too_much(sums.virtual_page.units()) || wire.unread() > wire.pages())
    return std::nullopt;
  sums.pages = wire.pages();
  sums.unread = wire.unread();
  sums.idle = wire.idle();
  if (!wire.has_push()) return sums;
  sums.method = importance::Method::kPush;
  sums.history = SumFromWire(wire.push().history());
  sums.read_cash = SumFromWire(wire.push().read_cash());
  sums.residual = SumFromWire(wire.push().residual());
  sums.reread = wire.push().reread();
  sums.rounded = SumFromWire(wire.push().rounded());
  if (wire.push().has_unread_debt()) sums.unread_debt = SumFromWire(wire.push().unread_debt());
  return sums;
}

constexpr int kPlacementsMax = 1 << 16;  // one a shard

using WirePlacements = google::protobuf::RepeatedPtrField<v1::PeerPlacement>;

void PlacementsToWire(const std::vector<ledger::Placement>& placements, WirePlacements* wire) {
  for (const ledger::Placement& placement : placements) {
    v1::PeerPlacement* one = wire->Add();
    one->set_shard(placement.shard.value);
    one->set_node(placement.node.value);
    one->set_move(placement.move);
  }
}

std::optional<NodeId> NodeFromWire(uint32_t number) {
  if (number > kShardOrNodeMax) return std::nullopt;
  return NodeAt(number);
}

std::optional<std::vector<ledger::Placement>> PlacementsFromWire(const WirePlacements& wire) {
  if (wire.size() > kPlacementsMax) return std::nullopt;
  std::vector<ledger::Placement> placements;
  for (const v1::PeerPlacement& one : wire) {
    const std::optional<NodeId> node = NodeFromWire(one.node());
    if (!node || one.shard() > kShardOrNodeMax) return std::nullopt;
    placements.push_back({ShardAt(one.shard()), *node, one.move()});
  }
  return placements;
}

void IncarnationToWire(const cluster::Incarnation& incarnation, v1::PeerIncarnation* wire) {
  wire->set_start(incarnation.start);
  wire->set_process(incarnation.process);
}

void HelloToWire(const cluster::Hello& hello, v1::PeerHello* wire) {
  wire->set_cluster_id(hello.cluster_id);
  wire->set_format_version(hello.format_version);
  wire->set_from(hello.from.value);
  wire->set_to(hello.to.value);
  wire->set_generation(hello.generation);
  wire->set_birth(hello.birth);
  IncarnationToWire(hello.incarnation, wire->mutable_incarnation());
  IncarnationToWire(hello.known, wire->mutable_known());
  wire->set_known_generation(hello.known_generation);
  wire->set_map_version(hello.map_version);
  wire->set_applied(hello.applied);
  SumToWire(hello.applied_cash, wire->mutable_applied_cash());
  wire->set_sealed(hello.sealed);
  wire->set_acknowledged(hello.acknowledged);
  SumToWire(hello.sealed_cash, wire->mutable_sealed_cash());
  SumToWire(hello.closed_sealed_cash, wire->mutable_closed_sealed_cash());
  SumToWire(hello.closed_applied_cash, wire->mutable_closed_applied_cash());
  wire->set_epoch(hello.epoch);
  NodeSumsToWire(hello.sums, wire->mutable_news());
  PlacementsToWire(hello.placements, wire->mutable_placements());
  wire->set_plans_together(hello.plans_together);
  wire->set_batches_carry_acknowledgements(hello.batches_carry_acknowledgements);
}

std::optional<cluster::Message> HelloFromWire(const v1::PeerHello& wire) {
  const std::optional<NodeId> from = NodeFromWire(wire.from()), to = NodeFromWire(wire.to());
  const std::optional<ledger::NodeSums> sums = NodeSumsFromWire(wire.news());
  const auto placements = PlacementsFromWire(wire.placements());
  if (!from || !to || !sums || !placements || wire.acknowledged() > wire.sealed())
    return std::nullopt;
  cluster::Hello hello;
  hello.cluster_id = wire.cluster_id();
  hello.format_version = wire.format_version();
  hello.from = *from;
  hello.to = *to;
  hello.generation = wire.generation();
  hello.birth = wire.birth();
  hello.incarnation = {wire.incarnation().start(), wire.incarnation().process()};
  hello.known = {wire.known().start(), wire.known().process()};
  hello.known_generation = wire.known_generation();
  hello.map_version = wire.map_version();
  hello.applied = wire.applied();
  hello.applied_cash = SumFromWire(wire.applied_cash());
  hello.sealed = wire.sealed();
  hello.acknowledged = wire.acknowledged();
  hello.sealed_cash = SumFromWire(wire.sealed_cash());
  hello.closed_sealed_cash = SumFromWire(wire.closed_sealed_cash());
  hello.closed_applied_cash = SumFromWire(wire.closed_applied_cash());
  hello.epoch = wire.epoch();
  hello.sums = *sums;
  hello.placements = *placements;
  hello.plans_together = wire.plans_together();
  hello.batches_carry_acknowledgements = wire.batches_carry_acknowledgements();
  return hello;
}

void DemandToWire(const schedule::RefreshDemand& demand, v1::PeerDemand* wire) {
  wire->set_rate(demand.rate);
  wire->set_first(demand.first);
  wire->set_least(demand.least);
  wire->mutable_planned()->Add(demand.planned.begin(), demand.planned.end());
  wire->set_most(demand.most);
}

std::optional<schedule::RefreshDemand> DemandFromWire(const v1::PeerDemand& wire) {
  schedule::RefreshDemand demand;
  if (wire.planned_size() != schedule::RefreshDemand::kPoints) return std::nullopt;
  demand.rate = wire.rate();
  demand.first = wire.first();
  demand.least = wire.least();
  std::copy(wire.planned().begin(), wire.planned().end(), demand.planned.begin());
  demand.most = wire.most();
  if (!schedule::IsSound(demand)) return std::nullopt;
  return demand;
}

std::optional<cluster::Acknowledgement> AcknowledgementFromWire(
    const v1::PeerAcknowledgement& wire) {
  const std::optional<ledger::NodeSums> sums = NodeSumsFromWire(wire.news());
  const auto placements = PlacementsFromWire(wire.placements());
  if (!sums || !placements) return std::nullopt;
  cluster::Acknowledgement acknowledgement{wire.applied(), wire.epoch(), *sums, *placements};
  if (!wire.has_demand()) return acknowledgement;
  acknowledgement.demand = DemandFromWire(wire.demand());
  if (!acknowledgement.demand) return std::nullopt;
  return acknowledgement;
}

void AcknowledgementToWire(const cluster::Acknowledgement& acknowledgement,
                           v1::PeerAcknowledgement* wire) {
  wire->set_applied(acknowledgement.applied);
  wire->set_epoch(acknowledgement.epoch);
  NodeSumsToWire(acknowledgement.sums, wire->mutable_news());
  PlacementsToWire(acknowledgement.placements, wire->mutable_placements());
  if (acknowledgement.demand) DemandToWire(*acknowledgement.demand, wire->mutable_demand());
}

// The acknowledgement is no part of the batch: a receiver counts what a message holds before it
// decodes it, one level deep (frugal_message.h).
void SealedToWire(cluster::Sealed& sealed, v1::PeerMessage* wire) {
  wire->mutable_sealed()->set_sequence(sealed.sequence);
  wire->mutable_sealed()->set_batch(std::move(sealed.bytes));
  if (sealed.acknowledgement)
    AcknowledgementToWire(*sealed.acknowledgement, wire->mutable_after_batch());
}

std::optional<cluster::Message> SealedFromWire(v1::PeerMessage& wire) {
  v1::SealedBatch& batch = *wire.mutable_sealed();
  if (batch.sequence() == 0 || batch.batch().empty() || batch.batch().size() > kBatchBytesMax)
    return std::nullopt;
  cluster::Sealed sealed{batch.sequence(), std::move(*batch.mutable_batch())};
  if (!wire.has_after_batch()) return sealed;
  sealed.acknowledgement = AcknowledgementFromWire(wire.after_batch());
  if (!sealed.acknowledgement) return std::nullopt;
  return sealed;
}

void PlanPartToWire(const cluster::PlanPart& part, v1::PlanPart* wire) {
  wire->set_plan(part.plan);
  wire->set_round(part.round);
  wire->set_out(part.out);
  wire->set_more(!part.last);
  wire->set_left(static_cast<uint64_t>(part.left));
  wire->set_may_be_left(static_cast<uint64_t>(part.may_be_left));
  wire->mutable_pages()->Reserve(static_cast<int>(part.payments.size()));
  wire->mutable_amounts()->Reserve(static_cast<int>(part.payments.size()));
  for (const cluster::PlannedPayment& payment : part.payments) {
    wire->add_pages(payment.page.word());
    wire->add_amounts(payment.amount);
  }
}

std::optional<cluster::Message> PlanPartFromWire(const v1::PlanPart& wire) {
  constexpr uint64_t kMost = cash::kHoldingMax.units();
  if (wire.plan() == 0 || wire.plan() > cluster::PlanPart::kPlanMax || wire.left() > kMost ||
      wire.may_be_left() > kMost || wire.pages_size() != wire.amounts_size() ||
      wire.pages_size() > static_cast<int>(cluster::PlanPart::kPaymentsMax))
    return std::nullopt;
  cluster::PlanPart part{.plan = wire.plan(),
                         .round = wire.round(),
                         .out = wire.out(),
                         .last = !wire.more(),
                         .left = static_cast<int64_t>(wire.left()),
                         .may_be_left = static_cast<int64_t>(wire.may_be_left())};
  part.payments.reserve(static_cast<size_t>(wire.pages_size()));
  for (int i = 0; i < wire.pages_size(); ++i) {
    const int64_t amount = wire.amounts(i);
    if (!PageId::IsValidWord(wire.pages(i)) || amount > cash::kSupply.units() ||
        amount < -cash::kSupply.units())
      return std::nullopt;
    part.payments.push_back({PageId::FromWord(wire.pages(i)), amount});
  }
  return part;
}

}  // namespace

void ToWire(cluster::Message message, v1::PeerMessage* wire) {
  std::visit(base::Overloaded{
                 [&](const cluster::Hello& hello) { HelloToWire(hello, wire->mutable_hello()); },
                 [&](cluster::Sealed& sealed) { SealedToWire(sealed, wire); },
                 [&](const cluster::Acknowledgement& acknowledgement) {
                   AcknowledgementToWire(acknowledgement, wire->mutable_acknowledgement());
                 },
                 [&](schedule::LeaseMessage& lease) {
                   ToWire(std::move(lease), wire->mutable_lease_message());
                 },
                 [&](const cluster::PlanPart& part) { PlanPartToWire(part, wire->mutable_plan()); },
             },
             message);
}

std::optional<cluster::Message> FromWire(v1::PeerMessage&& wire) {
  switch (wire.message_case()) {
    case v1::PeerMessage::kHello:
      return HelloFromWire(wire.hello());
    case v1::PeerMessage::kSealed:
      return SealedFromWire(wire);
    case v1::PeerMessage::kAcknowledgement:
      return AcknowledgementFromWire(wire.acknowledgement());
    case v1::PeerMessage::kLeaseMessage:
      return FromWire(wire.lease_message());
    case v1::PeerMessage::kPlan:
      return PlanPartFromWire(wire.plan());
    case v1::PeerMessage::MESSAGE_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace opic::rpc
