// The flags by which opic-node takes its place in a cluster, and those of TLS.
//
// Thread safety: confined to one thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/crawl_flags.h"
#include "process/crawl_process.h"
#include "rpc/tls.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct MembershipFlags {
  std::string cluster;  // the shard map's file; empty: a cluster of its own
  std::string node;     // name or number
  std::string outbox_max = "1G";
  rpc::TlsFiles tls;
  bool insecure_listen = false;

  void AddTo(CLI::App& app);
  // Puts them into `options`: who the node is, where it listens unless that is said, and by which
  // certificate. InvalidArgument names the flag, also one of `crawl` that the cluster has fixed;
  // NotFound: a file is missing.
  absl::Status ApplyTo(const CrawlFlags& crawl, process::ProcessOptions& options) const;

 private:
  absl::StatusOr<std::shared_ptr<const node::Membership>> Membership() const;
};

}  // namespace opic::cli
