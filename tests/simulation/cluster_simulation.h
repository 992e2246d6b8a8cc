// A seeded simulation of a whole cluster: the production ledger and exchange of 2 to 5 nodes on
// stores that crash, over a network that loses, repeats and reorders, with a random crawl.
//
// After every step the naive bookkeeper adds up all cash; no channel may raise an alarm; audits by
// consistent cut in the middle of the traffic must find the supply. At the end everything heals and
// must come to rest: all batches acknowledged, every page that was ever told of known at its owner.
//
// With losses, copies and damage (cluster_losses.cc) an operator does what docs/operations.md says:
// a folder that is lost, older than it was or there twice is declared lost, every other node is
// told, and the node begins anew. Then a channel may raise an alarm about such a folder, and must.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/exchange.h"
#include "tests/simulation/cluster_bookkeeper.h"
#include "tests/simulation/cluster_events.h"
#include "tests/simulation/cluster_network.h"
#include "tests/support/crashing_store.h"

namespace opic {

class ClusterSimulation {
 public:
  struct Faults {
    bool network = true;  // sessions break, messages are lost, repeated, reordered, held up
    bool nodes = true;    // nodes crash, pause, run out of disk
    bool moves = false;   // shards move
    bool clocks = true;   // the nodes' wall clocks are set, both ways
    bool losses = false;  // data folders are lost: one, several, those of successors
    bool copies = false;  // folders run twice, are older copies, or were declared lost before
    bool damage = false;  // reads return damaged bytes
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
  // A data folder, put away.
  struct Copy {
    store::Batch rows;
    std::string checkpoints;  // the folder of them
    uint64_t starts = 0;
    ledger::Charter charter;
  };

  struct Node {
    uint16_t n = 0;
    const cluster::ShardMap* map = nullptr;
    base::ManualClock clock;
    std::unique_ptr<UnreliableStore> store;
    ledger::Charter charter;
    ledger::Options options;
    cluster::ExchangeOptions exchange_options;
    std::unique_ptr<ledger::Ledger> ledger;
    std::unique_ptr<cluster::Exchange> exchange;  // none while the node is down
    uint64_t starts = 0;                          // of processes, on this folder
    uint64_t damaged_reads = 0;                   // of the store, that have ended a process
    absl::Status failure;                         // what ended its last turn
    bool lost = false;                            // its folder, which has no successor yet
    bool disputed = false;                        // older than it was, or there twice
    bool found_out = false;                       // by an alarm
    bool stray = false;                           // runs on a folder that was declared lost
    bool had_stray = false;
    std::unique_ptr<Node> twin;  // another process that is this node
    std::optional<Copy> backup;
    absl::Time down_until = absl::InfinitePast(), paused_until = absl::InfinitePast();
    bool killed = false, full = false;
    std::vector<ShardId> arrived;  // hosts not applied
    std::vector<bool> owned;       // by shard, in the end
    // Pages that the present group tells of, and the log number before it.
    std::vector<ledger::Link> announced;
    uint64_t announced_after = 0;
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
  const cluster::ShardMap& map() const { return maps_.back(); }
  bool Chance(double chance) { return rng_.Uniform() < chance; }

  // A step of the whole.
  void Step();
  void Disturb();
  void DisturbNode(Node& node);
  void AuditSomewhere();
  void FinishAudit(Audit& audit);
  void Calm(Node& node);
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
  void CheckAlarms(const Node& node);
  // The process is no more; its sessions end.
  void Down(Node& node);
  // Whether the process, of one or two that are this node, hears what `from` says next.
  bool Hears(Node& node, uint16_t from);
  bool Keep(Node& node, absl::Status status);  // whether it is OK; if not it ended the turn

  // Lost, older and doubled folders, damaged reads; what the operator does about them.
  bool LosesAnything() const { return faults_.losses || faults_.copies || faults_.damage; }
  bool FaultChance(double chance) { return fault_rng_.Uniform() < chance; }
  void Disasters();
  void LoseSome();
  void LoseFolder(Node& node);
  Copy CopyOf(Node& node);
  void RunOn(Node& node, const Copy& copy);
  void Restore(Node& node);
  void Double(Node& node);
  void LetStrayIn(Node& node);
  std::unique_ptr<Node> TwinOf(Node& node);
  void EndTwin(Node& node);
  void AlternateTwins();
  void Operate();
  bool AnyLost() const;
  bool IsSettled() const;  // nothing lost or disputed
  void Tell(Node& node);
  void DeclareLost();
  void BeBorn(Node& node);
  void CheckUnnoticed();
  cash::Sum TotalOnDisk() const;
  void Restate();

  ledger::Link LinkTo(PageId page) const;
  PageId AnyPage() { return universe_[rng_.Below(universe_.size())]; }
  std::vector<PageId> PagesOf(const Node& node, bool done) const;

  base::Rng rng_, clock_rng_, fault_rng_;
  const Faults faults_;
  const std::string folder_;
  const Stores stores_;
  std::deque<cluster::ShardMap> maps_;  // the last one is the newest
  SimulatedNetwork network_;
  ClusterBookkeeper books_;
  std::vector<PageId> universe_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Node*> speakers_;   // by node and peer: who of several processes has the session
  std::set<uint16_t> announced_;  // of all that is lost now
  uint64_t copies_ = 0;           // made, and processes started: for names
  double loss_chance_ = 0;        // a step
  bool anything_lost_ = false;    // ever
  std::vector<Audit> audits_;
  uint64_t last_epoch_ = 0;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  bool disturbed_ = true;
  double move_chance_ = 0;                                // a turn
  std::set<std::pair<ShardId, uint64_t>> hosts_applied_;  // by the number of the move
  ClusterEvents events_;
};

}  // namespace opic
