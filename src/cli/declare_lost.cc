#include "cli/declare_lost.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "cli/cluster_secret.h"
#include "cli/crawl_flags.h"
#include "cli/membership_flags.h"
#include "rpc/gate.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kKnockPatience = absl::Seconds(3);

std::shared_ptr<rpc::NodeClient> ClientOf(const cluster::MemberNode& node,
                                          rpc::NodeClientOptions options) {
  options.name = node.name;
  options.local_only = true;
  return rpc::NodeClient::To(node.address, options);
}

// A node that lives is not lost, and one of the others that does not answer would not be told.
absl::Status CheckWhoAnswers(const cluster::ShardMap& map, NodeId lost,
                             rpc::NodeClientOptions options) {
  options.patience = std::min(options.patience, kKnockPatience);
  for (const cluster::MemberNode& node : map.nodes()) {
    const absl::Status answer = ClientOf(node, options)->Stats().status();
    if (node.id == lost && answer.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(node.name, " answers at ", node.address,
                       "; if its data folder is to be given up all the same, stop the node first"));
    }
    if (node.id == lost || answer.ok()) continue;
    return base::WithContext(answer,
                             absl::StrCat(node.name, " at ", node.address,
                                          " does not answer, and every other node must be told"));
  }
  return absl::OkStatus();
}

// What the lost folder held. It began with `genesis`.
absl::StatusOr<cash::Amount> TellOthers(const cluster::ShardMap& map, NodeId lost,
                                        cash::Amount genesis,
                                        const rpc::NodeClientOptions& options) {
  cash::Sum came = genesis.units(), went = 0;
  for (const cluster::MemberNode& node : map.nodes()) {
    if (node.id == lost) continue;
    absl::StatusOr<ledger::LostChannel> channel =
        ClientOf(node, options)->DeclareLost(lost, map.node(lost).generation + 1);
    if (!channel.ok()) return base::WithContext(channel.status(), node.name);
    came += channel->acknowledged;
    went += channel->applied;
  }
  // By ledger push pages got their base from the node, so that it may have held a debt.
  const ledger::Charter charter = map.CharterOf(lost);
  const bool debts = charter.method == importance::Method::kPush;
  const cash::Sum held = came - went, supply = charter.supply.units();
  if (debts ? held > 2 * supply || held < -2 * supply : held < 0 || held > supply) {
    return absl::DataLossError(
        absl::StrCat("the nodes' books say that ", cash::ToString(came), " units came to ",
                     map.node(lost).name, " and ", cash::ToString(went),
                     " left it, which cannot be; compare their data folders with backups"));
  }
  return cash::Amount(static_cast<int64_t>(held));
}

}  // namespace

void DeclareLostFlags::AddTo(CLI::App& app) {
  app.add_option("node", lost, "name or number of the node whose data folder is lost")->required();
  app.add_option("--cluster", cluster, "the cluster's file")->required();
  app.add_option("--out", out, "the new file to make, for every node")->required();
  app.add_option("--patience", patience, "how long to wait for an answer (default 60s)");
  AddTlsFlags(app, tls);
  app.add_flag("--force", force, "replace the new file if it is there");
}

absl::Status DeclareLost(const DeclareLostFlags& flags) {
  absl::StatusOr<cluster::ShardMap> map = cluster::ShardMap::Read(flags.cluster);
  if (!map.ok()) return base::WithContext(map.status(), "--cluster " + flags.cluster);
  const std::optional<NodeId> lost = map->Find(flags.lost);
  if (!lost) {
    return absl::InvalidArgumentError("\"" + flags.lost + "\" is no node of " + flags.cluster);
  }
  struct stat status;
  if (!flags.force && stat(flags.out.c_str(), &status) == 0) {
    return absl::FailedPreconditionError(flags.out + " is there already; --force replaces it");
  }
  rpc::NodeClientOptions options;
  ASSIGN_OR_RETURN(options.patience, ParseDuration(flags.patience, "patience"));
  ASSIGN_OR_RETURN(options.tls, rpc::ReadTls(flags.tls));
  ASSIGN_OR_RETURN(options.token, rpc::ReadBestToken(flags.tls.tokens));
  RETURN_IF_ERROR(CheckWhoAnswers(*map, *lost, options));
  // The sums that the others tell are over all lost folders of the node, so the first one's genesis
  // counts, which no map but the first has to say.
  const cash::Amount first = lost->value == 0 ? map->CharterOf(*lost).supply : cash::Amount();
  ASSIGN_OR_RETURN(const cash::Amount held, TellOthers(*map, *lost, first, options));
  const cluster::ShardMap next = map->WithSuccessor(*lost, held);
  RETURN_IF_ERROR(CopySecret(flags.cluster, flags.out));
  RETURN_IF_ERROR(base::WriteFileDurably(flags.out, next.ToJson()));
  const cluster::MemberNode& node = next.node(*lost);
  fmt::print(
      "{}: {} begins anew as generation {} with the {} units that it held\n\nNext: give {} to "
      "every "
      "node, and start this one with an empty data folder:\n"
      "  opic-node --cluster {} --node {} --data DIR\n"
      "The others need not be started again. Its pages come back when pages that link to them are "
      "fetched\n"
      "again, or as seeds.\n",
      flags.out, node.name, node.generation, held.units(), flags.out, flags.out, node.name);
  return absl::OkStatus();
}

}  // namespace opic::cli
