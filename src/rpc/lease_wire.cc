#include "rpc/lease_wire.h"

#include "opic/v1/lease.pb.h"

namespace opic::rpc {
namespace {

constexpr int64_t kTermMaxUs = int64_t{3600} * 1'000'000;

bool IsSmall(const v1::LeaseMessage& wire) {
  return wire.requests_size() + wire.leases_size() + wire.returns_size() <=
         static_cast<int>(schedule::kLeaseEntriesMax);
}

}  // namespace

void ToWire(schedule::LeaseMessage message, v1::LeaseMessage* wire) {
  if (message.peer) wire->set_peer(message.peer->value);
  wire->set_cluster_id(message.cluster_id);
  wire->set_process(message.process);
  wire->set_sent_us(absl::ToUnixMicros(message.sent));
  wire->set_clear_before(message.clear_before);
  for (std::string& host : message.requests) wire->add_requests(std::move(host));
  for (schedule::HostLease& lease : message.leases) {
    v1::HostLease* item = wire->add_leases();
    item->set_host(std::move(lease.host));
    item->set_id(lease.id);
    item->set_requested_us(absl::ToUnixMicros(lease.requested));
    item->set_term_us(absl::ToInt64Microseconds(lease.term));
    item->set_pace(std::move(lease.pace));
    item->set_robots(std::move(lease.robots));
  }
  for (schedule::HostReturn& back : message.returns) {
    v1::HostReturn* item = wire->add_returns();
    item->set_host(std::move(back.host));
    item->set_id(back.id);
    item->set_pace(std::move(back.pace));
    item->set_robots(std::move(back.robots));
  }
}

std::optional<schedule::LeaseMessage> FromWire(const v1::LeaseMessage& wire) {
  if (!IsSmall(wire) || (wire.has_peer() && wire.peer() > kShardOrNodeMax)) return std::nullopt;
  schedule::LeaseMessage message;
  if (wire.has_peer()) message.peer = NodeAt(wire.peer());
  message.cluster_id = wire.cluster_id();
  message.process = wire.process();
  message.sent = absl::FromUnixMicros(wire.sent_us());
  message.clear_before = wire.clear_before();
  message.requests.assign(wire.requests().begin(), wire.requests().end());
  for (const v1::HostLease& item : wire.leases()) {
    if (item.term_us() < 0 || item.term_us() > kTermMaxUs) return std::nullopt;
    message.leases.push_back({.host = item.host(),
                              .id = item.id(),
                              .requested = absl::FromUnixMicros(item.requested_us()),
                              .term = absl::Microseconds(item.term_us()),
                              .pace = item.pace(),
                              .robots = item.robots()});
  }
  for (const v1::HostReturn& item : wire.returns()) {
    message.returns.push_back(
        {.host = item.host(), .id = item.id(), .pace = item.pace(), .robots = item.robots()});
  }
  return message;
}

}  // namespace opic::rpc
