#include "cli/cluster_nodes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/patiently.h"
#include "cli/token_file.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kKnockPatience = absl::Seconds(3);
constexpr size_t kFailuresTold = 4;
constexpr absl::Duration kOthersPatience = absl::Seconds(1);  // when one of them is waited for

std::string NamesOf(const cluster::ShardMap& map) {
  std::string names;
  for (const cluster::MemberNode& node : map.nodes()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", node.name);
  }
  return names;
}

// A node that answers for the cluster asks all others, and waits for those that hang.
void TellWhoHangs(const cluster::ShardMap& map, rpc::NodeClientOptions options,
                  const std::string& asked, const std::string& why) {
  options.patience = kOthersPatience;
  options.local_only = true;
  options.waiting = nullptr;
  std::vector<absl::Status> answers(map.nodes().size());
  std::vector<std::thread> threads;
  for (const cluster::MemberNode& node : map.nodes()) {
    threads.emplace_back([&answer = answers[node.id.value], &node, options]() mutable {
      options.name = node.name;
      answer = rpc::NodeClient::To(node.address, options)->Stats().status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  bool told = false;
  for (const cluster::MemberNode& node : map.nodes()) {
    if (!absl::IsDeadlineExceeded(answers[node.id.value])) continue;
    TellOfWait(node.name, node.name == asked ? why
                                             : absl::StrCat("it does not answer, and ", asked,
                                                            " asks it for its part"));
    told = true;
  }
  if (!told) TellOfWait(asked, why);
}

}  // namespace

void AddCertificateFlags(CLI::App& app, rpc::TlsFiles& files) {
  app.add_option("--tls-ca", files.ca, "PEM file of the cluster's certificate authority");
  app.add_option("--tls-cert", files.certificate, "PEM file of this program's certificate");
  app.add_option("--tls-key", files.key, "PEM file of the private key of --tls-cert");
}

void AddTlsFlags(CLI::App& app, rpc::TlsFiles& files) {
  AddCertificateFlags(app, files);
  app.add_option(
      "--token-file", files.tokens,
      "file of lines \"ROLE TOKEN\": the tokens that a node accepts, or that a caller shows");
}

void CallFlags::AddPatience(CLI::App& app) {
  app.add_option("--patience", patience, "how long to wait for an answer (default 60s)");
  AddTlsFlags(app, tls);
}

void CallFlags::AddTo(CLI::App& app) {
  app.add_option("--cluster", cluster, "file of the cluster, made by `opic cluster init`")
      ->required();
  AddPatience(app);
  app.add_flag("--json", json, "print JSON");
}

absl::StatusOr<rpc::NodeClientOptions> ClientOptions(const CallFlags& flags) {
  rpc::NodeClientOptions options;
  ASSIGN_OR_RETURN(options.patience, ParseDuration(flags.patience, "patience"));
  ASSIGN_OR_RETURN(options.tls, rpc::ReadTls(flags.tls));
  ASSIGN_OR_RETURN(options.token, ReadBestToken(flags.tls.tokens));
  options.waiting = TellOfWait;
  return options;
}

absl::StatusOr<cluster::ShardMap> ReadShardMap(const std::string& file) {
  absl::StatusOr<cluster::ShardMap> map = cluster::ShardMap::Read(file);
  if (!map.ok()) return base::WithContext(base::OfNamedFile(map.status()), "--cluster " + file);
  return map;
}

std::string WhyTheyAreAway(const NodeFailures& away) {
  std::string text;
  const size_t told = std::min(away.size(), kFailuresTold);
  for (size_t i = 0; i < told; ++i) {
    const auto& [name, status] = away[i];
    absl::string_view why = status.message();  // "asking n0 at ADDRESS: why", if it was asked
    const bool named = absl::ConsumePrefix(&why, "asking ") && absl::StartsWith(why, name + " at ");
    absl::StrAppend(&text, i == 0 ? "" : "; ", named ? "" : name + ": ",
                    named ? why : status.message());
  }
  return away.size() == told ? text : absl::StrCat(text, "; and ", away.size() - told, " more");
}

absl::StatusOr<NodeId> FindNode(const cluster::ShardMap& map, const std::string& word,
                                const std::string& file) {
  const std::optional<NodeId> node = map.Find(word);
  if (node) return *node;
  for (const cluster::MemberNode& member : map.nodes()) {
    if (member.address == word) return member.id;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", word, "\" is not a node of ", file, "; its nodes are ", NamesOf(map)));
}

absl::StatusOr<NodeId> NodeNamed(const cluster::ShardMap& map, const std::string& flag,
                                 const std::string& file) {
  absl::StatusOr<NodeId> node = FindNode(map, flag, file);
  if (!node.ok()) return base::WithContext(node.status(), "--node");
  return node;
}

ClusterNodes::ClusterNodes(cluster::ShardMap map, rpc::NodeClientOptions options)
    : map_(std::move(map)), options_(std::move(options)) {
  for (const cluster::MemberNode& node : map_.nodes()) {
    rpc::NodeClientOptions client = Options(node.id, options_.patience, options_.local_only);
    if (!client.local_only) {
      client.waiting = [map = map_, options = options_](const std::string& asked,
                                                        const std::string& why) {
        TellWhoHangs(map, options, asked, why);
      };
    }
    clients_.push_back(rpc::NodeClient::To(node.address, client));
  }
}

absl::StatusOr<ClusterNodes> ClusterNodes::Open(const CallFlags& flags, bool local_only) {
  ASSIGN_OR_RETURN(cluster::ShardMap map, ReadShardMap(flags.cluster));
  ASSIGN_OR_RETURN(rpc::NodeClientOptions options, ClientOptions(flags));
  options.local_only = local_only;
  return ClusterNodes(std::move(map), std::move(options));
}

std::unique_ptr<rpc::NodeClient> ClusterNodes::WithPatience(NodeId node,
                                                            absl::Duration most) const {
  rpc::NodeClientOptions options = Options(node, most, options_.local_only);
  options.waiting = nullptr;
  return rpc::NodeClient::To(map_.node(node).address, options);
}

rpc::NodeClientOptions ClusterNodes::Options(NodeId node, absl::Duration most,
                                             bool local_only) const {
  rpc::NodeClientOptions options = options_;
  options.name = map_.node(node).name;
  options.patience = std::min(options.patience, most);
  options.local_only = local_only;
  return options;
}

absl::StatusOr<node::NodeStats> ClusterNodes::Knock(NodeId node) const {
  const rpc::NodeClientOptions options = Options(node, kKnockPatience, /*local_only=*/true);
  return rpc::NodeClient::To(map_.node(node).address, options)->Stats();
}

}  // namespace opic::cli
