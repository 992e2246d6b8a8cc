// opic restate: the equation of every page, worked out anew from a crawl's rows, and its cash
// corrected where it is off. Of folders at rest, or of what runs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/cluster_nodes.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "cli/membership_flags.h"
#include "cli/quantity.h"
#include "cli/status_line.h"
#include "cli/target.h"
#include "node/restatement.h"
#include "rpc/cluster_restating.h"

namespace opic::cli {
namespace {

struct RestateFlags {
  std::vector<std::string> data = {"opic-data"};
  bool check = false;
  double rate = 0;
  TargetFlags running;  // --cluster or --node
};

struct Found {
  uint64_t pages = 0, links = 0, off = 0;
  double largest = 0;  // in bases of a page
  double error = 0;
  bool corrected = false;
};

void Print(const Found& found, bool running, bool json) {
  if (json) {
    PrintJson({{"pages", found.pages},
               {"links", found.links},
               {"pages_off", found.off},
               {"largest_bases", found.largest},
               {"error", found.error},
               {"corrected", found.corrected}});
    return;
  }
  const std::string all =
      fmt::format("{}, {}", base::Counted(found.pages, "page"), base::Counted(found.links, "link"));
  if (found.off == 0) {
    fmt::print("{}: the stored cash of every page is right\n", all);
    return;
  }
  fmt::print("{}: the stored cash of {} is off, by at most {:.2g} of what a new page begins with\n",
             all, base::Counted(found.off, "page"), found.largest);
  fmt::print("the ranking can be off by {} because of that{}\n", HumanPercent(found.error),
             !found.corrected ? ""
             : running        ? "; it is corrected, and is being settled"
                              : "; it is corrected, and settled by the next `opic crawl`");
}

absl::StatusOr<Found> AtRest(const RestateFlags& flags) {
  std::vector<std::unique_ptr<node::DataFolder>> folders;
  for (const std::string& path : flags.data) {
    ASSIGN_OR_RETURN(auto folder, node::DataFolder::Lock(path, /*create=*/false));
    folders.push_back(std::move(folder));
  }
  ASSIGN_OR_RETURN(const node::Restatement found, node::Restate(folders, !flags.check));
  return Found{found.pages, found.links, found.off, found.largest, found.error, found.corrected};
}

bool Runs(const RestateFlags& flags) {
  return !flags.running.cluster.empty() || !flags.running.node.empty() ||
         (flags.data.size() == 1 && node::AddressOfRunningNode(flags.data[0]).ok());
}

absl::StatusOr<Found> WhileItRuns(const RestateFlags& flags) {
  TargetFlags each = flags.running;
  each.data = flags.data[0];
  each.local = true;
  each.steers = true;
  ASSIGN_OR_RETURN(Target target, Target::Find(each));
  rpc::RestatedNodes nodes(target.nodes().begin(), target.nodes().end());
  if (nodes.empty()) nodes.emplace_back(target.client(), [](rpc::NodeClient*) {});
  StatusLine line;
  const rpc::RestatingOptions options{
      .correct = !flags.check, .per_second = flags.rate, .progress = [&](const std::string& what) {
        line.Show(what);
      }};
  ASSIGN_OR_RETURN(const rpc::ClusterRestatement sum, rpc::RestateCluster(nodes, options));
  return Found{sum.pages, sum.links, sum.off, sum.largest, sum.error, !flags.check};
}

absl::StatusOr<int> RunRestate(const RestateFlags& flags) {
  RETURN_IF_ERROR(CheckRate(flags.rate));
  const bool running = Runs(flags);
  ASSIGN_OR_RETURN(const Found found, running ? WhileItRuns(flags) : AtRest(flags));
  Print(found, running, flags.running.json);
  return kOk;
}

}  // namespace

Command AddRestate(CLI::App& opic) {
  auto flags = std::make_shared<RestateFlags>();
  CLI::App* app = opic.add_subcommand(
      "restate", "compute what the cash of every page should be, and correct it (ledger push)");
  app->add_option("--data", flags->data,
                  "data folder, in use or at rest (default opic-data); for a cluster at rest give "
                  "the folders of all nodes");
  app->add_option("--cluster", flags->running.cluster,
                  "the file of a running cluster, which goes on crawling");
  app->add_option("--node", flags->running.node,
                  "HOST:PORT of a running node that is in no cluster");
  app->add_flag("--check", flags->check, "only report how far it is off; write nothing");
  app->add_option("--rate", flags->rate,
                  "pages that each running node corrects a second (default 0: as fast as it can)");
  app->add_option("--patience", flags->running.patience,
                  "how long to wait for an answer (default 60s)");
  AddTlsFlags(*app, flags->running.tls);
  app->add_flag("--json", flags->running.json, "print JSON");
  return {app, [flags]() -> int {
            const absl::StatusOr<int> code = RunRestate(*flags);
            return code.ok() ? *code : PrintError(code.status());
          }};
}

}  // namespace opic::cli
