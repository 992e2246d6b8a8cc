#include "cli/move_shards.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/cluster_listing.h"
#include "cli/crawl_flags.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

using node::ShardStatus;

// Between two looks: longer and longer while no shard arrives. Most shards of a small crawl are
// empty, and move in a moment.
constexpr absl::Duration kShortestPoll = absl::Milliseconds(10),
                         kLongestPoll = absl::Milliseconds(200);
constexpr absl::Duration kOwnersPatience = absl::Seconds(10);
constexpr absl::Duration kTellEvery = absl::Seconds(1);

absl::Time Now() { return base::RealClock::Get().Steady(); }

// One shard, as the nodes together know it.
struct ShardLocation {
  std::optional<NodeId> owner;  // who says that it has it; nothing: on its way, or nobody answers
  uint64_t move = 0;
  uint64_t pages = 0;
  ShardStatus::State state = ShardStatus::State::kUnderWay;
};

class Cluster {
 public:
  explicit Cluster(ClusterNodes nodes) : nodes_(std::move(nodes)) {}
  static absl::StatusOr<Cluster> Find(const MoveFlags& flags) {
    ASSIGN_OR_RETURN(ClusterNodes nodes, ClusterNodes::Open(flags));
    return Cluster(std::move(nodes));
  }

  const cluster::ShardMap& map() const { return nodes_.map(); }
  uint32_t shards() const { return map().CharterOf(NodeId{0}).shards; }
  rpc::NodeClient& client(NodeId node) { return nodes_.node(node); }
  const std::vector<std::string>& missing() const { return missing_; }
  // REQUIRES: some are missing.
  absl::Status Trouble() const {
    const absl::Status all(trouble_.code(), WhyTheyAreAway(why_missing_));
    return base::WithContext(all, "no answer from " + base::Counted(missing_.size(), "node"));
  }
  // Why a node would not let a shard go, the last that was reported: mostly it has just moved.
  std::string refusal;

  absl::Duration patience() const { return nodes_.patience(); }
  // How long the one that has been silent longest has given no answer now, from look to look.
  absl::Duration silent_for() const {
    absl::Duration longest;
    for (const auto& [node, since] : silent_since_) longest = std::max(longest, Now() - since);
    return longest;
  }

  // Asks every node. The owner is whoever claims the shard with the highest number of moves.
  std::vector<ShardLocation> Look() {
    std::vector<ShardLocation> all(shards());
    const absl::Time began = Now();
    missing_.clear(), why_missing_.clear();
    for (const cluster::MemberNode& node : map().nodes()) {
      const absl::StatusOr<std::vector<ShardStatus>> answer = client(node.id).control().Shards();
      if (answer.ok()) {
        silent_since_.erase(node.id);
      } else {
        missing_.push_back(node.name);
        silent_since_.try_emplace(node.id, began);
        trouble_ = answer.status();
        why_missing_.emplace_back(node.name, trouble_);
      }
      for (const ShardStatus& shard : answer.value_or(std::vector<ShardStatus>())) {
        if (shard.shard.value < all.size()) Hear(node.id, shard, all[shard.shard.value]);
      }
    }
    return all;
  }

 private:
  static void Hear(NodeId teller, const ShardStatus& status, ShardLocation& known) {
    if (status.node != teller || status.move < known.move) return;
    known = {teller, status.move, status.pages, status.state};
  }

  ClusterNodes nodes_;
  std::vector<std::string> missing_;
  NodeFailures why_missing_;
  absl::Status trouble_;                       // of the last of them
  std::map<NodeId, absl::Time> silent_since_;  // of those
};

bool Rests(const ShardLocation& shard, NodeId at) {
  return shard.owner == at && shard.state == ShardStatus::State::kResting;
}

// Tells each owner which of its shards are to leave next.
absl::Status Ask(Cluster& cluster, const MovePlan& plan, const std::vector<ShardLocation>& now,
                 uint32_t at_once) {
  std::map<NodeId, uint32_t> leaving;
  for (const ShardLocation& shard : now) {
    if (shard.owner && shard.state == ShardStatus::State::kLeaving) ++leaving[*shard.owner];
  }
  std::map<std::pair<NodeId, NodeId>, std::vector<ShardId>> orders;
  for (const auto& [shard, to] : plan) {
    const ShardLocation& where = now[shard.value];
    if (!where.owner || Rests(where, to) || where.state != ShardStatus::State::kResting) continue;
    if (leaving[*where.owner]++ < at_once) orders[{*where.owner, to}].push_back(shard);
  }
  for (const auto& [way, shards] : orders) {
    const absl::Status asked = cluster.client(way.first).control().MoveShards(shards, way.second);
    if (absl::IsFailedPrecondition(asked)) cluster.refusal = std::string(asked.message());
    // What has just moved, is just arriving, or is at a node that does not answer is seen to later.
    if (asked.ok() || absl::IsFailedPrecondition(asked) || absl::IsUnavailable(asked) ||
        absl::IsDeadlineExceeded(asked)) {
      continue;
    }
    return base::WithContext(asked, cluster.map().node(way.first).name);
  }
  return absl::OkStatus();
}

void TellProgress(Cluster& cluster, const MovePlan& plan, const std::vector<ShardLocation>& now) {
  size_t there = 0, leaving = 0, under_way = 0;
  for (const auto& [shard, to] : plan) {
    const ShardLocation& where = now[shard.value];
    if (Rests(where, to)) {
      ++there;
    } else if (!where.owner || where.state != ShardStatus::State::kResting) {
      ++(where.state == ShardStatus::State::kLeaving ? leaving : under_way);
    }
  }
  const std::string away =
      cluster.missing().empty() ? "" : "; no answer from " + absl::StrJoin(cluster.missing(), ", ");
  const std::string refused = cluster.refusal.empty() ? "" : "; refused: " + cluster.refusal;
  fmt::print(stderr, "{} of {} shards have arrived, {} are leaving, {} are under way{}{}\n", there,
             plan.size(), leaving, under_way, away, refused);
  cluster.refusal.clear();
}

size_t Arrived(const MovePlan& plan, const std::vector<ShardLocation>& now) {
  return static_cast<size_t>(std::count_if(plan.begin(), plan.end(), [&](const auto& move) {
    return Rests(now[move.first.value], move.second);
  }));
}

int SeeThrough(Cluster& cluster, const MovePlan& plan, const MoveFlags& flags) {
  process::CatchSignals();
  const absl::Time began = Now();
  absl::Time reported = began;
  absl::Duration poll = kShortestPoll;
  size_t arrived = 0;
  for (;;) {
    const std::vector<ShardLocation> now = cluster.Look();
    const size_t there = Arrived(plan, now);
    if (there == plan.size()) break;
    poll = there > arrived ? kShortestPoll : std::min(2 * poll, kLongestPoll);
    arrived = there;
    if (process::SignalCaught()) {
      fmt::print(stderr, "interrupted; run the same command again to continue\n");
      return kInterrupted;
    }
    if (const absl::Status asked = Ask(cluster, plan, now, flags.at_once); !asked.ok()) {
      return PrintError(asked);
    }
    if (cluster.silent_for() > cluster.patience()) {
      return PrintError(base::WithContext(
          cluster.Trouble(),
          "what has moved stays moved; run the same command again when all nodes answer"));
    }
    if (Now() >= reported + kTellEvery) TellProgress(cluster, plan, now), reported = Now();
    absl::SleepFor(poll);
  }
  const double seconds = absl::ToDoubleSeconds(Now() - began);
  if (flags.json) {
    PrintJson({{"shards_moved", plan.size()}, {"seconds", seconds}});
  } else {
    fmt::print("{} moved in {:.1f} s\n", base::Counted(plan.size(), "shard"), seconds);
  }
  return kOk;
}

// Where every shard is. Some may be on their way, and a node may just be starting: looks again for
// a while. Unavailable: some shards' nodes do not answer.
absl::StatusOr<std::vector<NodeId>> Owners(Cluster& cluster) {
  std::vector<NodeId> owners;
  const absl::Time deadline = Now() + std::min(cluster.patience(), kOwnersPatience);
  for (bool first = true; first || Now() < deadline; first = false) {
    if (!first) absl::SleepFor(kLongestPoll);
    owners.clear();
    for (const ShardLocation& shard : cluster.Look()) {
      if (shard.owner) owners.push_back(*shard.owner);
    }
    if (owners.size() == cluster.shards()) return owners;
  }
  if (!cluster.missing().empty()) return cluster.Trouble();
  return absl::UnavailableError(
      "some shards are still moving; try again when `opic cluster shards` shows none under way");
}

absl::StatusOr<MovePlan> PlanOfMove(const Cluster& cluster, const MoveFlags& flags) {
  if (flags.words.size() < 2) {
    return absl::InvalidArgumentError("give the shards, then the node to move them to");
  }
  MovePlan plan;
  ASSIGN_OR_RETURN(const NodeId to, FindNode(cluster.map(), flags.words.back(), flags.cluster));
  for (size_t i = 0; i + 1 < flags.words.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<ShardId> shards,
                     ParseShards(flags.words[i], cluster.shards()));
    for (ShardId shard : shards) plan[shard] = to;
  }
  return plan;
}

absl::StatusOr<MovePlan> PlanOfDrain(Cluster& cluster, const MoveFlags& flags) {
  if (flags.words.size() != 1)
    return absl::InvalidArgumentError("give the name or number of one node to drain");
  ASSIGN_OR_RETURN(const NodeId drained, FindNode(cluster.map(), flags.words[0], flags.cluster));
  std::vector<NodeId> others;
  for (const cluster::MemberNode& node : cluster.map().nodes()) {
    if (node.id != drained) others.push_back(node.id);
  }
  if (others.empty())
    return absl::InvalidArgumentError("the cluster has no other node to move the shards to");
  ASSIGN_OR_RETURN(const std::vector<NodeId> owners, Owners(cluster));
  MovePlan plan = EvenPlan(owners, others);
  // The others keep what they have: only the drained one's shards move.
  std::erase_if(plan, [&](const auto& move) { return owners[move.first.value] != drained; });
  return plan;
}

absl::StatusOr<MovePlan> PlanOfBalance(Cluster& cluster) {
  std::vector<NodeId> all;
  for (const cluster::MemberNode& node : cluster.map().nodes()) all.push_back(node.id);
  ASSIGN_OR_RETURN(const std::vector<NodeId> owners, Owners(cluster));
  return EvenPlan(owners, all);
}

int Carry(absl::StatusOr<Cluster>& cluster, const absl::StatusOr<MovePlan>& plan,
          const MoveFlags& flags) {
  if (!plan.ok()) return PrintError(plan.status());
  return SeeThrough(*cluster, *plan, flags);
}

// Of a shard that nobody claims and a node that does not answer may have, nothing is known.
bool IsUnknown(const Cluster& cluster, const ShardLocation& shard) {
  return !shard.owner && !cluster.missing().empty();
}

nlohmann::ordered_json ShardJson(const Cluster& cluster, size_t number,
                                 const ShardLocation& shard) {
  const bool unknown = IsUnknown(cluster, shard);
  nlohmann::ordered_json json = {{"shard", number},
                                 {"node", shard.owner ? cluster.map().node(*shard.owner).name : ""},
                                 {"pages", shard.pages},
                                 {"moves", shard.move},
                                 {"state", unknown ? "unknown" : Name(shard.state)}};
  if (unknown) json["pages"] = json["moves"] = nullptr;
  return json;
}

void PrintShard(const Cluster& cluster, size_t number, const ShardLocation& shard) {
  if (IsUnknown(cluster, shard)) {
    fmt::print("{:5}  {:<12}  {:<10}  {:<5}  unknown\n", number, "-", "-", "-");
    return;
  }
  fmt::print("{:5}  {:<12}  {:<10}  {:<5}  {}\n", number,
             shard.owner ? cluster.map().node(*shard.owner).name : "", shard.pages, shard.move,
             Name(shard.state));
}

// What each node that answers has, below the list of the shards.
void PrintShardSums(const Cluster& cluster, const std::vector<ShardLocation>& all) {
  const std::vector<std::string>& missing = cluster.missing();
  for (const cluster::MemberNode& node : cluster.map().nodes()) {
    if (std::find(missing.begin(), missing.end(), node.name) != missing.end()) continue;
    size_t shards = 0;
    uint64_t pages = 0;
    for (const ShardLocation& shard : all) {
      if (shard.owner != node.id) continue;
      ++shards;
      pages += shard.pages;
    }
    fmt::print("{}: {}, {}\n", node.name, base::Counted(shards, "shard"),
               base::Counted(pages, "page"));
  }
  PrintMissing(missing);
}

}  // namespace

void MoveFlags::AddTo(CLI::App& app) {
  CallFlags::AddTo(app);
  app.add_option("--at-once", at_once, "shards that leave one node at the same time (default 8)")
      ->check(CLI::Range(1, 65'536));
}

int MoveShards(const MoveFlags& flags) {
  absl::StatusOr<Cluster> cluster = Cluster::Find(flags);
  if (!cluster.ok()) return PrintError(cluster.status());
  return Carry(cluster, PlanOfMove(*cluster, flags), flags);
}

int DrainNode(const MoveFlags& flags) {
  absl::StatusOr<Cluster> cluster = Cluster::Find(flags);
  if (!cluster.ok()) return PrintError(cluster.status());
  return Carry(cluster, PlanOfDrain(*cluster, flags), flags);
}

int BalanceShards(const MoveFlags& flags) {
  absl::StatusOr<Cluster> cluster = Cluster::Find(flags);
  if (!cluster.ok()) return PrintError(cluster.status());
  return Carry(cluster, PlanOfBalance(*cluster), flags);
}

int ListShards(const MoveFlags& flags) {
  absl::StatusOr<Cluster> cluster = Cluster::Find(flags);
  if (!cluster.ok()) return PrintError(cluster.status());
  const std::vector<ShardLocation> all = cluster->Look();
  if (cluster->missing().size() == cluster->map().nodes().size())
    return PrintError(cluster->Trouble());
  if (flags.json) {
    nlohmann::ordered_json shards = nlohmann::ordered_json::array();
    for (size_t n = 0; n < all.size(); ++n) shards.push_back(ShardJson(*cluster, n, all[n]));
    PrintJson({{"shards", shards}, {"missing_nodes", cluster->missing()}});
  } else {
    fmt::print("shard  node          pages       moves  state\n");
    for (size_t n = 0; n < all.size(); ++n) PrintShard(*cluster, n, all[n]);
    PrintShardSums(*cluster, all);
  }
  return cluster->missing().empty() ? kOk : kPartial;
}

}  // namespace opic::cli
