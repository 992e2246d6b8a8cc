#include "cli/recover_cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/json_output.h"
#include "cli/patiently.h"
#include "cli/share_rules.h"
#include "cli/status_line.h"
#include "rpc/cluster_restating.h"
#include "rpc/cluster_sums.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kLook = absl::Seconds(1);
constexpr int kLooksAtRest = 3;  // in a row, so that what is on its way has arrived

using Nodes = std::vector<std::shared_ptr<rpc::NodeClient>>;

// Of the node that remembers most of it: a new folder knows nothing.
absl::StatusOr<node::CrawlOrder> OrderOf(const Nodes& nodes) {
  node::CrawlOrder order;
  for (const auto& node : nodes) {
    ASSIGN_OR_RETURN(node::CrawlOrder one, node->control().Order());
    if (one.seeds.size() > order.seeds.size()) order = std::move(one);
  }
  if (order.seeds.empty()) {
    return absl::FailedPreconditionError(
        "no node of the cluster remembers what is crawled: begin it with `opic crawl --cluster`");
  }
  order.again = true;
  order.hosts.clear(), order.publications.clear();  // shared before
  return order;
}

struct Sums {
  uint64_t pages = 0, unread = 0;
  bool crawling = false;
};

// What the node tells of itself; it may be away for `most`.
absl::StatusOr<node::NodeStats> StatsOf(const ClusterNodes& cluster,
                                        const cluster::MemberNode& node, absl::Duration most,
                                        StatusLine& line) {
  absl::StatusOr<node::NodeStats> stats;
  const auto ask = [&] { return (stats = cluster.node(node.id).Stats()).status(); };
  const auto waiting = [&](const absl::Status& why) {
    line.Clear();
    TellOfWait(node.name, std::string(why.message()));
  };
  RETURN_IF_ERROR(base::WithContext(AskPatiently(ask, {.most = most, .waiting = waiting}),
                                    "node " + node.name));
  return stats;
}

// Each may be away for `most`. InvalidArgument: the file lacks some nodes of the cluster.
absl::StatusOr<Sums> LookAt(const ClusterNodes& cluster, absl::Duration most, StatusLine& line) {
  Sums sums;
  for (const cluster::MemberNode& node : cluster.map().nodes()) {
    ASSIGN_OR_RETURN(const node::NodeStats stats, StatsOf(cluster, node, most, line));
    RETURN_IF_ERROR(rpc::CheckSameSize(node.name, stats, cluster.clients().size()));
    sums.pages += stats.loop.pages;
    sums.unread += stats.loop.unread;
    sums.crawling |= stats.loop.phase == node::Phase::kCrawling;
  }
  return sums;
}

absl::Status AwaitFetches(const ClusterNodes& cluster, StatusLine& line) {
  for (int at_rest = 0; at_rest < kLooksAtRest;) {
    ASSIGN_OR_RETURN(const Sums sums, LookAt(cluster, cluster.patience(), line));
    at_rest = sums.crawling ? 0 : at_rest + 1;
    line.Show(absl::StrCat("fetching all pages once more: ", sums.unread, " of ", sums.pages,
                           " are left"));
    absl::SleepFor(kLook);
  }
  return absl::OkStatus();
}

// `sum`: nothing when windows were not restated.
void PrintRecovered(const CallFlags& flags, const std::optional<rpc::ClusterRestatement>& sum) {
  if (flags.json) {
    nlohmann::ordered_json json = {{"restated", sum.has_value()}};
    if (sum) json["pages"] = sum->pages, json["links"] = sum->links, json["pages_off"] = sum->off;
    PrintJson(json);
  } else if (!sum) {
    fmt::print(
        "all pages were fetched once more; with --importance window that is all there is to do\n");
  } else {
    fmt::print("{}, {}: the cash of {} was corrected; the ranking is being settled\n",
               base::Counted(sum->pages, "page"), base::Counted(sum->links, "link"),
               base::Counted(sum->off, "page"));
  }
}

}  // namespace

absl::Status RecoverCluster(const CallFlags& flags) {
  ASSIGN_OR_RETURN(const ClusterNodes cluster, ClusterNodes::Open(flags));
  const Nodes& nodes = cluster.clients();
  StatusLine line;
  // All must answer before any is told.
  RETURN_IF_ERROR(LookAt(cluster, absl::ZeroDuration(), line).status());
  ASSIGN_OR_RETURN(const node::CrawlOrder order, OrderOf(nodes));
  RETURN_IF_ERROR(ShareRules(cluster.map(), nodes));
  for (const auto& node : nodes) RETURN_IF_ERROR(node->control().BeginCrawl(order).status());
  RETURN_IF_ERROR(AwaitFetches(cluster, line));
  if (cluster.map().CharterOf(NodeId{0}).method == importance::Method::kWindow) {
    for (const auto& node : nodes) RETURN_IF_ERROR(node->EndRestating({}).status());
    PrintRecovered(flags, std::nullopt);
    return absl::OkStatus();
  }
  const rpc::RestatingOptions options{
      .progress = [&](const std::string& what) { line.Show(what); }};
  ASSIGN_OR_RETURN(const rpc::ClusterRestatement sum,
                   rpc::RestateCluster({nodes.begin(), nodes.end()}, options));
  PrintRecovered(flags, sum);
  return absl::OkStatus();
}

}  // namespace opic::cli
