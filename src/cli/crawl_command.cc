// opic crawl: a whole one-node cluster in one process; or, with --cluster, an order to the nodes of
// one.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/cluster_crawl.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_json.h"
#include "cli/crawl_run.h"
#include "cli/crawl_summary.h"
#include "cli/exit_code.h"
#include "cli/given_options.h"
#include "cli/json_output.h"
#include "cli/page_listing.h"
#include "cli/secret_settings.h"
#include "cli/seed_file.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

// What the node would refuse when its data folder has been made already.
absl::Status CheckSeeds(const process::ProcessOptions& options) {
  if (options.crawl.seeds.empty() && !node::HoldsCrawl(options.data)) {
    return absl::InvalidArgumentError("no seeds: give at least one URL to start from");
  }
  for (const std::string& seed : options.crawl.seeds) RETURN_IF_ERROR(CheckSeed(seed));
  return absl::OkStatus();
}

// The words of a command of `opic` on this crawl's folder.
std::string CommandOn(const std::string& command, const CrawlFlags& flags) {
  return flags.data == "opic-data"
             ? "opic " + command
             : absl::StrCat("opic ", command, " --data ", ForShell(flags.data));
}

// What the data folder remembers by itself, and what was meant for this run alone. --data is named
// by CommandOn.
const std::set<std::string>& OfThisRun() {
  static const auto& names = *new std::set<std::string>{
      "data",     "seed-file", "strict",          "scope",           "include",    "exclude",
      "depth",    "traps",     "strip-tracking",  "again",           "epsilon",    "shards",
      "h-url",    "window",    "window-supplies", "window-measures", "importance", "forget-links",
      "referrers"};
  return names;
}

// What is not to be said again when the crawl goes on. With the limits of this run it would end at
// once; a limit that an operator has set since is remembered.
std::set<std::string> NotAgain(const RunResult& result) {
  std::set<std::string> names = OfThisRun();
  if (result.stats.loop.limit_reached) names.insert({"pages", "bytes", "time"});
  if (result.pages_set) names.insert("pages");
  return names;
}

// How a crawl that is at a limit goes on.
std::string PastTheLimit(const RunResult& result, const std::string& crawl) {
  if (!result.at_set_limit) return absl::StrCat("a limit was reached; go on:  ", crawl);
  return absl::StrCat("the limit that `opic control limits` has set was reached (",
                      base::Counted(*result.pages_set, "page"),
                      ");\n           go on without it:            ", crawl, " --pages 0");
}

std::string WhatNext(const RunResult& result, const CrawlFlags& flags, const CLI::App& app) {
  const bool limit = result.stats.loop.limit_reached;
  const GivenWords given = GivenOptions(app, NotAgain(result));
  const std::string crawl = CommandOn("crawl", flags) + given.words;
  const std::string note =
      given.secrets_left_out
          ? absl::StrCat("           ", std::string(kLeftOut),
                         " stands for a secret that is left out here: put it in again\n")
          : "";
  const std::string top = CommandOn("top", flags) + " -n 100";
  if (result.interrupted) {
    return absl::StrCat("next       to go on where it stands:    ", crawl,
                        "\n           the most important pages:    ", top, "\n", note);
  }
  if (limit) {
    const std::string obstacle = HeldUpBy(result.stats);
    const std::string held =
        obstacle.empty() ? "" : absl::StrCat("held back  in the end it was ", obstacle, "\n");
    return absl::StrCat(held, "next       ", PastTheLimit(result, crawl),
                        "\n           the most important pages:    ", top, "\n", note);
  }
  const bool fetched = result.stats.counters[desk::Counter::kPagesEnded] > 0;
  return absl::StrCat(fetched ? "" : "This crawl was finished before: nothing was left to fetch.\n",
                      "next       the most important pages:    ", top,
                      "\n           fetch every page once more:  ", crawl, " --again\n", note);
}

struct CrawlCommand {
  CrawlFlags flags;
  RunOptions run;
  ClusterCrawlFlags cluster;

  int RunAs(const CLI::App& app) {
    if (cluster.cluster.empty()) return Run(app);
    if (const absl::Status status = RefuseNodeSettings(app); !status.ok())
      return PrintError(status);
    return CrawlWithCluster(flags, run, cluster);
  }

  absl::Status CheckAs(const CLI::App& app) const {
    if (cluster.cluster.empty()) return Check(/*seeds=*/app.count("--check-config") > 0);
    RETURN_IF_ERROR(RefuseNodeSettings(app));
    return CheckClusterCrawl(flags, run, cluster);
  }

  // `seeds`: with them.
  absl::Status Check(bool seeds) const {
    ASSIGN_OR_RETURN(const process::ProcessOptions options, ProcessOptionsOf(flags, run));
    if (seeds) RETURN_IF_ERROR(CheckSeeds(options));
    RETURN_IF_ERROR(run.log.Check());
    return process::CheckOptions(options);
  }

  void PrintEnd(const RunResult& result) const {
    nlohmann::ordered_json json = EndJson(result);
    if (result.top.ok()) json["top"] = TopJson(result.top->pages, run.top);
    PrintJson(json);
  }

  int Run(const CLI::App& app) {
    process::CatchHangUp();
    absl::StatusOr<process::ProcessOptions> options = ProcessOptionsOf(flags, run);
    if (!options.ok()) return PrintError(options.status());
    if (const absl::Status seeds = CheckSeeds(*options); !seeds.ok()) return PrintError(seeds);
    // A variable or a settings file says the same at every start of a service.
    options->crawl.pages_typed = IsTyped(app, "pages");
    if (const absl::Status begun = BeginRun(flags, run); !begun.ok()) return PrintError(begun);
    const absl::StatusOr<std::unique_ptr<StatusHttp>> http = StatusHttp::Start(run.http);
    if (!http.ok()) return PrintError(http.status());
    absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
        process::CrawlProcess::Start(*options);
    if (!process.ok()) return PrintError(process.status());
    const RunResult result = RunToTheEnd(**process, *options, run, **http);
    if (!result.status.ok()) return PrintError(result.status);
    if (!run.quiet) std::fputs(result.summary.c_str(), stderr);
    if (run.json) PrintEnd(result);
    if (!result.nothing_fetched.empty()) {
      std::fputs(fmt::format("opic: {}\n", result.nothing_fetched).c_str(), stderr);
      return kNothingFetched;
    }
    if (!run.quiet) {
      if (result.top.ok() && run.top > 0 && !run.json) {
        std::vector<node::PageImportance> pages = result.top->pages;
        pages.resize(std::min<size_t>(run.top, pages.size()));
        PrintPages(pages, stdout);
      }
      std::fflush(stdout);
      std::fputs(WhatNext(result, flags, app).c_str(), stderr);
    }
    return result.interrupted && !result.told_to ? kInterrupted : kOk;
  }
};

}  // namespace

Command AddCrawl(CLI::App& opic) {
  auto command = std::make_shared<CrawlCommand>();
  CLI::App* app =
      opic.add_subcommand("crawl", "crawl from seed URLs and rank the pages while crawling");
  command->flags.AddTo(*app, /*with_seeds=*/true);
  AddRunFlags(*app, command->run);
  AddEndFlags(*app, command->run);
  AddHttpFlag(*app, command->run.http);
  AddEndJsonFlag(*app, command->run);
  app->add_option("--top", command->run.top, "pages to print at the end (default 10)");
  command->cluster.AddTo(*app);
  app->footer(
      "Stops by itself when nothing is left to fetch and the ranking has converged. The first "
      "Ctrl-C waits for\nthe fetches under way and saves, a second one stops at once; the same "
      "command continues the crawl.");
  return {app, [command, app] { return command->RunAs(*app); },
          [command, app] { return command->CheckAs(*app); }};
}

}  // namespace opic::cli
