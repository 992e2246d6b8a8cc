// A node of the simulated cluster: how it comes up and goes down, its random crawl, its turns.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/simulation/cluster_simulation.h"

namespace opic {

using ledger::VisitKind;

namespace {

// What pages are told to pay now and then, where they may be: anything up to ten bases, or to owe
// it. Without a draw of its own: seeds stay what they were.
std::vector<cash::Amount> AnyPlan(const ledger::Ledger& ledger, absl::Span<const PageId> pages) {
  std::vector<cash::Amount> plan;
  const uint64_t draw = base::Mix64(ledger.log_number());
  if (!ledger.accounting().PaysByPlan() || draw % 4 != 0) return plan;
  for (PageId page : pages) {
    const int64_t bases = static_cast<int64_t>(base::Mix64(page.word() ^ draw) % 21) - 10;
    plan.push_back(cash::Amount(bases * ledger.charter().base.units()));
  }
  return plan;
}

}  // namespace

// --- A node up and down.

bool ClusterSimulation::Open(Node& node) {
  auto opened = ledger::Ledger::Open(node.options, *node.store, &node.charter);
  if (opened.ok()) node.ledger = *std::move(opened);
  node.failure = opened.status();
  const bool damaged =
      node.store->damaged_reads() > node.damaged_reads && absl::IsDataLoss(opened.status());
  EXPECT_TRUE(opened.ok() || node.store->crashed() || damaged) << opened.status();
  return opened.ok();
}

void ClusterSimulation::Start(Node& node) {
  node.exchange_options.incarnation = {++node.starts, ++copies_};
  if (!node.stray && LosesAnything() && FaultChance(0.5)) node.map = &map();
  node.exchange = std::make_unique<cluster::Exchange>(*node.map, NodeId{node.n}, *node.ledger,
                                                      network_.end(node.n), node.exchange_options);
  network_.Up(node.n);
}

void ClusterSimulation::KeepEvents(const Node& node) {
  if (!node.ledger) return;
  // What is paid along the new way may overtake what told the page by URL along the old one.
  EXPECT_TRUE(node.ledger->counts().unnamed == 0 || events_.departures > 0 || anything_lost_)
      << "cash came for a page that was never told by URL";
  events_.unnamed += node.ledger->counts().unnamed;
  events_.forwarded += node.ledger->counts().forwarded;
  if (!node.exchange) return;
  CheckAlarms(node);
  for (const cluster::ChannelStatus& channel : node.exchange->Status()) {
    events_.repeated += channel.batches_repeated;
    events_.resent += channel.batches_resent;
  }
}

// The node has died, by a crash of its machine or alone. It recovers as often as it takes; then all
// must be as at its last commit, or one group later: a commit that was cut off may have reached the
// disk.
void ClusterSimulation::Recover(Node& node) {
  const bool damaged = node.store->damaged_reads() > node.damaged_reads;
  ASSERT_TRUE(node.store->crashed() || node.killed || node.full || damaged)
      << "node " << node.n << " failed without a crash: " << node.failure;
  if (damaged && !node.store->crashed() && !node.killed && !node.full) {
    ASSERT_TRUE(absl::IsDataLoss(node.failure)) << node.failure;
  }
  KeepEvents(node);
  Down(node);
  node.store->FillDisk(false);
  node.store->DamageRead(0);
  node.killed = node.full = false;
  do {
    ++events_.crashes;
    node.ledger.reset();
    node.store->Reboot(rng_);
    if (disturbed_ && faults_.nodes && Chance(0.3)) {
      node.store->CrashAt(1 + rng_.Below(60), CrashingStore::When::kBefore);
    }
    if (disturbed_ && faults_.damage && FaultChance(0.2)) {
      node.store->DamageRead(1 + fault_rng_.Below(20));
    }
    events_.damaged_reads += node.store->damaged_reads() - node.damaged_reads;
    node.damaged_reads = node.store->damaged_reads();
  } while (!Open(node) &&
           (node.store->crashed() || node.store->damaged_reads() > node.damaged_reads));
  ASSERT_NE(node.ledger, nullptr);
  if (!node.announced.empty() && node.ledger->log_number() > node.announced_after) {
    ++events_.surprises;
    GroupIsDurable(node);
  }
  node.announced.clear();
  node.arrived.clear();
  node.down_until = now_ + absl::Milliseconds(rng_.Below(300));
  Look(node);
}

void ClusterSimulation::Look(Node& node) {
  events_.above_supply += node.ledger->books().table().totals().cash > cash::kSupply.units();
  if (!node.stray) books_.Look(node.n, *node.ledger, node.store->rows());
}

void ClusterSimulation::GroupIsDurable(Node& node) {
  for (const ledger::Link& link : node.announced) {
    if (!node.stray) books_.Discovered(node.n, link.page, link.url);
  }
  node.announced.clear();
}

// --- The random crawl.

ledger::Link ClusterSimulation::LinkTo(PageId page) const {
  return {page, absl::StrCat("http://host/", page.word())};
}

std::vector<PageId> ClusterSimulation::PagesOf(const Node& node, bool done) const {
  std::vector<PageId> pages;
  page_table::Cursor cursor;
  node.ledger->books().table().Walk(cursor, ~uint64_t{0} >> 1, [&](const page_table::Page& page) {
    if (!node.ledger->moves().Workable(page.page.shard())) return;
    if (!done || page.done) pages.push_back(page.page);
  });
  return pages;
}

void ClusterSimulation::Seed(Node& node) {
  std::vector<ledger::Link> seeds;
  for (uint64_t count = 1 + rng_.Below(3); count > 0; --count) seeds.push_back(LinkTo(AnyPage()));
  node.announced.insert(node.announced.end(), seeds.begin(), seeds.end());
  node.ledger->Seed(seeds);
}

bool ClusterSimulation::Record(Node& node) {
  const std::vector<PageId> known = PagesOf(node, /*done=*/false);
  if (known.empty()) return true;
  std::vector<ledger::Visit> visits;
  for (uint64_t count = 1 + rng_.Below(4); count > 0; --count) {
    ledger::Visit visit{known[rng_.Below(known.size())],
                        static_cast<VisitKind>(rng_.Below(ledger::kVisitKinds))};
    visit.at = visit.kind == VisitKind::kForbidden ? 0 : 1'000'000'000;
    std::vector<PageId> targets;
    uint64_t links = visit.kind == VisitKind::kRedirect;
    if (visit.kind == VisitKind::kFetched) links = rng_.Below(8);
    while (links-- > 0) targets.push_back(AnyPage());
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (PageId target : targets) visit.links.push_back(LinkTo(target));
    node.announced.insert(node.announced.end(), visit.links.begin(), visit.links.end());
    if (visit.links.size() == 7)  // it names the first one as its canonical page
      visit.discovered = std::exchange(visit.links, {visit.links.front()});
    visits.push_back(std::move(visit));
  }
  return Keep(node, node.ledger->Record(visits));
}

bool ClusterSimulation::Settle(Node& node) {
  const std::vector<PageId> done = PagesOf(node, /*done=*/true);
  if (done.empty()) return true;
  std::vector<PageId> pages;
  for (uint64_t count = 1 + rng_.Below(6); count > 0; --count) {
    pages.push_back(done[rng_.Below(done.size())]);
  }
  return Keep(node, node.ledger->Settle(pages, AnyPlan(*node.ledger, pages)));
}

bool ClusterSimulation::Crawl(Node& node) {
  node.announced_after = node.ledger->log_number();
  const uint64_t draw = rng_.Below(16);
  if (draw < 2 || PagesOf(node, false).empty()) {
    Seed(node);
  } else if (draw < 3) {
    node.ledger->Reopen({PagesOf(node, false).front()});
  } else if (draw < 8) {
    return Record(node);
  } else if (draw < 12) {
    return Settle(node);
  } else if (draw < 13) {
    return Record(node) && Settle(node);
  }
  return true;
}

// --- Moves.

// Moves a shard to anywhere now and then. The group is empty.
bool ClusterSimulation::Move(Node& node) {
  const double often = disturbed_ && faults_.moves ? move_chance_ : 0;
  if (!Chance(often)) return true;
  // One that it may let go, or none such.
  ShardId shard = ShardAt(rng_.Below(node.charter.shards));
  for (uint32_t tries = 0; tries < node.charter.shards && !node.ledger->moves().Workable(shard);
       ++tries) {
    shard.value = static_cast<uint16_t>((shard.value + 1) % node.charter.shards);
  }
  const auto to = static_cast<uint16_t>(rng_.Below(nodes_.size()));
  const absl::Status departed =
      node.ledger->moves().Depart(shard, NodeId{to}, absl::StrCat("hosts of ", shard.value));
  if (absl::IsFailedPrecondition(departed) || absl::IsUnavailable(departed)) return true;
  if (departed.ok()) ++events_.departures;
  return Keep(node, departed);
}

// The scheduler's part, which it may come to late.
void ClusterSimulation::TakeArrived(Node& node) {
  if (disturbed_ && Chance(0.5)) return;
  for (const ledger::ArrivedShard& arrived : node.ledger->moves().TakeArrived()) {
    EXPECT_TRUE(arrived.hosts == absl::StrCat("hosts of ", arrived.shard.value) ||
                (anything_lost_ && arrived.hosts.empty()))
        << arrived.hosts;
    node.arrived.push_back(arrived.shard);
  }
  if (node.arrived.empty() || (disturbed_ && Chance(0.3))) return;
  ++events_.arrivals;
  const ShardId shard = node.arrived.back();
  hosts_applied_.emplace(shard, node.ledger->placements().move(shard));
  node.ledger->moves().HostsApplied(shard);
  node.arrived.pop_back();
}

// --- A turn of a node.

bool ClusterSimulation::Take(Node& node, uint16_t from, SimulatedNetwork::Item item) {
  const NodeId peer{from};
  if (std::holds_alternative<SimulatedNetwork::Connected>(item)) {
    node.exchange->OnConnected(peer, node.clock.Steady());
  } else if (std::holds_alternative<SimulatedNetwork::Disconnected>(item)) {
    node.exchange->OnDisconnected(peer);
  } else {
    return Keep(node, node.exchange->OnMessage(peer, std::get<cluster::Message>(std::move(item)),
                                               node.clock.Steady()));
  }
  return true;
}

bool ClusterSimulation::TakeMessages(Node& node, bool all) {
  for (uint16_t i = 0; i < nodes_.size(); ++i) {
    const auto from = static_cast<uint16_t>((node.n + 1 + i) % nodes_.size());
    if (from == node.n) continue;
    for (uint64_t left = all ? 1000 : rng_.Below(6); left > 0; --left) {
      if (!Hears(node, from)) break;
      auto item = network_.Receive(from, node.n);
      if (!item) break;
      if (!Take(node, from, *std::move(item))) return false;
    }
  }
  return true;
}

bool ClusterSimulation::Commit(Node& node) {
  if (!Keep(node, node.ledger->Commit().status())) return false;
  GroupIsDurable(node);
  return true;
}

bool ClusterSimulation::TryTurn(Node& node, bool crawl) {
  const auto killed = [&] {
    node.killed = disturbed_ && faults_.nodes && Chance(0.003);
    return node.killed;
  };
  if (!Move(node) || !TakeMessages(node, /*all=*/!disturbed_) || killed()) return false;
  TakeArrived(node);
  if (crawl && !node.exchange->outbox_full() && (!Crawl(node) || killed())) return false;
  node.exchange->BeforeCommit(/*idle=*/!crawl, node.clock.Steady());
  if (!Commit(node) || killed()) return false;
  if (!Keep(node, node.exchange->AfterCommit(node.clock.Steady())) || killed()) return false;
  return !Chance(0.3) || Keep(node, node.ledger->Checkpoint(/*all=*/Chance(0.1)));
}

void ClusterSimulation::Turn(Node& node, bool crawl) {
  if (node.lost) return;
  if (!node.exchange) {
    if (now_ < node.down_until) return;
    Start(node);
  }
  if (now_ < node.paused_until) return;
  if (!TryTurn(node, crawl)) {
    Recover(node);
    return;
  }
  Look(node);
  CheckAlarms(node);
  EXPECT_EQ(node.store->damaged_reads(), node.damaged_reads)
      << "node " << node.n << " took damaged bytes";
}

}  // namespace opic
