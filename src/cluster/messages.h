// What two nodes say to each other over their stream (proto/opic/v1/peer.proto has its form on the
// wire).
//
// A stream is one session. Both ends begin with Hello and send nothing else before they have read
// the other's. Then come batches in the order of their sequence numbers, from the first that the
// other's Hello does not acknowledge, and acknowledgements. What a broken stream swallowed is sent
// again in the next session. Messages about hosts on loan go between, and are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ledger/placements.h"
#include "ledger/transfer.h"
#include "schedule/lease_message.h"
#include "schedule/refresh_demand.h"

namespace opic::cluster {

// One run of a node's process on its data folder. The folder counts the starts, and the process
// draws its number: two with the same count, or an earlier one that is met after a later one, run
// on copies of one folder.
struct Incarnation {
  uint64_t start = 0;    // from 1; durable before anybody hears of it
  uint64_t process = 0;  // 0: not known
  friend bool operator==(const Incarnation&, const Incarnation&) = default;
};

struct Hello {
  uint64_t cluster_id = 0;
  uint32_t format_version = 0;  // ledger::Charter::exchange_version
  NodeId from, to;
  uint32_t generation = 1;  // of the sender's data folder
  uint64_t birth = 0;
  Incarnation incarnation;        // of the sender
  Incarnation known;              // of the receiver, as the sender has met it last
  uint32_t known_generation = 1;  // of the receiver's data folder, to the sender
  uint64_t map_version = 0;
  // What the sender has on disk of the receiver's batches.
  uint64_t applied = 0;
  cash::Sum applied_cash = 0;
  // The sender's own batches.
  uint64_t sealed = 0, acknowledged = 0;
  cash::Sum sealed_cash = 0;
  // Between earlier folders of the two, of which one was lost (ledger::PeerBook).
  cash::Sum closed_sealed_cash = 0, closed_applied_cash = 0;
  uint64_t epoch = 0;
  ledger::NodeSums sums;
  // Every shard that was ever moved, as the sender knows it: completed moves only.
  std::vector<ledger::Placement> placements = {};
};

struct Sealed {
  uint64_t sequence = 0;
  std::string bytes;  // an encoded ledger::TransferBatch
};

// Rule R2: sent after `applied` is durable. Sent without need too, to tell the sums.
struct Acknowledgement {
  uint64_t applied = 0;
  uint64_t epoch = 0;
  ledger::NodeSums sums;
  // What the sender has learnt of moves since it last reported them to this peer.
  std::vector<ledger::Placement> placements = {};
  // What the sender would read again; nothing: as it said last in this session.
  std::optional<schedule::RefreshDemand> demand = std::nullopt;
};

using Message = std::variant<Hello, Sealed, Acknowledgement, schedule::LeaseMessage>;

}  // namespace opic::cluster
