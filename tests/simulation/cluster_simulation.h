// A seeded simulation of a whole cluster: the production ledger and exchange of 2 to 5 nodes on
// stores that crash, over a network that loses, repeats and reorders, with a random crawl.
//
// After every step the naive bookkeeper adds up all cash; no channel may raise an alarm; audits by
// consistent cut in the middle of the traffic must find the supply. At the end everything heals and
// must come to rest: all batches acknowledged, every page that was ever told of known at its owner.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/exchange.h"
#include "tests/simulation/cluster_bookkeeper.h"
#include "tests/simulation/cluster_network.h"
#include "tests/support/crashing_store.h"

namespace opic {

// What was met, of one simulation or of many.
struct ClusterEvents {
  uint64_t steps = 0, crashes = 0, surprises = 0, full_disks = 0, pauses = 0, partitions = 0;
  uint64_t sessions = 0, sent = 0, dropped = 0, duplicated = 0, reordered = 0;
  uint64_t applied = 0, repeated = 0, resent = 0, forwarded = 0;
  uint64_t audits = 0, torn = 0;
  uint64_t clocks_set = 0;
  uint64_t departures = 0, arrivals = 0, unnamed = 0;
  void Add(const ClusterEvents& other);
  std::string ToString() const;
};

class ClusterSimulation {
 public:
  struct Faults {
    bool network = true;  // sessions break, messages are lost, repeated, reordered, held up
    bool nodes = true;    // nodes crash, pause, run out of disk
    bool moves = false;   // shards move
    bool clocks = true;   // the nodes' wall clocks are set, both ways
  };
  using Method = importance::Method;
  // The store of node `n`.
  using Stores = std::function<std::unique_ptr<UnreliableStore>(uint16_t n)>;
  static std::unique_ptr<UnreliableStore> InMemory(uint16_t) {
    return std::make_unique<CrashingStore>();
  }

  // `folder` is for checkpoints; `nodes` 0: drawn.
  ClusterSimulation(uint64_t seed, const std::string& folder, Faults faults, uint16_t nodes = 0,
                    const Stores& stores = InMemory, Method method = Method::kWindow);

  // The `call`-th store call of node `n` from now on crashes.
  void CrashAt(uint16_t n, uint64_t call, UnreliableStore::When when);
  void Run(int steps);

  const ClusterEvents& events() const { return events_; }

 private:
  struct Node {
    uint16_t n = 0;
    base::ManualClock clock;
    std::unique_ptr<UnreliableStore> store;
    ledger::Charter charter;
    ledger::Options options;
    cluster::ExchangeOptions exchange_options;
    std::unique_ptr<ledger::Ledger> ledger;
    std::unique_ptr<cluster::Exchange> exchange;  // none while the node is down
    absl::Time down_until = absl::InfinitePast(), paused_until = absl::InfinitePast();
    bool killed = false, full = false;
    std::vector<ShardId> arrived;  // hosts not applied
    std::vector<bool> owned;       // by shard, in the end
    // Pages that the present group tells of, and the log number before it.
    std::vector<ledger::Link> told;
    uint64_t told_after = 0;
  };

  struct Audit {
    uint64_t epoch = 0;
    std::vector<std::optional<ledger::Cut>> parts;
    uint64_t crashes_before = 0;
  };

  void Pass(absl::Duration time);
  // By a generator of its own: what else a seed draws stays as it was.
  void SetClocks();
  // Somebody asks for a cut near the end of all numbers.
  void AskFarAhead();
  Node& AnyNode();
  bool Chance(double chance) { return rng_.Uniform() < chance; }

  // A step of the whole.
  void Step();
  void Disturb();
  void DisturbNode(Node& node);
  void AuditSomewhere();
  void FinishAudit(Audit& audit);
  void Heal();
  bool AtRest();
  void CheckEnd();
  void CheckPlaces() const;
  // By ledger push the equation holds for every page, to the unit.
  void CheckEquation() const;
  void CheckHosts(const Node& node, ShardId shard) const;
  uint16_t OwnerOf(ShardId shard) const;

  // A turn of one node, as its ledger loop makes them. Each false: the node went down.
  void Turn(Node& node, bool crawl);
  bool TryTurn(Node& node, bool crawl);
  bool TakeMessages(Node& node, bool all);
  bool Take(Node& node, uint16_t from, SimulatedNetwork::Item item);
  bool Crawl(Node& node);
  bool Record(Node& node);
  bool Settle(Node& node);
  void Seed(Node& node);
  bool Commit(Node& node);
  bool Move(Node& node);
  void TakeArrived(Node& node);

  bool Open(Node& node);
  void Recover(Node& node);
  void Start(Node& node);
  void Look(Node& node);
  // What the node has told of in its group is durable.
  void GroupIsDurable(Node& node);
  void KeepEvents(const Node& node);

  ledger::Link LinkTo(PageId page) const;
  PageId AnyPage() { return universe_[rng_.Below(universe_.size())]; }
  std::vector<PageId> PagesOf(const Node& node, bool done) const;

  base::Rng rng_, clock_rng_;
  const Faults faults_;
  const std::string folder_;
  cluster::ShardMap map_;
  SimulatedNetwork network_;
  ClusterBookkeeper books_;
  std::vector<PageId> universe_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Audit> audits_;
  uint64_t last_epoch_ = 0;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  bool disturbed_ = true;
  double move_chance_ = 0;                                // a turn
  std::set<std::pair<ShardId, uint64_t>> hosts_applied_;  // by the number of the move
  ClusterEvents events_;
};

}  // namespace opic
