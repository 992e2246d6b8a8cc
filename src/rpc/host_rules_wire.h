// Rules for hosts and their changes, on the wire (proto/opic/v1/control.proto, session.proto).
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "node/host_rule_book.h"
#include "schedule/host_rules.h"

namespace opic::v1 {
class HostRule;
class KeptHostRule;
class TuneHostsRequest;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const schedule::HostRule& rule, v1::HostRule* wire);
// Nothing: no program of ours would send it.
std::optional<schedule::HostRule> FromWire(const v1::HostRule& wire);

void ToWire(const node::KeptRule& kept, v1::KeptHostRule* wire);
std::optional<node::KeptRule> FromWire(const v1::KeptHostRule& wire);

void ToWire(const std::vector<node::HostChange>& changes, v1::TuneHostsRequest* wire);
// InvalidArgument: more changes than there may be rules.
absl::StatusOr<std::vector<node::HostChange>> FromWire(const v1::TuneHostsRequest& wire);

}  // namespace opic::rpc
