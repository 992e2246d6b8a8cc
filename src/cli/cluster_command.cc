// opic cluster: its commands, and those that are done without asking a node. `init` makes the file
// that all nodes share, `certs` the certificates by which they know each other, `add` a file with
// one node more. What is done with a running cluster: declare_lost.h, mend_epochs.h, move_shards.h.
#include <fmt/core.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "certs/certificate_folder.h"
#include "cli/cluster_nodes.h"
#include "cli/cluster_secret.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/declare_lost.h"
#include "cli/exit_code.h"
#include "cli/given_options.h"
#include "cli/json_output.h"
#include "cli/mend_epochs.h"
#include "cli/move_shards.h"
#include "cli/recover_cluster.h"
#include "cluster/shard_map.h"

namespace opic::cli {
namespace {

constexpr char kOperator[] = "operator";

struct InitFlags {
  uint32_t nodes = 0;
  std::string out = "cluster.json";
  std::vector<std::string> addresses, names;
  uint32_t base_port = 7070;
  CrawlFlags charter;  // of which only what a charter holds is used
  bool force = false, json = false;

  void AddTo(CLI::App& app);
  absl::StatusOr<std::vector<cluster::MemberNode>> Members() const;
  absl::StatusOr<cluster::ShardMap> Map() const;
};

void InitFlags::AddTo(CLI::App& app) {
  app.add_option("--nodes", nodes, "number of nodes")->required()->check(CLI::Range(1, 1024));
  app.add_option("--out", out, "file to write (default cluster.json)");
  app.add_option("--address", addresses,
                 "HOST:PORT of a node; give one for each node (default: ports of 127.0.0.1)");
  app.add_option("--name", names,
                 "name of a node; give one for each node (default node0, node1, ...)");
  app.add_option("--base-port", base_port,
                 "the first port when there is no --address (default 7070)")
      ->check(CLI::Range(1, 65'535));
  app.add_option("--shards", charter.shards, "virtual shards, a power of two (default 1024)");
  app.add_option("--h-url", charter.h_url,
                 "what decides the shard of a page: host (default) or url, the whole URL");
  app.add_option("--epsilon", charter.epsilon, "share paid to the virtual page (default 0.15)");
  app.add_option("--importance", charter.importance,
                 "how importance is computed: push (default) or window, as in `opic crawl`");
  app.add_option("--window", charter.window,
                 "none, fixed, improved-fixed, variable or interpolation");
  app.add_option("--window-supplies", charter.window_supplies,
                 "length T of the window in supplies (default 8)");
  app.add_option("--window-measures", charter.window_measures,
                 "measures kept by --window variable (default 8)");
  app.add_flag("--forget-links", charter.forget_links,
               "do not keep links: the paper's original, but no visits without a fetch (windows)");
  app.add_flag("--force", force,
               "replace the file if it exists; data folders of the old cluster do not work with "
               "the new one");
  app.add_flag("--json", json, "print JSON");
}

absl::StatusOr<std::vector<cluster::MemberNode>> InitFlags::Members() const {
  if (!addresses.empty() && addresses.size() != nodes)
    return absl::InvalidArgumentError("--address: give one for each node, or none");
  if (!names.empty() && names.size() != nodes)
    return absl::InvalidArgumentError("--name: give one for each node, or none");
  if (addresses.empty() && base_port + nodes - 1 > 65'535)
    return absl::InvalidArgumentError(
        "--base-port is too high: the port of the last node would be above 65535");
  std::vector<cluster::MemberNode> members;
  for (uint32_t n = 0; n < nodes; ++n) {
    cluster::MemberNode member;
    member.id = NodeAt(n);
    member.name = names.empty() ? absl::StrCat("node", n) : names[n];
    member.address = addresses.empty() ? absl::StrCat("127.0.0.1:", base_port + n) : addresses[n];
    members.push_back(std::move(member));
  }
  return members;
}

absl::StatusOr<cluster::ShardMap> InitFlags::Map() const {
  ASSIGN_OR_RETURN(std::vector<cluster::MemberNode> members, Members());
  ASSIGN_OR_RETURN(const node::CrawlOptions options, charter.NodeOptions());
  ledger::Charter wanted = options.charter.ApplyTo(ledger::Charter::ForNewCrawl());
  // So that nodes of two clusters never take each other's cash.
  std::random_device random;
  wanted.cluster_id = uint64_t{random()} << 32 | random();
  RETURN_IF_ERROR(wanted.Validate());
  if (members.size() > wanted.shards)
    return absl::InvalidArgumentError("--shards is too low: every node needs at least one shard");
  // Read back: what the nodes would refuse is refused now.
  return cluster::ShardMap::Parse(cluster::ShardMap::Even(wanted, std::move(members)).ToJson());
}

bool Exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

absl::Status Init(const InitFlags& flags) {
  ASSIGN_OR_RETURN(const cluster::ShardMap map, flags.Map());
  if (!flags.force && Exists(flags.out)) {
    return absl::FailedPreconditionError(flags.out +
                                         " exists already. --force replaces it with a new cluster; "
                                         "data folders of the old cluster do not work with it");
  }
  RETURN_IF_ERROR(MakeSecret(flags.out));
  RETURN_IF_ERROR(base::OfNamedFile(base::WriteFileDurably(flags.out, map.ToJson())));
  if (flags.json) {
    nlohmann::ordered_json json = {{"file", flags.out},
                                   {"shards", map.CharterOf(NodeId{0}).shards}};
    for (const cluster::MemberNode& node : map.nodes())
      json["nodes"].push_back({{"node", node.name}, {"address", node.address}});
    PrintJson(json);
    return absl::OkStatus();
  }
  fmt::print("{}: a cluster of {}, {}\n", flags.out, base::Counted(map.nodes().size(), "node"),
             base::Counted(map.CharterOf(NodeId{0}).shards, "shard"));
  for (const cluster::MemberNode& node : map.nodes())
    fmt::print("  {:<12}  {}\n", node.name, node.address);
  fmt::print(
      "\nNext, with the same file on every machine, and {2}.secret beside it, which only the nodes "
      "may read:\n"
      "  opic cluster certs --cluster {0} --out certs     # unless all nodes are on loopback\n"
      "  opic-node --cluster {0} --node {1} --data DIR    # for every node\n"
      "  opic crawl --cluster {0} URL...\n"
      "  opic audit --cluster {0}\n",
      ForShell(flags.out), map.nodes().front().name, flags.out);
  return absl::OkStatus();
}

struct CertsFlags {
  std::string cluster, out = "certs";
  std::vector<std::string> also;
  int days = certs::Authority::kDays;
  bool json = false;

  void AddTo(CLI::App& app) {
    app.add_option("--cluster", cluster, "file of the cluster, made by `opic cluster init`")
        ->required();
    app.add_option("--out", out, "folder for the certificates (default certs)");
    app.add_option("--also", also,
                   "another host that needs a certificate, such as that of an opic-scheduler; may "
                   "be repeated")
        ->allow_extra_args(false);
    app.add_option("--days", days,
                   "how long the certificates that it makes are good (default 730); those that are "
                   "there stay")
        ->check(CLI::Range(1, certs::Authority::kDaysMax));
    app.add_flag("--json", json, "print JSON");
  }
};

// A node answers at the host of its address; that is in its certificate beside its name.
std::vector<certs::Holder> HoldersOf(const cluster::ShardMap& map,
                                     const std::vector<std::string>& also) {
  std::vector<certs::Holder> holders;
  for (const cluster::MemberNode& node : map.nodes()) {
    std::string host = node.address.substr(0, node.address.rfind(':'));
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    holders.push_back({node.name, {host}});
  }
  for (const std::string& host : also) holders.push_back({host, {}});
  holders.push_back({kOperator, {}, /*server=*/false});
  return holders;
}

absl::Status MakeCertificates(const CertsFlags& flags) {
  ASSIGN_OR_RETURN(const cluster::ShardMap map, ReadShardMap(flags.cluster));
  ASSIGN_OR_RETURN(
      const std::vector<std::string> made,
      certs::FillFolder(
          flags.out, absl::StrCat("opic cluster ", absl::Hex(map.CharterOf(NodeId{0}).cluster_id)),
          HoldersOf(map, flags.also), flags.days));
  if (flags.json) {
    nlohmann::ordered_json json = {{"folder", flags.out},
                                   {"made", nlohmann::ordered_json::array()}};
    for (const std::string& name : made)
      json["made"].push_back(certs::CertificateFile(flags.out, name));
    PrintJson(json);
    return absl::OkStatus();
  }
  if (made.empty()) {
    fmt::print("{}: all certificates exist already\n", flags.out);
    return absl::OkStatus();
  }
  for (const std::string& name : made)
    fmt::print("  {}\n", certs::CertificateFile(flags.out, name));
  const std::string node = map.nodes().front().name;
  const std::string authority = certs::AuthorityFile(flags.out);
  fmt::print(
      "\nEvery node needs {0}, its own certificate and its own key; operators need those of "
      "\"{1}\":\n"
      "  opic-node ... --tls-ca {8} --tls-cert {2} --tls-key {3}\n"
      "  opic status --cluster {4} --tls-ca {8} --tls-cert {5} --tls-key {6}\n"
      "Keep {7} in a safe place: it is needed only to make more of them.\n",
      authority, kOperator, ForShell(certs::CertificateFile(flags.out, node)),
      ForShell(certs::KeyFile(flags.out, node)), ForShell(flags.cluster),
      ForShell(certs::CertificateFile(flags.out, kOperator)),
      ForShell(certs::KeyFile(flags.out, kOperator)), certs::KeyFile(flags.out, "ca"),
      ForShell(authority));
  return absl::OkStatus();
}

struct AddFlags {
  std::string cluster, name, address, out;
  bool json = false;

  void AddTo(CLI::App& app) {
    app.add_option("name", name, "name of the new node")->required();
    app.add_option("address", address, "HOST:PORT of the new node")->required();
    app.add_option("--cluster", cluster, "the cluster's file")->required();
    app.add_option("--out", out, "file to write, for every node")->required();
    app.add_flag("--json", json, "print JSON");
  }
};

absl::Status AddNode(const AddFlags& flags) {
  ASSIGN_OR_RETURN(const cluster::ShardMap map, ReadShardMap(flags.cluster));
  if (Exists(flags.out))
    return absl::FailedPreconditionError(flags.out + " exists already; choose another name");
  // Read back: names that are there twice and addresses that cannot be are refused now.
  ASSIGN_OR_RETURN(const cluster::ShardMap next,
                   cluster::ShardMap::Parse(map.WithNode(flags.name, flags.address).ToJson()));
  RETURN_IF_ERROR(CopySecret(flags.cluster, flags.out));
  RETURN_IF_ERROR(base::OfNamedFile(base::WriteFileDurably(flags.out, next.ToJson())));
  if (flags.json) {
    PrintJson({{"file", flags.out}, {"node", flags.name}, {"number", next.nodes().size() - 1}});
    return absl::OkStatus();
  }
  fmt::print(
      "{0}: {1} is node {2}, without shards\n\n"
      "Next: make its certificate, if the others have them; give {0} to every node, with "
      "{0}.secret if it was made; restart the nodes with it one after the other; then\n"
      "  opic-node --cluster {3} --node {1} --data DIR\n"
      "  opic crawl --cluster {3} URL... --detach    # seeds and scope of the others\n"
      "  opic cluster balance --cluster {3}\n",
      flags.out, flags.name, next.nodes().size() - 1, ForShell(flags.out));
  return absl::OkStatus();
}

int CodeOf(const absl::Status& status) { return status.ok() ? kOk : PrintError(status); }

}  // namespace

Command AddCluster(CLI::App& opic) {
  CLI::App* app =
      opic.add_subcommand("cluster", "set up a cluster; add, drain and replace nodes; move shards");
  app->require_subcommand(1);
  CLI::App* init =
      app->add_subcommand("init", "make the file that all nodes of a new cluster share");
  CLI::App* lost = app->add_subcommand(
      "declare-lost", "replace the data folder of a node when it is lost for good");
  CLI::App* certs =
      app->add_subcommand("certs", "make the certificates for mutual TLS that do not exist yet");
  auto init_flags = std::make_shared<InitFlags>();
  auto certs_flags = std::make_shared<CertsFlags>();
  init_flags->AddTo(*init);
  certs_flags->AddTo(*certs);
  auto lost_flags = std::make_shared<DeclareLostFlags>();
  lost_flags->AddTo(*lost);
  CLI::App* add =
      app->add_subcommand("add", "make a file with one more node, which has no shards yet");
  auto add_flags = std::make_shared<AddFlags>();
  add_flags->AddTo(*add);
  CLI::App* move = app->add_subcommand("move", "move shards of a running cluster to another node");
  CLI::App* drain =
      app->add_subcommand("drain", "move all shards of a node to the other nodes, evenly");
  CLI::App* balance = app->add_subcommand(
      "balance", "move shards so that all nodes have the same number; as few as possible");
  CLI::App* shards = app->add_subcommand("shards", "show which node has each shard");
  CLI::App* mend = app->add_subcommand(
      "mend-epochs", "reset the audit epoch of every node, when a wrong one prevents all audits");
  CLI::App* recover = app->add_subcommand(
      "recover", "after a loss: fetch all pages once more, and make the ranking right again");
  auto recover_flags = std::make_shared<CallFlags>();
  recover_flags->AddTo(*recover);
  auto mend_flags = std::make_shared<CallFlags>();
  mend_flags->AddTo(*mend);
  auto move_flags = std::make_shared<MoveFlags>();
  for (CLI::App* command : {move, drain, balance, shards}) move_flags->AddTo(*command);
  move->add_option("words", move_flags->words, "shards (7, 0-255), then the node to move them to")
      ->required();
  drain->add_option("node", move_flags->words, "name or number of the node")->required();
  return {app, [=] {
            if (move->parsed()) return MoveShards(*move_flags);
            if (drain->parsed()) return DrainNode(*move_flags);
            if (balance->parsed()) return BalanceShards(*move_flags);
            if (shards->parsed()) return ListShards(*move_flags);
            if (mend->parsed()) return MendEpochs(*mend_flags);
            if (add->parsed()) return CodeOf(AddNode(*add_flags));
            if (lost->parsed()) return CodeOf(DeclareLost(*lost_flags));
            if (recover->parsed()) return CodeOf(RecoverCluster(*recover_flags));
            return CodeOf(init->parsed() ? Init(*init_flags) : MakeCertificates(*certs_flags));
          }};
}

}  // namespace opic::cli
