// One machine of the simulated cluster: a node with its Page Scheduler, in one process or in two,
// and the link between them. The scheduler is the production one; the node does as
// node/lease_relay.h, node/shard_mover.h and desk/order_desk.h do, without pages.
//
// Either process can be killed, stopped cleanly, or paused, and the link break or stand still.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/lease_terms.h"
#include "schedule/messages.h"
#include "scheduler/scheduler.h"
#include "store/store.h"
#include "tests/scheduler/late_line.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {

class LeaseWorld;

class LeaseMachine {
 public:
  LeaseMachine(LeaseWorld& world, NodeId self, bool one_process, absl::Duration clock_ahead);

  bool one_process() const { return one_process_; }
  bool node_up() const { return node_.up; }
  bool scheduler_up() const { return scheduler_.up; }
  absl::Time node_paused_until() const { return node_.paused_until; }
  // Whether the two have a session.
  bool linked() const { return linked_; }

  void StartNode();
  void StartScheduler();
  void KillNode();
  void KillScheduler();
  // The node ends its requests first; with what is to be done the scheduler stops as it does.
  void StopNode() { KillNode(); }
  void StopScheduler();
  void PauseNode(absl::Time until);
  void PauseScheduler(absl::Time until);
  void HoldLink(absl::Time until);
  void BreakLink();
  void SetCapacity(uint32_t fetches);

  // Why a page of this machine is not asked for, as far as anybody knows.
  std::string Explain(PageId page) const;

  // From the network.
  void FromPeer(NodeId peer, schedule::LeaseMessage message);
  void Connected(NodeId peer);
  void Disconnected(NodeId peer);

  // Shards. The owner lets go of one as soon as it may.
  void Move(ShardId shard, NodeId to);
  void ShardArrived(ShardId shard);
  // Where others have told that the shard is.
  void HearOf(ShardId shard, NodeId owner, uint64_t move);

 private:
  struct Process {
    bool up = false;
    uint64_t life = 0;
    absl::Time paused_until = absl::InfinitePast();
  };
  struct Belief {
    NodeId owner;
    uint64_t move = 0;
  };
  struct Leaving {
    NodeId to;
    bool released = false;
    std::string hosts;
  };
  struct Task {
    schedule::Order order;
    absl::Time taken;
    std::optional<uint64_t> request;  // begun
  };

  absl::Time Local() const;
  // Happens in `process` after `delay`, later when it is paused then, never when it has ended.
  void In(Process& process, absl::Duration delay, std::function<void()> what);
  void RunIn(Process& process, uint64_t life, std::function<void()> what);

  // The link.
  void Link();
  void BeginSession();
  void ToScheduler(schedule::ToScheduler message);
  void ToNode(schedule::ToNode message);
  void Send(LateLine& line, std::function<void()> arrive);
  void CutLink();

  // The scheduler.
  void Handle(const schedule::ToScheduler& message);
  void Tick();
  void Wake();

  // The node.
  void Take(schedule::ToNode message);
  void Answer(const schedule::Directive& directive);
  void Take(const schedule::Order& order);
  void Begin(PageId page);
  void Ended(PageId page, uint64_t request, schedule::Outcome outcome, absl::Time begun);
  void Postpone(PageId page);
  bool MayBegin(const Task& task) const;
  void RelayFromScheduler(schedule::LeaseMessage message);
  void SendTo(NodeId peer, schedule::LeaseMessage message);
  void Deliver(NodeId from, schedule::LeaseMessage message);
  std::optional<NodeId> HomeOf(const std::string& host) const;
  bool MayOffer(ShardId shard) const;
  void DepartWhenFree();
  void Shake(absl::Time calm_from);

  LeaseWorld& world_;
  const NodeId self_;
  const bool one_process_;
  const absl::Duration clock_ahead_;

  Process node_, scheduler_;
  bool linked_ = false;
  absl::Time link_held_until_ = absl::InfinitePast();
  LateLine to_node_, to_scheduler_;

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<Scheduler> core_;
  bool greeted_ = false;
  uint64_t wake_ = 0;

  std::vector<Belief> beliefs_;  // on disk
  uint64_t process_ = 0;
  uint32_t fetches_max_ = 0;
  std::map<PageId, Task> tasks_;
  std::set<PageId> ordered_;
  std::map<ShardId, Leaving> leaving_;
  schedule::LeaseTerms terms_;
};

}  // namespace opic::scheduler
