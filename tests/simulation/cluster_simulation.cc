// The whole of the simulated cluster: what each seed draws, disturbances, audits, the end.
#include "tests/simulation/cluster_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ledger/equation.h"
#include "tests/simulation/drawn_options.h"

namespace opic {

namespace {

ledger::Charter CharterFor(base::Rng& rng, importance::Method method) {
  ledger::Charter charter;
  charter.cluster_id = rng();
  charter.shards = 8u << rng.Below(2);
  charter.supply =
      cash::Amount(rng.Below(3) == 0 ? 1 + rng.Below(1'000'000) : cash::kSupply.units());
  charter.epsilon = cash::SmallEdge::FromShare(rng.Uniform());
  charter.window.kind = static_cast<importance::WindowKind>(rng.Below(5));
  charter.keep_links = rng.Below(6) != 0;
  if (method == importance::Method::kWindow) return charter;
  // Small bases: all cash of all pages fits a cell's exact range, so that nothing is ever rounded.
  charter.method = method;
  charter.window.kind = importance::WindowKind::kNone;
  charter.keep_links = true;
  charter.base = cash::Amount(static_cast<int64_t>(1 + charter.cluster_id % 10));
  charter.supply = cash::kSupply;
  charter.epsilon = cash::SmallEdge::FromShare(0.15 + 0.85 * charter.epsilon.share());
  return charter;
}

cluster::ShardMap MapFor(base::Rng& rng, uint16_t nodes, importance::Method method) {
  std::vector<cluster::MemberNode> members;
  for (uint16_t n = 0; n < nodes; ++n) {
    members.push_back({NodeId{n}, absl::StrCat("n", n), absl::StrCat("h:", n)});
  }
  return cluster::ShardMap::Even(CharterFor(rng, method), members);
}

ledger::Options OptionsFor(base::Rng& rng, const std::string& checkpoint_folder) {
  ledger::Options options = DrawnOptions(rng, checkpoint_folder);
  options.batch_bytes_max = 60 + rng.Below(1500);
  options.departure_outbox_bytes_max = rng.Below(20'000);
  return options;
}

cluster::ExchangeOptions ExchangeOptionsFor(base::Rng& rng) {
  cluster::ExchangeOptions options;
  options.window = 1 + rng.Below(8);
  if (rng.Below(4) == 0) options.outbox_bytes_max = 500 + rng.Below(4000);
  options.share_every = absl::Milliseconds(rng.Below(400));
  const uint64_t every = 20 + rng.Below(300);
  options.sums_every = absl::Milliseconds(every);
  options.same_sums_every = (every % 2 == 0 ? 1 : 8) * options.sums_every;
  return options;
}

// Who owns what, as each node sees it. Some nodes have an old map and take another node for the
// owner, which knows better.
std::vector<std::vector<NodeId>> ViewsFor(base::Rng& rng, const cluster::ShardMap& map,
                                          uint32_t shards) {
  const uint64_t nodes = map.nodes().size();
  std::vector<std::vector<NodeId>> views(nodes, std::vector<NodeId>(shards));
  for (uint16_t s = 0; s < shards; ++s) {
    const NodeId owner = map.OwnerOf(ShardId{s});
    for (std::vector<NodeId>& view : views) view[s] = owner;
    if (nodes < 3 || rng.Below(4) != 0) continue;
    const uint64_t stale = rng.Below(nodes), believed = rng.Below(nodes);
    if (stale == owner.value || believed == owner.value || believed == stale) continue;
    views[stale][s] = NodeAt(believed);
  }
  return views;
}

}  // namespace

ClusterSimulation::ClusterSimulation(uint64_t seed, const std::string& folder, Faults faults,
                                     uint16_t nodes, const Stores& stores, Method method)
    : rng_(seed),
      clock_rng_(~seed),
      fault_rng_(seed ^ 0x5eed),
      faults_(faults),
      folder_(folder),
      stores_(stores),
      maps_({MapFor(rng_, nodes != 0 ? nodes : static_cast<uint16_t>(2 + rng_.Below(4)), method)}),
      network_(static_cast<uint16_t>(map().nodes().size()), rng_),
      books_(static_cast<uint16_t>(map().nodes().size()), map().CharterOf(NodeId{0}).supply),
      speakers_(map().nodes().size() * map().nodes().size()) {
  const uint32_t shards = map().CharterOf(NodeId{0}).shards;
  universe_.resize(8 + rng_.Below(80));
  for (PageId& page : universe_) {
    page = PageId(ShardAt(rng_.Below(shards)), rng_() % kPageIdCount);
  }
  const auto views = ViewsFor(rng_, map(), shards);
  for (uint16_t n = 0; n < map().nodes().size(); ++n) {
    auto node = std::make_unique<Node>();
    node->n = n;
    node->store = stores(n);
    node->map = &map();
    node->charter = map().CharterOf(NodeId{n});
    node->charter.birth = 1 + n;
    node->options = OptionsFor(rng_, absl::StrCat(folder_, "/", n));
    node->options.nodes = static_cast<uint16_t>(map().nodes().size());
    node->options.owner = [view = views[n]](ShardId shard) { return view[shard.value]; };
    node->exchange_options = ExchangeOptionsFor(rng_);
    nodes_.push_back(std::move(node));
  }
  if (faults_.network) {
    const double often = rng_.Below(2) == 0 ? 0.01 : 0.1;
    // Nothing of a lost folder may be heard in its successor's session.
    network_.set_faults({often * rng_.Uniform(), often * rng_.Uniform(), often * rng_.Uniform(),
                         /*past_sessions=*/!LosesAnything()});
  }
  if (faults_.losses) loss_chance_ = FaultChance(0.5) ? 0.004 : 0.015;
  if (faults_.moves) move_chance_ = rng_.Below(2) == 0 ? 0.03 : 0.4;
}

ClusterSimulation::Node& ClusterSimulation::AnyNode() { return *nodes_[rng_.Below(nodes_.size())]; }

void ClusterSimulation::CrashAt(uint16_t n, uint64_t call, UnreliableStore::When when) {
  nodes_[n]->store->CrashAt(call, when);
}

// --- Disturbances.

void ClusterSimulation::DisturbNode(Node& node) {
  const uint64_t draw = rng_.Below(200);
  if (draw < 4) {
    ++events_.pauses;
    node.paused_until = now_ + absl::Milliseconds(rng_.Below(400));
  } else if (draw < 8) {
    const bool before = rng_.Below(2) == 0;
    node.store->CrashAt(1 + rng_.Below(50),
                        before ? CrashingStore::When::kBefore : CrashingStore::When::kAfter);
  } else if (draw < 9 && node.exchange) {
    ++events_.full_disks;
    node.full = true;
    node.store->FillDisk(true);
  }
}

void ClusterSimulation::Disturb() {
  for (uint16_t a = 0; a < nodes_.size(); ++a) {
    for (uint16_t b = 0; b < nodes_.size(); ++b) {
      if (a == b) continue;
      if (!faults_.network || Chance(0.2)) network_.Connect(a, b);
      if (!faults_.network) continue;
      if (Chance(0.01)) network_.Break(a, b);
      if (Chance(0.1)) network_.Hold(a, b, false);
      if (Chance(0.005)) network_.Hold(a, b, true), ++events_.partitions;
    }
  }
  if (faults_.nodes) DisturbNode(AnyNode());
}

// --- The whole.

void ClusterSimulation::Pass(absl::Duration time) {
  now_ += time;
  for (const auto& node : nodes_) {
    node->clock.Advance(time);
    if (node->twin) node->twin->clock.Advance(time);
  }
}

void ClusterSimulation::SetClocks() {
  for (const auto& node : nodes_) {
    if (clock_rng_.Uniform() > 0.05) continue;
    ++events_.clocks_set;
    node->clock.Step(absl::Hours(2 * clock_rng_.Uniform() - 1));
  }
}

void ClusterSimulation::AskFarAhead() {
  Node& node = *nodes_[clock_rng_.Below(nodes_.size())];
  if (!node.exchange || clock_rng_.Uniform() > 0.05) return;
  const auto cut = node.exchange->TakeCut((uint64_t{1} << 62) - clock_rng_.Below(1000));
  EXPECT_TRUE(absl::IsOutOfRange(cut.status())) << cut.status();
}

void ClusterSimulation::Step() {
  ++events_.steps;
  Pass(absl::Milliseconds(rng_.Below(40)));
  if (faults_.clocks) SetClocks();
  AskFarAhead();
  Disturb();
  if (LosesAnything()) Disasters();
  Node& node = AnyNode();
  Turn(node, /*crawl=*/true);
  if (node.twin) Turn(*node.twin, /*crawl=*/true);
  AuditSomewhere();
  books_.CheckSum();
  CheckPlaces();
}

bool ClusterSimulation::AtRest() {
  for (const auto& node : nodes_) {
    if (node->lost || node->disputed || !node->exchange) return false;
    if (!node->exchange->all_idle()) return false;
    // The scheduler's part of several arrivals takes a turn each.
    for (uint32_t s = 0; s < node->charter.shards; ++s) {
      const ShardId shard = ShardAt(s);
      const bool owned = node->ledger->placements().OwnerOf(shard) == NodeId{node->n};
      if (owned && !node->ledger->moves().Workable(shard)) return false;
    }
    for (const cluster::ChannelStatus& channel : node->exchange->Status()) {
      if (!channel.connected || channel.unacknowledged > 0) return false;
    }
  }
  return true;
}

void ClusterSimulation::Calm(Node& node) {
  node.store->CancelCrash();
  node.store->DamageRead(0);
  node.store->FillDisk(false);
  if (node.store->crashed()) Recover(node);  // it may have been in the background
  node.down_until = node.paused_until = absl::InfinitePast();
}

// No faults from here on: everything must arrive.
void ClusterSimulation::Heal() {
  disturbed_ = false;
  network_.set_faults({});
  for (const auto& node : nodes_) {
    if (node->twin && node->twin->stray) EndTwin(*node);
    if (node->twin) Calm(*node->twin);
    Calm(*node);
  }
  for (uint16_t a = 0; a < nodes_.size(); ++a) {
    for (uint16_t b = 0; b < nodes_.size(); ++b) {
      if (a == b) continue;
      network_.Hold(a, b, false);
      if (faults_.network || LosesAnything()) network_.Break(a, b);
    }
  }
  bool rest = false;
  for (int round = 0; round < 1000 && !rest && !testing::Test::HasFailure(); ++round) {
    Pass(absl::Milliseconds(60));
    if (LosesAnything()) AlternateTwins(), Operate();
    for (const auto& node : nodes_) {
      Turn(*node, /*crawl=*/false);
      if (node->twin) Turn(*node->twin, /*crawl=*/false);
    }
    for (uint16_t a = 0; a < nodes_.size(); ++a) {
      for (uint16_t b = 0; b < a; ++b) network_.Connect(a, b);
    }
    books_.CheckSum();
    CheckPlaces();
    if (round % 300 == 299) CheckUnnoticed();
    rest = AtRest();
  }
  EXPECT_TRUE(rest || testing::Test::HasFailure()) << "it does not come to rest";
}

// At most one node owns a shard, and no page is in two places.
void ClusterSimulation::CheckPlaces() const {
  if (anything_lost_) return;  // successors know only what they were told
  for (uint32_t s = 0; s < map().CharterOf(NodeId{0}).shards; ++s) {
    const ShardId shard = ShardAt(s);
    int owners = 0;
    for (const auto& node : nodes_) {
      if (!node->ledger) continue;
      owners += node->ledger->placements().OwnerOf(shard) == NodeId{node->n};
      CheckHosts(*node, shard);
    }
    EXPECT_LE(owners, 1) << "of shard " << s;
  }
  books_.CheckPlaces();
}

// Nothing is ordered of a shard before its hosts were taken over.
void ClusterSimulation::CheckHosts(const Node& node, ShardId shard) const {
  const uint64_t move = node.ledger->placements().move(shard);
  if (move == 0 || !node.ledger->moves().Workable(shard)) return;
  EXPECT_TRUE(hosts_applied_.contains({shard, move})) << "of shard " << shard.value;
}

// The one node that owns the shard now that everything has come to rest.
uint16_t ClusterSimulation::OwnerOf(ShardId shard) const {
  std::vector<uint16_t> owners;
  for (const auto& node : nodes_) {
    if (node->owned[shard.value]) owners.push_back(node->n);
  }
  EXPECT_EQ(owners.size(), 1u) << "owners of shard " << shard.value;
  return owners.empty() ? 0 : owners[0];
}

void ClusterSimulation::CheckEnd() {
  books_.CheckQuiet();
  for (const auto& node : nodes_) {
    for (const cluster::ChannelStatus& channel : node->exchange->Status()) {
      EXPECT_EQ(channel.alarm, "") << "at node " << node->n;
    }
    for (const ShardId shard : node->ledger->placements().arriving()) {
      ADD_FAILURE() << "shard " << shard.value << " is still arriving at node " << node->n
                    << ", of node " << node->ledger->placements().OwnerOf(shard).value
                    << " since move " << node->ledger->placements().move(shard);
    }
    for (const ledger::DepartingShard& shard : node->ledger->peers().Departing()) {
      ADD_FAILURE() << "shard " << shard.shard.value << " has not left node " << node->n
                    << " for node " << shard.to.value << " by move " << shard.move;
    }
    for (uint32_t s = 0; s < node->charter.shards; ++s) {
      const ShardId shard = ShardAt(s);
      node->owned.push_back(node->ledger->placements().OwnerOf(shard) == NodeId{node->n});
      EXPECT_EQ(node->ledger->moves().Workable(shard), node->owned.back()) << "shard " << s;
    }
  }
  Audit last{last_epoch_ + 10, {}, events_.crashes};
  for (const auto& node : nodes_)
    last.parts.emplace_back(node->exchange->TakeCut(last.epoch).value());
  FinishAudit(last);
  for (const auto& node : nodes_) {
    KeepEvents(*node);
    node->exchange.reset();
    ASSERT_TRUE(node->ledger->Checkpoint(/*all=*/true).ok());
    node->ledger.reset();
    ASSERT_TRUE(Open(*node));
    Look(*node);
    for (const auto& [page, url] : books_.discovered()) {
      books_.CheckPages(page, OwnerOf(page.shard()), url, node->n, *node->ledger,
                        node->store->rows());
    }
  }
  books_.CheckSum();
  if (anything_lost_) Restate();
  CheckEquation();
}

void ClusterSimulation::CheckEquation() const {
  if (nodes_[0]->charter.method != Method::kPush) return;
  ledger::Equation equation(nodes_[0]->charter);
  for (const auto& node : nodes_) {
    ASSERT_TRUE(equation.Add(*node->ledger, node->store->rows()).ok());
    EXPECT_TRUE(anything_lost_ || node->ledger->held().pages() == 0)
        << "cash is held that belongs to a page";
  }
  for (const ledger::Drift& drift : equation.Drifts()) {
    ADD_FAILURE() << "the cash of page " << drift.page.word() << " is off by "
                  << cash::ToString(drift.amount);
  }
}

void ClusterSimulation::Run(int steps) {
  for (const auto& node : nodes_) {
    if (!Open(*node)) Recover(*node);
    if (testing::Test::HasFailure()) return;
  }
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) Step();
  if (!testing::Test::HasFailure()) Heal();
  if (!testing::Test::HasFailure()) CheckEnd();
  events_.applied = books_.applied();
  events_.sessions = network_.sessions();
  events_.sent = network_.sent();
  events_.dropped = network_.dropped();
  events_.duplicated = network_.duplicated();
  events_.reordered = network_.reordered();
}

}  // namespace opic
