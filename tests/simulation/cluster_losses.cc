// Data folders of the simulated cluster that are lost, older than they were, or there twice, and
// what the operator does about it (docs/operations.md, "A dead disk").
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ledger/equation.h"
#include "tests/simulation/cluster_simulation.h"

namespace opic {

// --- What happens to folders.

bool ClusterSimulation::AnyLost() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->lost; });
}

bool ClusterSimulation::IsSettled() const {
  return std::none_of(nodes_.begin(), nodes_.end(),
                      [](const auto& node) { return node->lost || node->disputed; });
}

void ClusterSimulation::Disasters() {
  if (faults_.losses && FaultChance(loss_chance_)) LoseSome();
  Node& node = *nodes_[fault_rng_.Below(nodes_.size())];
  if (!node.lost && faults_.damage && FaultChance(0.02)) {
    node.store->DamageRead(1 + fault_rng_.Below(40));
  }
  if (!node.lost && !node.twin && faults_.copies) {
    if (node.disputed) {
    } else if (FaultChance(0.02)) {
      node.backup = CopyOf(node);
    } else if (node.backup && node.backup->charter.generation < node.charter.generation) {
      if (FaultChance(0.05)) LetStrayIn(node);
    } else if (node.backup && FaultChance(0.02)) {
      Restore(node);
    } else if (FaultChance(0.005)) {
      Double(node);
    }
  }
  if (node.twin && node.twin->stray && FaultChance(0.2)) EndTwin(node);
  Operate();
}

// One folder or several at once, but somebody remains.
void ClusterSimulation::LoseSome() {
  std::vector<Node*> left;
  for (const auto& node : nodes_) {
    if (!node->lost) left.push_back(node.get());
  }
  bool together = AnyLost();
  while (left.size() > 1) {
    const size_t victim = fault_rng_.Below(left.size());
    LoseFolder(*left[victim]);
    left.erase(left.begin() + static_cast<ptrdiff_t>(victim));
    events_.lost_together += together;
    if (!FaultChance(0.2)) return;
    together = true;
  }
}

void ClusterSimulation::LoseFolder(Node& node) {
  ++events_.losses;
  events_.lost_again += node.charter.generation > 1;
  anything_lost_ = true;
  KeepEvents(node);
  EndTwin(node);
  Down(node);
  node.ledger.reset();
  node.store = stores_(node.n);
  node.damaged_reads = 0;
  node.killed = node.full = false;
  node.announced.clear();
  node.arrived.clear();
  node.lost = true;
  announced_.clear();
  audits_.clear();
  books_.Lose(node.n);
}

ClusterSimulation::Copy ClusterSimulation::CopyOf(Node& node) {
  Copy copy;
  copy.rows = EverythingIn(node.store->rows());
  copy.checkpoints = absl::StrCat(folder_, "/copy-", ++copies_);
  if (std::filesystem::exists(node.options.checkpoint_folder)) {
    std::filesystem::copy(node.options.checkpoint_folder, copy.checkpoints);
  }
  copy.starts = node.starts;
  copy.charter = node.charter;
  return copy;
}

// A process's next turn is one on the copied folder.
void ClusterSimulation::RunOn(Node& node, const Copy& copy) {
  node.store = stores_(node.n);
  ASSERT_TRUE(node.store->Write(copy.rows, store::Sync::kYes).ok());
  node.damaged_reads = 0;
  node.options.checkpoint_folder = absl::StrCat(folder_, "/copy-", ++copies_);
  if (std::filesystem::exists(copy.checkpoints)) {
    std::filesystem::copy(copy.checkpoints, node.options.checkpoint_folder);
  }
  node.starts = copy.starts;
  node.charter = copy.charter;
  ASSERT_TRUE(Open(node));
}

void ClusterSimulation::Restore(Node& node) {
  ++events_.restored;
  anything_lost_ = true;
  KeepEvents(node);
  Down(node);
  node.ledger.reset();
  node.killed = node.full = false;
  node.announced.clear();
  node.arrived.clear();
  node.disputed = true;
  node.found_out = false;
  announced_.erase(node.n);
  audits_.clear();
  books_.Dispute(node.n);
  ASSERT_NO_FATAL_FAILURE(RunOn(node, *node.backup));
  Look(node);
}

void ClusterSimulation::Double(Node& node) {
  ++events_.doubled;
  anything_lost_ = true;
  node.disputed = true;
  node.found_out = false;
  audits_.clear();
  books_.Dispute(node.n);
  node.twin = TwinOf(node);
  ASSERT_NO_FATAL_FAILURE(RunOn(*node.twin, CopyOf(node)));
}

// A folder that was declared lost and was not: its process comes up beside the successor's.
void ClusterSimulation::LetStrayIn(Node& node) {
  ++events_.strays;
  node.had_stray = true;
  node.twin = TwinOf(node);
  node.twin->stray = true;
  ASSERT_NO_FATAL_FAILURE(RunOn(*node.twin, *node.backup));
}

std::unique_ptr<ClusterSimulation::Node> ClusterSimulation::TwinOf(Node& node) {
  for (size_t peer = 0; peer < nodes_.size(); ++peer) {
    speakers_[node.n * nodes_.size() + peer] = &node;
  }
  auto twin = std::make_unique<Node>();
  twin->n = node.n;
  twin->map = node.map;
  twin->options = node.options;
  twin->exchange_options = node.exchange_options;
  twin->clock.Advance(now_ - twin->clock.Steady());
  return twin;
}

void ClusterSimulation::EndTwin(Node& node) {
  if (!node.twin) return;
  KeepEvents(*node.twin);
  Down(*node.twin);
  node.twin.reset();
}

// Now the one and then the other one has the sessions.
void ClusterSimulation::AlternateTwins() {
  for (const auto& node : nodes_) {
    if (!node->twin || !FaultChance(0.3)) continue;
    for (uint16_t peer = 0; peer < nodes_.size(); ++peer) network_.Break(node->n, peer);
  }
}

// --- Processes that are the same node.

bool ClusterSimulation::Hears(Node& node, uint16_t from) {
  if (!nodes_[node.n]->twin) return true;
  Node*& speaker = speakers_[node.n * nodes_.size() + from];
  if (network_.BeginsSession(from, node.n) && FaultChance(0.5)) {
    Node& own = *nodes_[node.n];
    speaker = FaultChance(0.5) ? &own : own.twin.get();
  }
  return speaker == &node;
}

void ClusterSimulation::Down(Node& node) {
  node.exchange.reset();
  if (!nodes_[node.n]->twin) {
    network_.Down(node.n);
    return;
  }
  for (uint16_t peer = 0; peer < nodes_.size(); ++peer) {
    Node*& speaker = speakers_[node.n * nodes_.size() + peer];
    if (speaker != &node) continue;
    network_.Abandon(node.n, peer);
    speaker = nullptr;
  }
}

// A channel stops only because of a folder that is older than it was, there twice, or given up.
void ClusterSimulation::CheckAlarms(const Node& node) {
  Node& own = *nodes_[node.n];
  for (const cluster::ChannelStatus& channel : node.exchange->Status()) {
    if (channel.alarm.empty()) continue;
    Node& peer = *nodes_[channel.peer.value];
    // What a lost folder's process said last may be heard late.
    const bool late = absl::StrContains(channel.alarm, "which was declared lost");
    EXPECT_TRUE(own.disputed || own.had_stray || peer.disputed || peer.had_stray || late)
        << "at node " << node.n << ": " << channel.alarm;
    own.found_out |= own.disputed && absl::StrContains(channel.alarm, "this node");
    peer.found_out |=
        peer.disputed && absl::StrContains(channel.alarm, absl::StrCat("node n", peer.n));
  }
}

bool ClusterSimulation::Keep(Node& node, absl::Status status) {
  node.failure = std::move(status);
  return node.failure.ok();
}

// --- The operator.

// Tells every other node of all that is lost, each when it is there; then the successors are born.
void ClusterSimulation::Operate() {
  for (const auto& node : nodes_) {
    if (!node->disputed || node->lost) continue;
    if (!FaultChance(node->found_out ? 0.1 : 0.004)) continue;
    events_.found_out += node->found_out;
    LoseFolder(*node);
  }
  if (!AnyLost()) return;
  bool all = true;
  for (const auto& node : nodes_) {
    if (node->lost || announced_.contains(node->n)) continue;
    if (node->exchange && (!disturbed_ || FaultChance(0.3))) Tell(*node);
    all &= announced_.contains(node->n);
  }
  if (all) DeclareLost();
}

void ClusterSimulation::Tell(Node& node) {
  if (!Commit(node)) return Recover(node);
  Look(node);
  for (const auto& lost : nodes_) {
    if (!lost->lost) continue;
    if (Keep(node, node.exchange->BeginAnew(NodeId{lost->n}, lost->charter.generation + 1,
                                            node.clock.Steady()))) {
      continue;
    }
    return Recover(node);
  }
  Look(node);
  announced_.insert(node.n);
  node.killed = disturbed_ && faults_.nodes && FaultChance(0.05);
  if (node.killed) Recover(node);
}

// What the others say of their channels adds up to what the lost folders held. Of several that are
// lost at once only the sum is known: the first one's successor gets it all.
void ClusterSimulation::DeclareLost() {
  const cash::Sum supply = map().CharterOf(NodeId{0}).supply.units();
  std::map<uint16_t, std::vector<ledger::LostChannel>> channels;  // of each lost node
  const uint16_t first =
      (*std::find_if(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->lost; }))->n;
  cash::Sum all = 0;
  for (const auto& lost : nodes_) {
    if (!lost->lost) continue;
    cash::Sum held = lost->n == 0 ? supply : 0;
    for (const auto& node : nodes_) {
      if (node->lost) continue;
      const ledger::PeerBook& book = node->ledger->peers().book(NodeId{lost->n});
      channels[lost->n].push_back(
          {NodeId{node->n}, book.closed_sealed_cash, book.closed_applied_cash, book.sums.clock});
      held += book.closed_sealed_cash - book.closed_applied_cash;
    }
    all += held;
    if (lost->n == first) continue;
    const cash::Sum paid = std::max<cash::Sum>(held, 0), owed = std::max<cash::Sum>(-held, 0);
    channels[first].push_back({NodeId{lost->n}, paid, owed});
    channels[lost->n].push_back({NodeId{first}, owed, paid});
  }
  ASSERT_TRUE(all <= 2 * supply && all >= -2 * supply)
      << "cannot be repaired: what was lost held " << cash::ToString(all);
  cluster::ShardMap next = map();
  for (auto& [lost, some] : channels) {
    std::sort(some.begin(), some.end(),
              [](const auto& a, const auto& b) { return a.peer < b.peer; });
    next = next.WithSuccessor(NodeId{lost}, std::move(some));
  }
  const absl::StatusOr<cluster::ShardMap> read = cluster::ShardMap::Parse(next.ToJson());
  ASSERT_TRUE(read.ok()) << "cannot be repaired: " << read.status();
  maps_.push_back(*read);
  for (const auto& node : nodes_) {
    if (node->lost) BeBorn(*node);
  }
  books_.CheckSum();
}

void ClusterSimulation::BeBorn(Node& node) {
  node.map = &map();
  node.charter = map().CharterOf(NodeId{node.n});
  node.charter.birth = 100 + ++copies_;
  node.options.checkpoint_folder = absl::StrCat(folder_, "/later-", ++copies_);
  node.starts = 0;
  while (!Open(node)) {
    ASSERT_TRUE(node.store->crashed()) << node.failure;
    node.store->Reboot(rng_);
  }
  node.lost = node.disputed = node.found_out = false;
  node.down_until = now_ + absl::Milliseconds(fault_rng_.Below(300));
  books_.Born(node.n, *node.ledger, node.store->rows());
}

// --- The end.

// All channels have gone on and nobody has found out about a disputed folder. A doubled one cannot
// hide; an older one may be as good as the newest, but then not a unit is amiss.
void ClusterSimulation::CheckUnnoticed() {
  if (AnyLost()) return;
  for (const auto& node : nodes_) {
    if (!node->disputed || node->found_out) continue;
    EXPECT_FALSE(node->twin) << "node " << node->n << " runs twice and nobody finds out";
    const auto disputed = std::count_if(nodes_.begin(), nodes_.end(),
                                        [](const auto& other) { return other->disputed; });
    if (disputed > 1) continue;
    EXPECT_EQ(cash::ToString(TotalOnDisk()),
              cash::ToString(map().CharterOf(NodeId{0}).supply.units()))
        << "node " << node->n << " runs on an older folder and nobody finds out";
    ++events_.harmless;
    node->found_out = true;
  }
}

cash::Sum ClusterSimulation::TotalOnDisk() const {
  cash::Sum total = 0;
  for (const auto& node : nodes_) {
    total += node->ledger->books().virtual_page().units();
    total += node->ledger->books().table().totals().cash;
    store::Store& rows = node->store->rows();
    for (const auto row = rows.Scan(store::Table::kOutbox, ""); row->Valid(); row->Next()) {
      const auto [to, sequence] = ledger::SealedOfKey(row->key()).value();
      const uint64_t applied = nodes_[to.value]->ledger->peers().book(NodeId{node->n}).applied;
      if (sequence > applied) total += ledger::DecodeTransferBatch(row->value())->Carried();
    }
  }
  return total;
}

// What was lost with rows and credits is made good (opic restate).
void ClusterSimulation::Restate() {
  if (nodes_[0]->charter.method != Method::kPush) return;
  ledger::Equation equation(nodes_[0]->charter);
  for (const auto& node : nodes_) {
    ASSERT_TRUE(equation.Add(*node->ledger, node->store->rows()).ok());
  }
  const std::vector<ledger::Drift> drifts = equation.Drifts();
  for (const auto& node : nodes_) {
    std::vector<ledger::Drift> own;
    std::copy_if(drifts.begin(), drifts.end(), std::back_inserter(own), [&](const auto& drift) {
      return node->ledger->placements().OwnerOf(drift.page.shard()) == NodeId{node->n};
    });
    node->ledger->Correct(own);
    ASSERT_TRUE(node->ledger->Commit().ok());
    Look(*node);
  }
  books_.CheckSum();
}

}  // namespace opic
