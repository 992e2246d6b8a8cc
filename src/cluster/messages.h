// What two nodes say to each other over their stream (proto/opic/v1/peer.proto has its form on the
// wire).
//
// A stream is one session. Both ends begin with Hello and send nothing else before they have read
// the other's. Then come batches in the order of their sequence numbers, from the first that the
// other's Hello does not acknowledge, and acknowledgements. What a broken stream swallowed is sent
// again in the next session. Messages about hosts on loan and parts of plans go between, and are
// not.
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
  bool plans_together = false;                  // the sender understands PlanPart
  bool batches_carry_acknowledgements = false;  // the sender reads Sealed::acknowledgement
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

struct Sealed {
  uint64_t sequence = 0;
  std::string bytes;  // an encoded ledger::TransferBatch
  // Follows the batch in the same message, to a peer whose Hello says that it reads it there.
  std::optional<Acknowledgement> acknowledgement = std::nullopt;
};

// What a settled page of the sender is going to pay to one of the receiver, in units.
struct PlannedPayment {
  PageId page;
  int64_t amount = 0;
};

// What the sender says in a round of the plan that the nodes of a cluster make together for their
// settled pages (node/plan_rounds.h). No cash moves with it.
struct PlanPart {
  static constexpr size_t kPaymentsMax = 50'000;  // a longer part is cut
  static constexpr uint64_t kPlanMax = uint64_t{1} << 62;

  uint64_t plan = 0;   // from 1
  uint32_t round = 0;  // 0: the sender is not so far yet, or at work
  bool out = false;    // the sender does not take part
  bool last = true;    // nothing of the round is missing after this
  int64_t left = 0;    // cash of the sender's pages that no plan has paid yet, without signs
  int64_t may_be_left = 0;
  std::vector<PlannedPayment> payments = {};
};

using Message = std::variant<Hello, Sealed, Acknowledgement, schedule::LeaseMessage, PlanPart>;

}  // namespace opic::cluster
