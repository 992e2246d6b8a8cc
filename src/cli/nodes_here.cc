#include "cli/nodes_here.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/log.h"
#include "base/log_part.h"
#include "base/status_macros.h"
#include "base/workers.h"
#include "cli/cluster_nodes.h"
#include "cli/exit_code.h"
#include "cli/hosts_file_reader.h"
#include "process/open_files.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(200);
constexpr char kPlaceOfName[] = "{node}";

absl::StatusOr<std::string> FileOfNode(const std::string& path, const std::string& name,
                                       const std::string& flag) {
  if (path.empty() || absl::StrContains(path, kPlaceOfName))
    return absl::StrReplaceAll(path, {{kPlaceOfName, name}});
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": with --nodes-here each node has its own: put ", kPlaceOfName,
                   " where the path has the node's name"));
}

absl::Status ShareMemory(const CrawlFlags& flags, uint32_t count, node::CrawlOptions& crawl) {
  const uint64_t least = std::max(node::MemoryPlan::kWholeMin,
                                  node::MemoryPlan::kWholeInBodies * crawl.fetch.body_bytes_max);
  const uint64_t part = crawl.memory.whole / count;
  crawl.memory.whole = flags.memory.empty() ? std::max(part, least) : part;
  if (crawl.memory.whole >= least) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--memory: ", flags.memory, " is too little for ",
                                                 count, " nodes (--nodes-here)", "; each needs ",
                                                 (least + (1 << 20) - 1) >> 20, "M"));
}

// The machine's processors are for all of them.
void ShareProcessors(uint32_t count, node::CrawlOptions& crawl) {
  crawl.processors = std::max(crawl.processors / count, 1u);
}

// The process's files are for all of them.
absl::Status ShareOpenFiles(uint64_t peers, uint32_t count, node::CrawlOptions& crawl) {
  RETURN_IF_ERROR(process::RaiseOpenFiles(crawl.fetch.in_flight_max, peers, count));
  crawl.fetches_most = static_cast<uint32_t>(
      std::min<uint64_t>(crawl.fetches_most, process::FetchesWithinOpenFiles(peers, count)));
  return absl::OkStatus();
}

// The settings of the `n`th, whose flags are in `flags` and `run`.
absl::StatusOr<NodeHere> NthNode(CrawlFlags flags, RunOptions run, std::string name, uint32_t n,
                                 uint32_t count) {
  run.membership.node = name;
  flags.data = absl::StrCat(flags.data, "/", name);
  const std::pair<std::string*, const char*> addresses[] = {
      {&run.listen, "listen"},
      {&run.listen_questions, "listen-questions"},
      {&run.listen_control, "listen-control"},
      {&run.http_questions, "http-questions"},
      {&run.scheduler, "scheduler"},
      {&run.http, "http"}};
  for (const auto& [address, flag] : addresses) {
    if (*address == process::kWithPeers) continue;
    ASSIGN_OR_RETURN(*address, NthAddress(*address, n, flag));
  }
  rpc::TlsFiles& tls = run.membership.tls;
  ASSIGN_OR_RETURN(tls.certificate, FileOfNode(tls.certificate, name, "tls-cert"));
  ASSIGN_OR_RETURN(tls.key, FileOfNode(tls.key, name, "tls-key"));
  NodeHere node{std::move(name), run.http, {}};
  ASSIGN_OR_RETURN(node.options, ProcessOptionsOf(flags, run));
  RETURN_IF_ERROR(ShareMemory(flags, count, node.options.crawl));
  ShareProcessors(count, node.options.crawl);
  RETURN_IF_ERROR(
      ShareOpenFiles(node.options.crawl.membership->map.nodes().size(), count, node.options.crawl));
  return node;
}

}  // namespace

absl::StatusOr<std::string> NthAddress(const std::string& address, uint32_t n,
                                       const std::string& flag) {
  if (address.empty() || n == 0) return address;
  const size_t colon = address.rfind(':');
  const size_t begin = colon == std::string::npos ? 0 : colon + 1;
  uint32_t port = 0;
  if (!absl::SimpleAtoi(address.substr(begin), &port)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, ": ", address, " has no port, and the nodes of --nodes-here need one each"));
  }
  if (port == 0) return address;
  if (port + n > 65'535) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, ": ", address, " leaves no port for each of --nodes-here: one would ", "have ",
        port + n, ", and 65535 is the highest; give a lower one"));
  }
  return absl::StrCat(address.substr(0, begin), port + n);
}

absl::StatusOr<std::vector<NodeHere>> NodesHere(const CrawlFlags& flags, const RunOptions& run,
                                                uint32_t count) {
  const MembershipFlags& membership = run.membership;
  if (membership.cluster.empty() || membership.node.empty()) {
    return absl::InvalidArgumentError(
        "--nodes-here needs --cluster, the file of the cluster, and --node, the first of its nodes "
        "that run here");
  }
  ASSIGN_OR_RETURN(const cluster::ShardMap map, ReadShardMap(membership.cluster));
  ASSIGN_OR_RETURN(const NodeId first, NodeNamed(map, membership.node, membership.cluster));
  const uint64_t follow = map.nodes().size() - first.value;
  if (count > follow) {
    return absl::InvalidArgumentError(absl::StrCat("--nodes-here ", count, ": ", membership.cluster,
                                                   " has ", follow, " from the node ",
                                                   membership.node, " on"));
  }
  std::vector<NodeHere> nodes;
  const std::shared_ptr<rpc::LocalPeers> here = rpc::NewLocalPeers();
  for (uint32_t n = 0; n < count; ++n) {
    const std::string& name = map.nodes()[first.value + n].name;
    ASSIGN_OR_RETURN(NodeHere node, NthNode(flags, run, name, n, count));
    node.options.here = here;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

namespace {

// A node from its start to its end. What it writes to the log carries its name.
class RunningHere {
 public:
  explicit RunningHere(const NodeHere& node) : node_(node) {}
  ~RunningHere() { Join().IgnoreError(); }

  absl::Status Listen() {
    const base::WithLogPart part(node_.name);
    ASSIGN_OR_RETURN(http_, StatusHttp::Start(node_.http));
    return absl::OkStatus();
  }
  absl::Status Start() {
    const base::WithLogPart part(node_.name);
    absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
        process::CrawlProcess::Start(node_.options);
    if (!process.ok()) {
      http_->Refused(process.status());
      return base::WithContext(process.status(), node_.name);
    }
    process_ = *std::move(process);
    hosts_file_.emplace(process_->node(), node_.options.crawl);
    TellStarted(*process_);
    return absl::OkStatus();
  }
  // Begins to end it where an operator has asked for that. False: it ends.
  bool Turn(bool files_again) {
    if (ending_.joinable()) return false;
    const base::WithLogPart part(node_.name);
    if (files_again) hosts_file_->Ask();
    LookAt(*process_, *http_, *hosts_file_);
    if (process_->stop_requested()) BeginEnd();
    return !ending_.joinable();
  }
  // In a thread of its own: it waits for fetches, and the others go on.
  void BeginEnd() {
    if (ending_.joinable() || !process_) return;
    ending_ = std::thread([this] {
      const base::WithLogPart part(node_.name);
      End();
    });
  }
  absl::Status Join() {
    if (ending_.joinable()) ending_.join();
    return status_;
  }

 private:
  void End() {
    http_->Stopping();
    const absl::Duration patience = node_.options.crawl.stop_patience;
    TellOfStopping(process_->node().stats(), patience);
    process_->Drain(patience);
    status_ = base::WithContext(process_->Stop(), node_.name);
    hosts_file_.reset();
    process_.reset();  // and its folder is free for others
    if (status_.ok()) {
      base::LogInfo("stopped; everything is saved");
    } else {
      base::LogError("stopped with an error: {}", std::string(status_.message()));
    }
  }

  const NodeHere& node_;
  std::unique_ptr<StatusHttp> http_;
  std::unique_ptr<process::CrawlProcess> process_;  // null: it has not started
  std::optional<HostsFileReader> hosts_file_;
  absl::Status status_;  // of its end, when `ending_` is over
  std::thread ending_;   // has all of the above, once it is begun
};

using AllHere = std::vector<std::unique_ptr<RunningHere>>;

absl::Status StartAll(const AllHere& all) {
  for (const auto& node : all) RETURN_IF_ERROR(node->Listen());
  return base::OnWorkers(static_cast<uint32_t>(all.size()),
                         [&](uint32_t n) { return all[n]->Start(); });
}

absl::Status EndAll(const AllHere& all) {
  for (const auto& node : all) node->BeginEnd();
  absl::Status status;
  for (const auto& node : all) status.Update(node->Join());
  return status;
}

}  // namespace

int RunNodesHere(const std::vector<NodeHere>& nodes, bool hold) {
  AllHere all;
  for (const NodeHere& node : nodes) all.push_back(std::make_unique<RunningHere>(node));
  if (const absl::Status started = StartAll(all); !started.ok()) {
    EndAll(all).IgnoreError();  // those that did start
    return Refused(started, hold);
  }
  bool some_run = true;
  while (some_run && !process::SignalCaught()) {
    const bool files_again = process::ReopenLogWhenAsked();
    some_run = false;
    for (const auto& node : all) some_run = node->Turn(files_again) || some_run;
    if (some_run) process::AwaitSignal(kPoll);
  }
  const absl::Status ended = EndAll(all);
  return ended.ok() ? kOk : PrintError(ended);
}

}  // namespace opic::cli
