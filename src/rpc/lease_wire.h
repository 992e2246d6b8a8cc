// schedule/lease_message.h on the wire and back. What comes from the wire is checked: nullopt for a
// message that no peer of ours would send.
//
// Thread safety: pure.
#pragma once

#include <optional>

#include "schedule/lease_message.h"

namespace opic::v1 {
class LeaseMessage;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(schedule::LeaseMessage message, v1::LeaseMessage* wire);
std::optional<schedule::LeaseMessage> FromWire(const v1::LeaseMessage& wire);

}  // namespace opic::rpc
