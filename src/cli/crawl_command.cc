// opic crawl: a whole one-node cluster in one process; or, with --cluster, an order to the nodes of
// one.

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/cluster_crawl.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_run.h"
#include "cli/exit_code.h"
#include "cli/page_listing.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

// What the node would refuse when its data folder has been made already.
absl::Status CheckSeeds(const process::ProcessOptions& options) {
  if (options.crawl.seeds.empty() && !node::HoldsCrawl(options.data)) {
    return absl::InvalidArgumentError("no seeds: give at least one URL to start from");
  }
  for (const std::string& seed : options.crawl.seeds) {
    url::Rejected why = url::Rejected::kNone;
    if (url::Parse(seed, nullptr, &why)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("seed ", base::Quoted(seed), " is not a URL: ", std::string(url::Name(why))));
  }
  return absl::OkStatus();
}

struct CrawlCommand {
  CrawlFlags flags;
  RunOptions run;
  ClusterCrawlFlags cluster;

  int RunAs(const CLI::App& app) {
    if (cluster.cluster.empty()) return Run();
    if (const absl::Status status = RefuseNodeSettings(app); !status.ok())
      return PrintError(status);
    return CrawlWithCluster(flags, run, cluster);
  }

  int Run() {
    absl::StatusOr<process::ProcessOptions> options = ProcessOptionsOf(flags, run);
    if (!options.ok()) return PrintError(options.status());
    if (const absl::Status seeds = CheckSeeds(*options); !seeds.ok()) return PrintError(seeds);
    process::CatchSignals();
    if (!base::StartLog(run.log_file, base::LogLevel::kInfo)) {
      return PrintError(absl::InvalidArgumentError("--log-file: cannot open " + run.log_file));
    }
    absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
        process::CrawlProcess::Start(*options);
    if (!process.ok()) return PrintError(process.status());
    const RunResult result = RunToTheEnd(**process, *options, run);
    if (!result.status.ok()) return PrintError(result.status);
    if (!run.quiet) {
      std::fputs(result.summary.c_str(), stderr);
      if (result.top.ok()) PrintPages(result.top->pages, stdout);
    }
    return result.interrupted ? kInterrupted : kOk;
  }
};

}  // namespace

Command AddCrawl(CLI::App& opic) {
  auto command = std::make_shared<CrawlCommand>();
  CLI::App* app =
      opic.add_subcommand("crawl", "crawl from seed URLs and rank the pages while crawling");
  command->flags.AddTo(*app, /*with_seeds=*/true);
  AddRunFlags(*app, command->run);
  app->add_option("--top", command->run.top, "pages to print at the end (default 10)");
  command->cluster.AddTo(*app);
  app->footer(
      "Stops by itself when nothing is left to fetch and the ranking has converged. The first "
      "Ctrl-C waits for\nthe fetches under way and saves, a second one stops at once; the same "
      "command continues the crawl.");
  return {app, [command, app] { return command->RunAs(*app); }};
}

}  // namespace opic::cli
