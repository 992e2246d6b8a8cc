// opic health: does this node or scheduler serve? For health checks of containers and for scripts.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/attention.h"
#include "cli/cluster_nodes.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/membership_flags.h"
#include "cli/patiently.h"
#include "cli/token_file.h"
#include "cluster/shard_map.h"
#include "node/data_folder.h"
#include "rpc/health.h"
#include "rpc/node_client.h"

namespace opic::cli {
namespace {

constexpr char kUsualNode[] = "127.0.0.1:7070";

struct HealthFlags {
  std::string node;  // HOST:PORT; with `cluster` a name, number or address in it
  std::string data;  // folder of the node that is asked
  std::string cluster, at;
  std::string patience = "3s";
  rpc::TlsFiles tls;
  bool alive = false, serving = false, json = false;

  void AddTo(CLI::App& app);
  absl::StatusOr<rpc::HealthQuestion> Question() const;
};

void HealthFlags::AddTo(CLI::App& app) {
  app.add_option("--node", node,
                 "HOST:PORT of a node or an opic-scheduler (default 127.0.0.1:7070); with "
                 "--cluster the node's name or number");
  app.add_option("--data", data, "ask the node that uses this data folder, if --node is not given")
      ->configurable(false);  // a probe of a container has the variables of the node
  app.add_option("--cluster", cluster, "file of the cluster, made by `opic cluster init`");
  app.add_option("--at", at,
                 "HOST:PORT to ask instead; the certificate must still be that of --node");
  app.add_option("--patience", patience, "how long to wait for an answer (default 3s)");
  AddTlsFlags(app, tls);
  app.add_flag("--alive", alive, "accept any answer, also from a node that is stopping");
  app.add_flag("--serving", serving,
               "only whether it serves; not its scheduler, nor alarms of its channels");
  app.add_flag("--json", json, "print JSON");
}

absl::StatusOr<rpc::HealthQuestion> HealthFlags::Question() const {
  rpc::HealthQuestion question;
  ASSIGN_OR_RETURN(question.patience, ParseDuration(patience, "patience"));
  ASSIGN_OR_RETURN(question.tls, rpc::ReadTls(tls));
  question.address = node.empty() ? kUsualNode : node;
  if (node.empty() && cluster.empty() && !data.empty()) {
    absl::StatusOr<std::string> address = node::AddressOfRunningNode(data);
    if (!address.ok() && !absl::IsNotFound(address.status())) return address.status();
    if (!address.ok()) return absl::UnavailableError(absl::StrCat("no node uses ", data));
    question.address = *std::move(address);
  } else if (!cluster.empty()) {
    if (node.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("`opic health` asks one node: with --cluster ", cluster,
                       " give --node NAME (`opic status --cluster FILE` shows all nodes)"));
    }
    ASSIGN_OR_RETURN(const cluster::ShardMap map, ReadShardMap(cluster));
    ASSIGN_OR_RETURN(const NodeId named, NodeNamed(map, node, cluster));
    question.address = map.node(named).address;
    question.name = map.node(named).name;
  } else if (!at.empty()) {
    question.name = question.address.substr(0, question.address.rfind(':'));
  }
  if (!at.empty()) question.address = at;
  return question;
}

// Of a node; a scheduler has nothing to tell.
std::vector<std::string> WhatIsWrong(const rpc::HealthQuestion& question,
                                     const HealthFlags& flags) {
  rpc::NodeClientOptions options{.patience = question.patience, .local_only = true};
  options.tls = question.tls;
  options.name = question.name;
  if (const absl::StatusOr<std::string> token = ReadBestToken(flags.tls.tokens); token.ok())
    options.token = *token;
  const absl::StatusOr<node::NodeStats> stats =
      rpc::NodeClient::To(question.address, options)->Stats();
  if (stats.ok()) return NeedsAttention(*stats);
  if (absl::IsUnimplemented(stats.status()) || absl::IsPermissionDenied(stats.status()) ||
      absl::IsUnauthenticated(stats.status()))
    return {};
  return {absl::StrCat("it does not report its status: ", std::string(stats.status().message()))};
}

void PrintHealth(bool serving, const std::vector<std::string>& wrong, bool json) {
  if (json) {
    PrintJson({{"serving", serving}, {"attention", wrong}});
    return;
  }
  if (!serving) {
    fmt::print("not serving: it is stopping\n");
    return;
  }
  fmt::print("{}\n", wrong.empty() ? "serving" : "serving, but not well:");
  for (const std::string& sentence : wrong) fmt::print("  {}\n", sentence);
}

absl::StatusOr<int> Ask(const HealthFlags& flags) {
  ASSIGN_OR_RETURN(const rpc::HealthQuestion question, flags.Question());
  const rpc::WaitNotice notice(
      [&question] { TellOfWait(question.address, "it has not answered yet"); });
  ASSIGN_OR_RETURN(const rpc::Health health, rpc::AskHealth(question));
  const bool serving = health == rpc::Health::kServing;
  const bool looks = serving && !flags.alive && !flags.serving;
  const std::vector<std::string> wrong =
      looks ? WhatIsWrong(question, flags) : std::vector<std::string>();
  PrintHealth(serving, wrong, flags.json);
  if (!serving) return flags.alive ? kOk : kUnreachable;
  return wrong.empty() ? kOk : kAttention;
}

}  // namespace

Command AddHealth(CLI::App& opic) {
  CLI::App* app = opic.add_subcommand(
      "health",
      "ask whether a node or scheduler serves (exit code 6 if not) and a node is well (9)");
  auto flags = std::make_shared<HealthFlags>();
  flags->AddTo(*app);
  return {app, [flags] {
            const absl::StatusOr<int> code = Ask(*flags);
            return code.ok() ? *code : PrintError(code.status());
          }};
}

}  // namespace opic::cli
