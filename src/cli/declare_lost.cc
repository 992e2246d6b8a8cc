#include "cli/declare_lost.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "cli/cluster_secret.h"
#include "cli/given_options.h"
#include "cli/json_output.h"
#include "cli/quantity.h"
#include "rpc/cluster_sums.h"

namespace opic::cli {
namespace {

// Each node that is told knocks at the lost one first. If that one hangs, it takes a while, and the
// node that was told must not seem to hang instead.
constexpr absl::Duration kPatienceMin = absl::Seconds(15);

class Declaration {
 public:
  Declaration(const ClusterNodes& nodes, std::vector<NodeId> lost)
      : nodes_(nodes), map_(nodes.map()), lost_(std::move(lost)) {}

  // A node that lives is not lost, and one of the others that does not answer would not be told;
  // nor one that the file lacks.
  absl::Status CheckWhoAnswers() const;
  // What each lost node's channels brought and took, in the order of the lost ones. With `ask`
  // nothing is declared.
  using Channels = std::vector<std::vector<ledger::LostChannel>>;
  absl::StatusOr<Channels> TellOthers(bool ask) const;
  cash::Sum HeldBy(NodeId lost, const std::vector<ledger::LostChannel>& channels) const;
  absl::Status Check(const Channels& channels) const;
  // Of several folders lost at once only what they held together is known, for nobody is left who
  // has seen what passed between them. The first one's successor gets all of it.
  void CloseAmongLost(Channels& channels) const;

 private:
  bool IsLost(NodeId node) const {
    return std::find(lost_.begin(), lost_.end(), node) != lost_.end();
  }

  const ClusterNodes& nodes_;
  const cluster::ShardMap& map_;
  const std::vector<NodeId> lost_;
};

absl::Status Declaration::CheckWhoAnswers() const {
  for (const cluster::MemberNode& node : map_.nodes()) {
    const absl::StatusOr<node::NodeStats> answer = nodes_.Knock(node.id);
    if (IsLost(node.id) && answer.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(node.name, " answers at ", node.address,
                       "; if its data folder is to be given up all the same, stop the node first"));
    }
    if (IsLost(node.id)) continue;
    if (!answer.ok()) {
      return base::WithContext(
          answer.status(),
          absl::StrCat(node.name, " at ", node.address,
                       " does not answer, and every node must be told: start it, or, if "
                       "its folder is lost, too, name it in the same command"));
    }
    RETURN_IF_ERROR(rpc::CheckSameSize(node.name, *answer, map_.nodes().size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Declaration::Channels> Declaration::TellOthers(bool ask) const {
  Channels channels(lost_.size());
  for (const cluster::MemberNode& node : map_.nodes()) {
    if (IsLost(node.id)) continue;
    for (size_t i = 0; i < lost_.size(); ++i) {
      const uint32_t next = map_.node(lost_[i]).generation + 1;
      absl::StatusOr<ledger::LostChannel> channel =
          nodes_.node(node.id).control().DeclareLost({lost_[i], next, ask});
      if (!channel.ok()) return base::WithContext(channel.status(), node.name);
      channel->peer = node.id;
      channels[i].push_back(*channel);
    }
  }
  return channels;
}

cash::Sum Declaration::HeldBy(NodeId lost, const std::vector<ledger::LostChannel>& channels) const {
  cash::Sum held = map_.CharterOf(lost).genesis.units();
  for (const ledger::LostChannel& channel : channels) held += channel.received - channel.sealed;
  return held;
}

// A folder may have held a debt: by ledger push pages got their base from its node, and what an
// unheard acknowledgement makes others seal anew is with two of them.
absl::Status Declaration::Check(const Channels& channels) const {
  cash::Sum held = 0;
  for (size_t i = 0; i < lost_.size(); ++i) held += HeldBy(lost_[i], channels[i]);
  const cash::Sum most = 2 * cash::Sum{map_.CharterOf(lost_[0]).supply.units()};
  if (held <= most && held >= -most) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "what the other nodes have exchanged with ", map_.node(lost_[0]).name,
      lost_.size() > 1 ? " and the others" : "", " cannot be right: of cash they would have had ",
      cash::ToString(held), " units, where -", cash::ToString(most), " to ", cash::ToString(most),
      " are possible. Nothing was declared; check the other nodes' data folders (opic verify), and "
      "restore a backup of one that is damaged"));
}

void Declaration::CloseAmongLost(Channels& channels) const {
  for (size_t i = 1; i < lost_.size(); ++i) {
    const cash::Sum held = HeldBy(lost_[i], channels[i]);
    const cash::Sum paid = std::max<cash::Sum>(held, 0), owed = std::max<cash::Sum>(-held, 0);
    channels[0].push_back({lost_[i], paid, owed});
    channels[i].push_back({lost_[0], owed, paid});
  }
  for (std::vector<ledger::LostChannel>& some : channels) {
    std::sort(some.begin(), some.end(),
              [](const auto& a, const auto& b) { return a.peer < b.peer; });
  }
}

absl::StatusOr<std::vector<NodeId>> NodesOf(const cluster::ShardMap& map,
                                            const DeclareLostFlags& flags) {
  std::vector<NodeId> lost;
  for (const std::string& name : flags.lost) {
    ASSIGN_OR_RETURN(const NodeId node, FindNode(map, name, flags.cluster));
    if (std::find(lost.begin(), lost.end(), node) == lost.end()) lost.push_back(node);
  }
  if (lost.size() == map.nodes().size()) {
    return absl::FailedPreconditionError(
        "no remaining node has data of this crawl: begin a new one, or restore backups of "
        "all folders");
  }
  return lost;
}

nlohmann::ordered_json DeclaredJson(const std::string& file, const Declaration& declaration,
                                    const cluster::ShardMap& next,
                                    const std::vector<NodeId>& lost) {
  nlohmann::ordered_json json = {{"file", file}, {"nodes", nlohmann::ordered_json::array()}};
  for (NodeId id : lost) {
    const cluster::MemberNode& node = next.node(id);
    json["nodes"].push_back({{"node", node.name},
                             {"generation", node.generation},
                             {"units", cash::ToString(declaration.HeldBy(id, node.lost))}});
  }
  return json;
}

}  // namespace

void DeclareLostFlags::AddTo(CLI::App& app) {
  app.add_option("node", lost, "names or numbers of the nodes whose data folders are lost")
      ->required();
  app.add_option("--cluster", cluster, "the cluster's file")->required();
  app.add_option("--out", out, "the new file to make, for every node")->required();
  AddPatience(app);
  app.add_flag("--force", force, "replace the file of --out if it exists");
  app.add_flag("--json", json, "print JSON");
}

std::string HeldWords(cash::Sum held, size_t folders) {
  const char* more = folders > 1 ? "s" : "";
  if (held >= 0)
    return absl::StrCat("with the ", cash::ToString(held), " units that the lost folder", more,
                        " held");
  return absl::StrCat("with a debt of ", cash::ToString(-held), " units: the lost folder", more,
                      " had sent that much more to the other nodes than there was, because new "
                      "pages are paid in advance");
}

absl::Status DeclareLost(const DeclareLostFlags& flags) {
  DeclareLostFlags patient = flags;
  ASSIGN_OR_RETURN(const absl::Duration patience, ParseDuration(flags.patience, "patience"));
  if (patience < kPatienceMin) patient.patience = absl::FormatDuration(kPatienceMin);
  ASSIGN_OR_RETURN(const ClusterNodes nodes, ClusterNodes::Open(patient));
  ASSIGN_OR_RETURN(const std::vector<NodeId> lost, NodesOf(nodes.map(), flags));
  struct stat status;
  if (!flags.force && stat(flags.out.c_str(), &status) == 0) {
    return absl::FailedPreconditionError(flags.out + " exists already; --force replaces it");
  }
  const Declaration declaration(nodes, lost);
  RETURN_IF_ERROR(declaration.CheckWhoAnswers());
  ASSIGN_OR_RETURN(const Declaration::Channels asked, declaration.TellOthers(/*ask=*/true));
  RETURN_IF_ERROR(declaration.Check(asked));
  ASSIGN_OR_RETURN(Declaration::Channels channels, declaration.TellOthers(/*ask=*/false));
  declaration.CloseAmongLost(channels);
  cluster::ShardMap next = nodes.map();
  for (size_t i = 0; i < lost.size(); ++i) {
    next = next.WithSuccessor(lost[i], std::move(channels[i]));
  }
  RETURN_IF_ERROR(CopySecret(flags.cluster, flags.out));
  RETURN_IF_ERROR(base::OfNamedFile(base::WriteFileDurably(flags.out, next.ToJson())));
  if (flags.json) {
    PrintJson(DeclaredJson(flags.out, declaration, next, lost));
    return absl::OkStatus();
  }
  for (NodeId id : lost) {
    const cluster::MemberNode& node = next.node(id);
    fmt::print("{} starts over as generation {} {}\n", node.name, node.generation,
               HeldWords(declaration.HeldBy(id, node.lost), lost.size()));
  }
  fmt::print(
      "\nNext: copy {} to every machine as the cluster's file, and start each of these with an "
      "empty data folder:\n",
      flags.out);
  for (NodeId id : lost) {
    fmt::print("  opic-node --cluster {} --node {} --data DIR\n", ForShell(flags.out),
               next.node(id).name);
  }
  fmt::print(
      "The other nodes need not be started again. Then find the lost pages again, and make the "
      "ranking right:\n  opic cluster recover --cluster {}\n",
      ForShell(flags.out));
  return absl::OkStatus();
}

}  // namespace opic::cli
