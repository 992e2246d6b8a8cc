// cluster/messages.h on the wire and back. What comes from the wire is checked: nullopt for a
// message that no peer of ours would send.
//
// Thread safety: pure.
#pragma once

#include <optional>

#include "cluster/messages.h"

namespace opic::v1 {
class PeerMessage;
}

namespace opic::rpc {

// Limit of a sealed batch; a node seals at most a megabyte and one transfer (ledger::Options).
inline constexpr size_t kBatchBytesMax = 16 << 20;

// Batches are moved, not copied.
void ToWire(cluster::Message message, v1::PeerMessage* wire);
std::optional<cluster::Message> FromWire(v1::PeerMessage&& wire);

}  // namespace opic::rpc
