#include "rpc/audit_wire.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "rpc/sum_wire.h"

namespace opic::rpc {
namespace {

void ToWire(const node::AuditPart& part, v1::NodeAudit* wire) {
  wire->set_node(part.node);
  wire->set_log_number(part.log_number);
  wire->set_pages(part.pages);
  wire->set_unread(part.unread);
  wire->set_table(cash::ToString(part.table));
  wire->set_virtual_page(cash::ToString(part.virtual_page));
  wire->set_in_flight(cash::ToString(part.in_flight));
  wire->set_difference(cash::ToString(part.difference));
}

absl::StatusOr<node::AuditPart> FromWire(const v1::NodeAudit& wire) {
  node::AuditPart part;
  part.node = wire.node();
  part.log_number = wire.log_number();
  part.pages = wire.pages();
  part.unread = wire.unread();
  ASSIGN_OR_RETURN(part.table, SumOf(wire.table()));
  ASSIGN_OR_RETURN(part.virtual_page, SumOf(wire.virtual_page()));
  ASSIGN_OR_RETURN(part.in_flight, SumOf(wire.in_flight()));
  ASSIGN_OR_RETURN(part.difference, SumOf(wire.difference()));
  return part;
}

void ToWire(const ledger::Cut::ChannelState& channel, v1::CutChannel* wire) {
  wire->set_peer(channel.peer.value);
  wire->set_sealed(channel.book.sealed);
  wire->set_acknowledged(channel.book.acknowledged);
  wire->set_applied(channel.book.applied);
  wire->set_sealed_cash(cash::ToString(channel.book.sealed_cash));
  wire->set_applied_cash(cash::ToString(channel.book.applied_cash));
  wire->set_closed_sealed_cash(cash::ToString(channel.book.closed_sealed_cash));
  wire->set_closed_applied_cash(cash::ToString(channel.book.closed_applied_cash));
  for (const ledger::Retained& retained : channel.retained) {
    v1::RetainedBatch* batch = wire->add_retained();
    batch->set_sequence(retained.sequence);
    batch->set_cash(cash::ToString(retained.cash));
  }
}

absl::StatusOr<ledger::Cut::ChannelState> FromWire(const v1::CutChannel& wire) {
  if (wire.peer() > kShardOrNodeMax)
    return absl::InvalidArgumentError(
        absl::StrCat("a channel to node ", wire.peer(), ": there is none"));
  ledger::Cut::ChannelState channel;
  channel.peer = NodeAt(wire.peer());
  channel.book.sealed = wire.sealed();
  channel.book.acknowledged = wire.acknowledged();
  channel.book.applied = wire.applied();
  ASSIGN_OR_RETURN(channel.book.sealed_cash, SumOf(wire.sealed_cash()));
  ASSIGN_OR_RETURN(channel.book.applied_cash, SumOf(wire.applied_cash()));
  ASSIGN_OR_RETURN(channel.book.closed_sealed_cash, SumOf(wire.closed_sealed_cash()));
  ASSIGN_OR_RETURN(channel.book.closed_applied_cash, SumOf(wire.closed_applied_cash()));
  for (const v1::RetainedBatch& batch : wire.retained()) {
    ledger::Retained retained;
    retained.sequence = batch.sequence();
    ASSIGN_OR_RETURN(retained.cash, SumOf(batch.cash()));
    channel.retained.push_back(retained);
  }
  return channel;
}

}  // namespace

void ToWire(const node::Audit& audit, v1::TakeResponse* wire) {
  wire->set_cluster_id(audit.cluster_id);
  wire->set_log_number(audit.log_number);
  wire->set_pages(audit.pages);
  wire->set_unread(audit.unread);
  wire->set_expected(cash::ToString(audit.expected));
  wire->set_table(cash::ToString(audit.table));
  wire->set_virtual_page(cash::ToString(audit.virtual_page));
  if (!audit.partial()) {  // else nobody knows
    wire->set_in_flight(cash::ToString(audit.in_flight));
    wire->set_difference(cash::ToString(audit.difference()));
  }
  wire->set_clock(cash::ToString(audit.clock));
  wire->set_epoch(audit.epoch);
  for (const node::AuditPart& part : audit.nodes) ToWire(part, wire->add_nodes());
  for (const std::string& name : audit.missing) wire->add_missing_nodes(name);
}

absl::StatusOr<node::Audit> FromWire(const v1::TakeResponse& wire) {
  node::Audit audit;
  audit.cluster_id = wire.cluster_id();
  audit.log_number = wire.log_number();
  audit.pages = wire.pages();
  audit.unread = wire.unread();
  audit.epoch = wire.epoch();
  ASSIGN_OR_RETURN(audit.expected, SumOf(wire.expected()));
  ASSIGN_OR_RETURN(audit.table, SumOf(wire.table()));
  ASSIGN_OR_RETURN(audit.virtual_page, SumOf(wire.virtual_page()));
  ASSIGN_OR_RETURN(audit.in_flight, SumOf(wire.in_flight()));
  ASSIGN_OR_RETURN(audit.clock, SumOf(wire.clock()));
  for (const v1::NodeAudit& node : wire.nodes()) {
    ASSIGN_OR_RETURN(node::AuditPart part, FromWire(node));
    audit.nodes.push_back(std::move(part));
  }
  audit.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return audit;
}

void ToWire(const ledger::Cut& cut, v1::CutResponse* wire) {
  wire->set_epoch(cut.epoch);
  wire->set_log_number(cut.log_number);
  wire->set_pages(cut.pages);
  wire->set_unread(cut.unread);
  wire->set_genesis(cash::ToString(cut.genesis));
  wire->set_table(cash::ToString(cut.table));
  wire->set_virtual_page(cash::ToString(cut.virtual_page));
  wire->set_clock(cash::ToString(cut.clock));
  for (const ledger::Cut::ChannelState& channel : cut.channels)
    ToWire(channel, wire->add_channels());
}

absl::StatusOr<ledger::Cut> FromWire(const v1::CutResponse& wire) {
  ledger::Cut cut;
  cut.epoch = wire.epoch();
  cut.log_number = wire.log_number();
  cut.pages = wire.pages();
  cut.unread = wire.unread();
  ASSIGN_OR_RETURN(cut.genesis, SumOf(wire.genesis()));
  ASSIGN_OR_RETURN(cut.table, SumOf(wire.table()));
  ASSIGN_OR_RETURN(cut.virtual_page, SumOf(wire.virtual_page()));
  ASSIGN_OR_RETURN(cut.clock, SumOf(wire.clock()));
  for (const v1::CutChannel& wire_channel : wire.channels()) {
    ASSIGN_OR_RETURN(ledger::Cut::ChannelState channel, FromWire(wire_channel));
    cut.channels.push_back(std::move(channel));
  }
  return cut;
}

void ToWire(const ledger::LostChannel& lost, v1::DeclareLostResponse* wire) {
  wire->set_acknowledged(cash::ToString(lost.received));
  wire->set_applied(cash::ToString(lost.sealed));
  wire->set_clock(cash::ToString(lost.clock));
}

absl::StatusOr<ledger::LostChannel> FromWire(const v1::DeclareLostResponse& wire) {
  ledger::LostChannel lost;
  ASSIGN_OR_RETURN(lost.received, SumOf(wire.acknowledged()));
  ASSIGN_OR_RETURN(lost.sealed, SumOf(wire.applied()));
  ASSIGN_OR_RETURN(lost.clock, SumOf(wire.clock()));
  if (lost.clock < 0) return absl::InvalidArgumentError("a clock is negative");
  return lost;
}

}  // namespace opic::rpc
