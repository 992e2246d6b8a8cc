// opic-node: one crawler node as a service, alone or of a cluster; goes on until it is told to
// stop.
#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/crawl_run.h"
#include "cli/exit_code.h"
#include "cli/nodes_here.h"
#include "cli/program.h"
#include "cli/seed_file.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

constexpr char kListen[] = "127.0.0.1:7070";

absl::StatusOr<process::ProcessOptions> OptionsOf(const CrawlFlags& flags, RunOptions run) {
  if (run.listen.empty() && run.membership.cluster.empty()) run.listen = kListen;
  return ProcessOptionsOf(flags, run);
}

// Several, with one log. What cannot be of the settings is told before anything is started.
int RunNodes(const CrawlFlags& flags, const RunOptions& run, uint32_t count) {
  process::CatchHangUp();
  const absl::StatusOr<std::vector<NodeHere>> nodes = NodesHere(flags, run, count);
  if (!nodes.ok()) return PrintError(nodes.status());
  if (const absl::Status begun = BeginRun(flags, run); !begun.ok()) return PrintError(begun);
  return RunNodesHere(*nodes, run.hold_refused);
}

int RunNode(const CrawlFlags& flags, RunOptions run) {
  process::CatchHangUp();
  run.stay = true;
  run.top = 0;
  absl::StatusOr<process::ProcessOptions> options = OptionsOf(flags, run);
  if (!options.ok()) return PrintError(options.status());
  if (const absl::Status begun = BeginRun(flags, run); !begun.ok()) return PrintError(begun);
  const absl::StatusOr<std::unique_ptr<StatusHttp>> http = StatusHttp::Start(run.http);
  if (!http.ok()) return PrintError(http.status());
  absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
      process::CrawlProcess::Start(*options);
  if (!process.ok()) {
    (*http)->Refused(process.status());
    return Refused(process.status(), run.hold_refused);
  }
  const RunResult result = RunToTheEnd(**process, *options, run, **http);
  return result.status.ok() ? kOk : PrintError(result.status);
}

absl::Status CheckNode(const process::ProcessOptions& options) {
  for (const std::string& seed : options.crawl.seeds) RETURN_IF_ERROR(CheckSeed(seed));
  return process::CheckOptions(options);
}

struct NodeService {
  CrawlFlags flags;
  RunOptions run;
  uint32_t nodes_here = 1;

  int Run() const {
    return nodes_here > 1 ? RunNodes(flags, run, nodes_here) : RunNode(flags, run);
  }
  absl::Status Check() const {
    RETURN_IF_ERROR(run.log.Check());
    if (nodes_here == 1) {
      ASSIGN_OR_RETURN(const process::ProcessOptions options, OptionsOf(flags, run));
      return CheckNode(options);
    }
    ASSIGN_OR_RETURN(const std::vector<NodeHere> nodes, NodesHere(flags, run, nodes_here));
    for (const NodeHere& node : nodes) RETURN_IF_ERROR(CheckNode(node.options));
    return absl::OkStatus();
  }
};

}  // namespace

Command AddNodeService(CLI::App& app) {
  auto service = std::make_shared<NodeService>();
  service->run.listen.clear();  // known when the flags are
  service->flags.AddTo(app, /*with_seeds=*/true);
  AddRunFlags(app, service->run);
  app.get_option("--listen")
      ->description(absl::StrCat("HOST:PORT of the RPC services (default ", kListen,
                                 ", or with --cluster the address that its file gives this node)"));
  AddHttpFlag(app, service->run.http);
  service->run.membership.AddTo(app);
  AddHoldFlag(app, service->run.hold_refused);
  app.add_option(
         "--nodes-here", service->nodes_here,
         "run so many nodes of the cluster in this process: --node and those that follow it "
         "in the file, each with the folder of its name in --data, the ports that follow, "
         "and its part of --memory (default 1)")
      ->check(CLI::Range(1U, kNodesHereMax));
  return {&app, [service] { return service->Run(); }, [service] { return service->Check(); }};
}

Program NodeProgram(const std::string& commit) {
  Program program;
  program.app = std::make_shared<CLI::App>(
      "opic-node: one crawler node of opic, until SIGTERM. The first signal waits for the fetches "
      "under way and saves.\n"
      "With --cluster and --node it is one of several, and crawls what `opic crawl --cluster` "
      "says.",
      "opic-node");
  program.commands = {AddNodeService(*program.app)};
  program.service = true;
  return Complete(std::move(program), commit);
}

int NodeMain(int argc, char** argv, const std::string& commit) {
  return ParseAndRun(NodeProgram(commit), argc, argv);
}

}  // namespace opic::cli
