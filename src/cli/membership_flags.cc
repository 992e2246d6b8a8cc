#include "cli/membership_flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/cluster_nodes.h"
#include "cli/cluster_secret.h"
#include "cli/token_file.h"

namespace opic::cli {
namespace {

// What was fixed when the cluster began.
absl::Status RefuseCharterFlags(const CrawlFlags& flags) {
  const std::pair<const char*, bool> fixed[] = {
      {"importance", flags.importance.has_value()},
      {"window", flags.window.has_value()},
      {"window-supplies", flags.window_supplies.has_value()},
      {"window-measures", flags.window_measures.has_value()},
      {"epsilon", flags.epsilon.has_value()},
      {"shards", flags.shards.has_value()},
      {"h-url", flags.h_url.has_value()},
      {"forget-links", flags.forget_links},
  };
  for (const auto& [name, given] : fixed) {
    if (given) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name,
          " cannot be given with --cluster: `opic cluster init` has fixed it in the file"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

void MembershipFlags::AddTo(CLI::App& app) {
  app.add_option("--cluster", cluster,
                 "file of the cluster, made by `opic cluster init`; the same on every node");
  app.add_option("--node", node, "which node of the cluster this is: its name or number");
  AddTlsFlags(app, tls);
  app.add_flag("--insecure-listen", insecure_listen,
               "listen beyond loopback without certificates; only on a trusted network");
  app.add_option("--outbox-max", outbox_max,
                 "disk space for what waits for peers that do not answer; above it fetching pauses "
                 "(default 1G)");
}

absl::StatusOr<std::shared_ptr<const node::Membership>> MembershipFlags::Membership() const {
  ASSIGN_OR_RETURN(cluster::ShardMap map, ReadShardMap(cluster));
  ASSIGN_OR_RETURN(const NodeId self, NodeNamed(map, node, cluster));
  auto membership = std::make_shared<node::Membership>(node::Membership{std::move(map), self, {}});
  ASSIGN_OR_RETURN(membership->exchange.outbox_bytes_max, ParseBytes(outbox_max, "outbox-max"));
  return membership;
}

absl::Status MembershipFlags::ApplyTo(const CrawlFlags& crawl,
                                      process::ProcessOptions& options) const {
  ASSIGN_OR_RETURN(options.tls, rpc::ReadTls(tls));
  ASSIGN_OR_RETURN(options.tokens, ReadTokens(tls.tokens));
  options.insecure_listen = insecure_listen;
  if (cluster.empty()) {
    if (node.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--node needs --cluster: the file of the cluster that the node belongs to");
  }
  if (node.empty())
    return absl::InvalidArgumentError("--cluster needs --node: the name or number of this node");
  RETURN_IF_ERROR(RefuseCharterFlags(crawl));
  ASSIGN_OR_RETURN(options.crawl.membership, Membership());
  ASSIGN_OR_RETURN(options.secret, ReadSecret(cluster));
  if (options.listen.empty()) options.listen = options.crawl.membership->own().address;
  return absl::OkStatus();
}

}  // namespace opic::cli
