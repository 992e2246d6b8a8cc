#include "cli/mend_epochs.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/exit_code.h"
#include "cli/membership_flags.h"
#include "cluster/shard_map.h"
#include "rpc/gate.h"
#include "rpc/node_client.h"

namespace opic::cli {
namespace {

// The names of the nodes that did not answer, in a sentence.
absl::StatusOr<std::string> MendAll(const MendEpochsFlags& flags) {
  absl::StatusOr<cluster::ShardMap> map = cluster::ShardMap::Read(flags.cluster);
  if (!map.ok()) return base::WithContext(map.status(), "--cluster " + flags.cluster);
  rpc::NodeClientOptions options;
  ASSIGN_OR_RETURN(options.patience, ParseDuration(flags.patience, "patience"));
  ASSIGN_OR_RETURN(options.tls, rpc::ReadTls(flags.tls));
  ASSIGN_OR_RETURN(options.token, rpc::ReadBestToken(flags.tls.tokens));
  std::string missing;
  for (const cluster::MemberNode& node : map->nodes()) {
    options.name = node.name;
    const absl::StatusOr<node::MendedEpoch> mended =
        rpc::NodeClient::To(node.address, options)->MendEpoch();
    if (mended.ok()) {
      fmt::print("{}: its epoch was {}; {} waiting batches were rewritten\n", node.name,
                 mended->before, mended->batches);
      continue;
    }
    fmt::print(stderr, "{}: {}\n", node.name, std::string(mended.status().message()));
    missing += (missing.empty() ? "" : ", ") + node.name;
  }
  return missing;
}

}  // namespace

void MendEpochsFlags::AddTo(CLI::App& app) {
  app.add_option("--cluster", cluster, "file of the cluster")->required();
  app.add_option("--patience", patience, "how long to wait for an answer (default 60s)");
  AddTlsFlags(app, tls);
}

int MendEpochs(const MendEpochsFlags& flags) {
  const absl::StatusOr<std::string> missing = MendAll(flags);
  if (!missing.ok()) return Complain(missing.status());
  if (missing->empty()) return kOk;
  fmt::print(stderr, "not reset: {}; run the same command again when they answer\n", *missing);
  return kPartial;
}

}  // namespace opic::cli
