// What a node does besides the ledger for shards that leave it and shards that have arrived
// (docs/decisions/2026-11-21-shard-moves.md).
//
// A shard that is to leave is closed at once: none of its pages is chosen. The scheduler lets its
// hosts go when nothing of theirs is open; when nothing of the shard is in progress here either, it
// departs, and what its hosts must still wait goes along. A shard that has arrived stays closed
// until the scheduler has its hosts on disk. So no host is asked by two nodes at once, or too soon.
//
// What is to leave is remembered by whoever asked for it, not here: a node that starts anew keeps
// what has not departed, until it is asked again.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "desk/scheduler_link.h"
#include "ledger/ledger.h"
#include "node/host_budgets.h"
#include "node/lease_relay.h"
#include "node/pools.h"
#include "schedule/messages.h"

namespace opic::node {

// Where one shard is, as one node knows it.
struct ShardStatus {
  enum class State : uint8_t {
    kResting,   // at `node`
    kLeaving,   // at `node`, which waits for what is in progress there
    kUnderWay,  // has left this node for `node`, which has not acknowledged it whole
    kArriving,  // its rows come in here, or its hosts are being taken over
  };
  ShardId shard;
  NodeId node;
  uint64_t move = 0;  // how often it was moved
  State state = State::kResting;
  uint64_t pages = 0;  // here
};
std::string_view Name(ShardStatus::State state);

class ShardMover {
 public:
  // `ledger` must outlive the mover.
  explicit ShardMover(ledger::Ledger& ledger);

  // `relay` learns here where hosts have their home; null: they are not lent.
  void Start(desk::SchedulerLink& link, LeaseRelay* relay);
  // What was fetched of hosts goes along with their shard. `budgets` must outlive the mover.
  void CarrySpending(HostBudgets& budgets) { budgets_ = &budgets; }
  const ClosedShards& closed() const { return closed_; }

  // The shard is to go to another node. Idempotent. FailedPrecondition: it is not here, or cannot
  // leave; Unavailable: it is arriving, try again.
  absl::Status Move(ShardId shard, NodeId to);
  // A session with the scheduler has begun: what leaves and what arrived is sent to it again.
  void BeginSession();
  void Take(schedule::Released released);
  void Take(schedule::Adopted adopted) { ledger_.moves().HostsApplied(adopted.shard); }

  // After a commit. Lets one shard depart whose time has come, and sees to what has arrived. True:
  // there is something to commit. REQUIRES: an empty group.
  absl::StatusOr<bool> Step(absl::Span<const PageId> in_progress);
  // Which shards are closed now. To be called before pages are chosen: the present group may have
  // brought rows that are not on disk yet.
  void UpdateClosed();
  // Closes all, from the next update on: this node does not know yet what is crawled.
  void AwaitOrder(bool awaited) { order_awaited_ = awaited; }
  // True once after the scheduler has released a shard that then could not leave. Its pages are
  // offered again only in a new session with the scheduler.
  bool TakeStranded() { return std::exchange(stranded_, false); }
  // Step has work even when no message has arrived.
  bool busy() const { return !leaving_.empty(); }

  std::vector<ShardStatus> Status() const;

 private:
  struct Leaving {
    NodeId to;
    bool released = false;
    std::string hosts;
  };
  void SendRelease(ShardId shard);
  void TellHomes();

  ledger::Ledger& ledger_;
  desk::SchedulerLink* link_ = nullptr;
  LeaseRelay* relay_ = nullptr;
  HostBudgets* budgets_ = nullptr;            // null: nobody counts
  std::vector<std::optional<NodeId>> homes_;  // as told to `relay_`
  bool order_awaited_ = false;
  ClosedShards closed_;
  std::map<ShardId, Leaving> leaving_;
  std::map<ShardId, absl::Status> stuck_;  // why they cannot leave; asked for, they stay
  bool stranded_ = false;
  std::map<ShardId, std::string> arrived_;  // hosts that the scheduler has not on disk
};

}  // namespace opic::node
