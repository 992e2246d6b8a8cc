// schedule/messages.h on the wire and back. What comes from the wire is checked: nullopt for a
// message that no peer of ours would send.
//
// Thread safety: pure.
#pragma once

#include <optional>

#include "schedule/messages.h"

namespace opic::v1 {
class ToScheduler;
class ToNode;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const schedule::ToScheduler& message, v1::ToScheduler* wire);
void ToWire(const schedule::ToNode& message, v1::ToNode* wire);
std::optional<schedule::ToScheduler> FromWire(const v1::ToScheduler& wire);
std::optional<schedule::ToNode> FromWire(const v1::ToNode& wire);

}  // namespace opic::rpc
