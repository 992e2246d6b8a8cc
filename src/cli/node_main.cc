// opic-node: one crawler node as a service, alone or of a cluster; goes on until it is told to
// stop.
#include <CLI/CLI.hpp>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/crawl_run.h"
#include "cli/exit_code.h"
#include "cli/program.h"
#include "process/signals.h"

namespace opic::cli {
namespace {

constexpr char kListen[] = "127.0.0.1:7070";

int RunNode(const CrawlFlags& flags, RunOptions run) {
  run.quiet = false;
  run.stay = true;
  run.top = 0;
  if (run.listen.empty() && run.membership.cluster.empty()) run.listen = kListen;
  absl::StatusOr<process::ProcessOptions> options = ProcessOptionsOf(flags, run);
  if (!options.ok()) return PrintError(options.status());
  process::CatchSignals();
  if (!base::StartLog(run.log_file, base::LogLevel::kInfo)) {
    return PrintError(absl::InvalidArgumentError("--log-file: cannot open " + run.log_file));
  }
  absl::StatusOr<std::unique_ptr<process::CrawlProcess>> process =
      process::CrawlProcess::Start(*options);
  if (!process.ok()) return Refused(process.status(), run.hold_refused);
  const RunResult result = RunToTheEnd(**process, *options, run);
  return result.status.ok() ? kOk : PrintError(result.status);
}

}  // namespace

int NodeMain(int argc, char** argv) {
  CLI::App app(
      "opic-node: one crawler node of opic, until SIGTERM. The first signal waits for the fetches "
      "under way and saves.\n"
      "With --cluster and --node it is one of several, and crawls what `opic crawl --cluster` "
      "says.",
      "opic-node");
  CrawlFlags flags;
  RunOptions run;
  run.listen.clear();  // known when the flags are
  flags.AddTo(app, /*with_seeds=*/true);
  AddRunFlags(app, run);
  run.membership.AddTo(app);
  AddHoldFlag(app, run.hold_refused);
  app.add_option("--config", "file of `key = value` lines; variables OPIC_* and flags win over it");
  return ParseAndRun(app, {{&app, [&] { return RunNode(flags, run); }}}, argc, argv);
}

}  // namespace opic::cli
