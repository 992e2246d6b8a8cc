// opic sample-web: serves the sample web for other programs, still or changing, or prints what is
// true of it at a moment.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/sample_flags.h"
#include "process/open_files.h"
#include "process/signals.h"
#include "sample/sample_web.h"
#include "sample/truth.h"
#include "sample/web_time.h"

namespace opic::cli {
namespace {

struct SampleWebFlags {
  SampleFlags sample;
  std::string start, at;
  bool truth = false, links = false, json = false;

  void AddTo(CLI::App& app);
  bool changes() const {
    const sample::Changes& web = sample.web.changes;
    return web.change_rate > 0 || web.appear_rate > 0 || web.vanish_rate > 0;
  }
};

void SampleWebFlags::AddTo(CLI::App& app) {
  sample.AddTo(app);
  app.add_option("--port", sample.web.port, "port (default: any free port)");
  app.add_option("--address", sample.web.address, "IP address (default 127.0.0.1)");
  sample::Changes& changes = sample.web.changes;
  app.add_option("--change-rate", changes.change_rate,
                 "mean changes a page and day of the web's own time (default 0)");
  app.add_option("--change-spread", changes.change_spread,
                 "pages' own rates are drawn log-normally; the standard deviation of their "
                 "logarithm, 0 for equal rates (default 1)");
  app.add_option("--link-change", changes.link_change,
                 "share of the changes that change links, not only the text (default 0.25)");
  app.add_option("--appear-rate", changes.appear_rate,
                 "new pages a day, as a share of the pages of the beginning (default 0); at most "
                 "nine times these appear");
  app.add_option("--vanish-rate", changes.vanish_rate,
                 "share of the pages that vanish a day, of those that do not lead to others "
                 "(default 0)");
  app.add_option("--lying-dates", changes.lying_dates,
                 "share of the hosts whose Last-Modified is missing, now, or never moves "
                 "(default 0)");
  app.add_option("--time-factor", changes.time_factor,
                 "speed of the web's clock relative to real time (default 1)");
  app.add_option(
      "--start", start,
      "start of the web's history, e.g. 2026-11-22T20:00:00Z; give the same time again to "
      "continue it (default: now)");
  app.add_flag("--print-truth", truth,
               "serve nothing; print state, changes and exact importance of each page");
  app.add_flag("--print-links", links, "serve nothing; print the links of the pages that are there")
      ->excludes("--print-truth");
  app.add_flag("--json", json, "print seed, connect-to and start as a line of JSON")
      ->excludes("--print-truth")
      ->excludes("--print-links");
  app.add_option("--at", at,
                 "the time on the wall that --print-truth and --print-links are of (default: now)");
}

absl::StatusOr<absl::Time> ParseMoment(const std::string& text, const std::string& flag) {
  absl::Time time;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, &error)) return time;
  return absl::InvalidArgumentError(
      fmt::format("--{} is {}: must be a time such as 2026-11-22T20:00:00Z", flag, text));
}

absl::Status Print(const SampleWebFlags& flags, const sample::Options& options) {
  absl::Time wall = absl::Now();
  if (!flags.at.empty()) {
    ASSIGN_OR_RETURN(wall, ParseMoment(flags.at, "at"));
  }
  if (flags.changes() && flags.start.empty()) {
    return absl::InvalidArgumentError(
        "what is true of a changing web depends on its --start, which `opic sample-web` printed "
        "when it began to serve");
  }
  ASSIGN_OR_RETURN(const sample::ChangingWeb web, sample::ChangingWeb::Build(options));
  const absl::Time now = flags.changes() ? sample::WebTime(options.changes, wall) : wall;
  const std::string table =
      flags.truth ? sample::TruthTable(web, now) : sample::LinkTable(web, now);
  const bool written = std::fwrite(table.data(), 1, table.size(), stdout) == table.size();
  if (!written || std::fflush(stdout) != 0) {
    return absl::ResourceExhaustedError("cannot write to standard output");
  }
  return absl::OkStatus();
}

absl::Status Serve(const SampleWebFlags& flags, const sample::Options& options) {
  // A connection is one; where the system allows few, so many are served at once.
  static_cast<void>(process::RaiseOpenFiles(1, 0));
  ASSIGN_OR_RETURN(const std::unique_ptr<sample::SampleWeb> web, sample::SampleWeb::Start(options));
  process::CatchSignals(process::HangUp::kEnds);
  const std::string start =
      flags.changes() ? absl::FormatTime(absl::RFC3339_full, web->start(), absl::UTCTimeZone())
                      : "";
  if (flags.json) {
    nlohmann::ordered_json json = {{"seed", web->seed_url()}, {"connect_to", web->connect_to()}};
    if (!start.empty()) json["start"] = start;
    PrintJsonLine(json);
  } else {
    fmt::print("seed {}\nconnect-to {}\n", web->seed_url(), web->connect_to());
    if (!start.empty()) fmt::print("start {}\n", start);
  }
  std::fflush(stdout);
  while (!process::SignalCaught()) process::AwaitSignal(absl::InfiniteDuration());
  return absl::OkStatus();
}

absl::Status Run(const SampleWebFlags& flags) {
  sample::Options options = flags.sample.web;
  if (!flags.start.empty()) {
    ASSIGN_OR_RETURN(options.changes.start, ParseMoment(flags.start, "start"));
  }
  return flags.truth || flags.links ? Print(flags, options) : Serve(flags, options);
}

}  // namespace

Command AddSampleWeb(CLI::App& opic) {
  auto flags = std::make_shared<SampleWebFlags>();
  CLI::App* app = opic.add_subcommand("sample-web", "serve the sample web until Ctrl-C");
  flags->AddTo(*app);
  return {app, [flags]() -> int {
            const absl::Status status = Run(*flags);
            return status.ok() ? kOk : PrintError(status);
          }};
}

}  // namespace opic::cli
