#include "cli/crawl_source.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <optional>
#include <thread>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/export_spool.h"
#include "cli/membership_flags.h"
#include "cli/setting_source.h"

namespace opic::cli {
namespace {

// What was typed goes before what a variable or a file says, and of those what runs before the
// folder, as for all questions.
absl::StatusOr<SourceFlags> Chosen(SourceFlags flags) {
  const bool running = !flags.cluster.empty() || !flags.node.empty();
  if (!running || flags.data.empty()) return flags;
  const bool running_typed =
      WasFlag("cluster", !flags.cluster.empty()) || WasFlag("node", !flags.node.empty());
  if (!WasFlag("data", !flags.data.empty())) {
    flags.data.clear();
  } else if (running_typed) {
    return absl::InvalidArgumentError("--data cannot be combined with --cluster or --node");
  } else {
    flags.cluster.clear(), flags.node.clear();
  }
  return flags;
}

// A node that is to be asked.
struct Asked {
  std::string name;  // or address
  std::shared_ptr<rpc::NodeClient> client;
};

absl::StatusOr<std::vector<Asked>> NodesOf(const SourceFlags& flags) {
  std::vector<Asked> asked;
  if (flags.cluster.empty()) {
    ASSIGN_OR_RETURN(const rpc::NodeClientOptions options, ClientOptions(flags));
    asked.push_back({flags.node, rpc::NodeClient::To(flags.node, options)});
    return asked;
  }
  ASSIGN_OR_RETURN(const ClusterNodes cluster, ClusterNodes::Open(flags));
  std::optional<NodeId> named;
  if (!flags.node.empty()) {
    ASSIGN_OR_RETURN(named, NodeNamed(cluster.map(), flags.node, flags.cluster));
  }
  for (const cluster::MemberNode& node : cluster.map().nodes()) {
    if (!named || *named == node.id) asked.push_back({node.name, cluster.clients()[node.id.value]});
  }
  return asked;
}

void TellOfCuts(const Asked& node, uint32_t cuts) {
  if (cuts <= 1) return;
  fmt::print(stderr,
             "opic: {} restarted, or its snapshot ended, while its pages were read: they come from "
             "{} snapshots\n",
             node.name, cuts);
}

// The node of the folder has ended, or another one has begun.
bool HasEnded(const std::string& folder, const std::string& address) {
  const absl::StatusOr<std::string> now = node::AddressOfRunningNode(folder);
  return now.ok() ? *now != address : absl::IsNotFound(now.status());
}

// A folder in use is read by way of its node, one of several by way of their cluster. That of an
// opic-scheduler has no pages.
absl::Status OrAskItsNode(const absl::Status& status, const std::string& folder, bool of_several) {
  const absl::StatusOr<std::string> address = node::AddressOfRunningNode(folder);
  if (!absl::IsFailedPrecondition(status) || !address.ok() || !node::HoldsCrawl(folder))
    return status;
  return absl::FailedPreconditionError(
      absl::StrCat(status.message(), "; to read a running crawl, give ",
                   of_several ? "--cluster FILE" : "--node " + *address, " instead of --data"));
}

}  // namespace

void SourceFlags::AddTo(CLI::App& app) {
  app.add_option("--data", data,
                 "data folder at rest; of a cluster one node's, or, given again and again, those "
                 "of all nodes")
      ->allow_extra_args(false);
  app.add_option("--cluster", cluster,
                 "the file of a running cluster (`opic cluster init`): the pages of all its nodes");
  app.add_option("--node", node,
                 "HOST:PORT of a running node: its own pages; with --cluster its name or number");
  app.add_option("--patience", patience,
                 "how long a running node is waited for, also while it restarts (default 60s)");
  AddTlsFlags(app, tls);
}

void SourceFlags::AddFolderTo(CLI::App& app) {
  app.add_option("--folder", folder,
                 "folder for the pages of running nodes, in a file without a name (default /tmp)");
}

bool SourceFlags::typed() const {
  return WasFlag("data", !data.empty()) || WasFlag("cluster", !cluster.empty()) ||
         WasFlag("node", !node.empty());
}

absl::StatusOr<CrawlSource> CrawlSource::Open(const SourceFlags& given) {
  ASSIGN_OR_RETURN(const SourceFlags flags, Chosen(given));
  const bool running = !flags.cluster.empty() || !flags.node.empty();
  CrawlSource source;
  ASSIGN_OR_RETURN(Parts parts, running ? ReadNodes(flags) : source.OpenFolders(flags));
  ASSIGN_OR_RETURN(source.export_, node::Export::Open(std::move(parts)));
  if (!source.pages().whole()) {
    fmt::print(stderr,
               "opic: the pages of node {} of the cluster are missing; links to them are included, "
               "and importances are shares of the whole crawl\n",
               absl::StrJoin(source.pages().missing(), ", ", [](std::string* out, NodeId node) {
                 absl::StrAppend(out, node.value);
               }));
  }
  return source;
}

absl::StatusOr<CrawlSource::Parts> CrawlSource::OpenFolders(const SourceFlags& flags) {
  const std::vector<std::string> data =
      flags.data.empty() ? std::vector<std::string>{"opic-data"} : flags.data;
  for (const std::string& path : data) {
    absl::StatusOr<std::unique_ptr<node::DataFolder>> folder = node::DataFolder::Look(path);
    if (!folder.ok()) return OrAskItsNode(folder.status(), path, data.size() > 1);
    folders_.push_back(*std::move(folder));
  }
  return node::OpenRestingParts(folders_);
}

absl::StatusOr<CrawlSource> CrawlSource::OpenAny(const SourceFlags& given) {
  ASSIGN_OR_RETURN(const SourceFlags flags, Chosen(given));
  if (!flags.cluster.empty() || !flags.node.empty() || flags.data.size() > 1) return Open(flags);
  const std::string folder = flags.data.empty() ? "opic-data" : flags.data.front();
  while (true) {
    const absl::StatusOr<std::string> address = node::AddressOfRunningNode(folder);
    if (absl::IsNotFound(address.status())) return Open(flags);
    RETURN_IF_ERROR(address.status());
    SourceFlags running = flags;
    running.data.clear();
    running.node = *address;
    running.ended = [&] { return HasEnded(folder, *address); };
    absl::StatusOr<CrawlSource> source = Open(running);
    if (source.ok() || !running.ended()) return source;
  }
}

// All nodes at once, so that their cuts are of nearly the same moment. When one stays away, what
// the others have is of no use, and the rest of it is not read.
absl::StatusOr<CrawlSource::Parts> CrawlSource::ReadNodes(const SourceFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<Asked> nodes, NodesOf(flags));
  ASSIGN_OR_RETURN(const rpc::NodeClientOptions options, ClientOptions(flags));
  std::vector<absl::StatusOr<Spooled>> spooled(nodes.size());
  std::atomic<bool> given_up = false;
  std::vector<std::thread> threads;
  for (size_t n = 0; n < nodes.size(); ++n) {
    threads.emplace_back([&, n] {
      rpc::NodeClient& client = *nodes[n].client;
      spooled[n] = Spool(
          [&](const node::ExportPosition& position) { return client.ReadExport(position); },
          {.folder = flags.folder,
           .patience = {.most = options.patience,
                        .waiting =
                            [&](const absl::Status& why) {
                              TellOfWait(nodes[n].name, std::string(why.message()));
                            },
                        .given_up = [&] { return given_up || (flags.ended && flags.ended()); }}});
      if (!spooled[n].ok()) given_up = true;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::StatusOr<Spooled>& one : spooled) {
    if (!absl::IsCancelled(one.status())) RETURN_IF_ERROR(one.status());
  }
  Parts parts;
  for (size_t n = 0; n < nodes.size(); ++n) {
    RETURN_IF_ERROR(spooled[n].status());
    TellOfCuts(nodes[n], spooled[n]->cuts);
    parts.push_back(std::move(spooled[n]->part));
  }
  return parts;
}

}  // namespace opic::cli
