#include "cli/crawl_run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "absl/time/time.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/auth_file.h"
#include "cli/contact.h"
#include "cli/crawl_json.h"
#include "cli/crawl_summary.h"
#include "cli/hosts_file_reader.h"
#include "cli/human.h"
#include "cli/progress.h"
#include "process/signals.h"
#include "rpc/server.h"

namespace opic::cli {
namespace {

// How often the state of the crawl is looked at: while it runs, and when it rests.
constexpr absl::Duration kPoll = absl::Milliseconds(50), kRestingPoll = absl::Milliseconds(500),
                         kEndPoll = absl::Milliseconds(10);
constexpr uint32_t kExamples = 3;  // pages of a crawl that fetched nothing

}  // namespace

void AddRunFlags(CLI::App& app, RunOptions& run) {
  app.add_option("--listen", run.listen,
                 "HOST:PORT of the RPC services (default 127.0.0.1:0, any free port)");
  app.add_option("--listen-questions", run.listen_questions,
                 "HOST:PORT for questions; --listen is then for peers only");
  app.add_option(
      "--listen-control", run.listen_control,
      "HOST:PORT or unix:PATH for operators, who are then accepted nowhere else (default: "
      "--listen if that is loopback, otherwise the socket `control` in the data folder); "
      "\"with-peers\" accepts them at --listen");
  app.add_option(
      "--http-questions", run.http_questions,
      "answer questions as JSON over HTTP at ADDRESS:PORT, or at this port of 127.0.0.1; "
      "with certificates (--tls-cert) it is HTTPS, and callers need a token (--token-file)");
  app.add_option("--scheduler", run.scheduler,
                 "HOST:PORT of an opic-scheduler; without it the scheduler runs in this process");
  AddReflectionFlag(app);
  run.log.AddTo(app);
  app.add_option(
      "--stop-timeout", run.stop_timeout,
      "how long to wait for the fetches under way when stopping, and when --time is over "
      "(default 30s)");
}

void AddEndFlags(CLI::App& app, RunOptions& run) {
  app.add_flag("--stay", run.stay, "keep answering questions when the crawl is finished");
  app.add_flag("--quiet", run.quiet, "show no progress and no summary");
}

void AddReflectionFlag(CLI::App& app) {
  app.add_flag_callback("--no-reflection", rpc::TurnOffReflection,
                        "do not tell callers the protocol; clients then need its .proto files");
}

void AddHoldFlag(CLI::App& app, bool& hold) {
  app.add_flag(
      "--hold-refused", hold,
      "when the data folder is refused (exit codes 3, 4, 5), log why and wait to be stopped");
}

void AddEndJsonFlag(CLI::App& app, RunOptions& run) {
  app.add_flag("--json", run.json,
               "print how the crawl has ended as JSON, instead of a table of pages");
}

nlohmann::ordered_json EndJson(const RunResult& result) {
  const std::string_view ended = result.told_to                    ? kStoppedEnd
                                 : result.interrupted              ? kInterruptedEnd
                                 : result.stats.loop.limit_reached ? kLimitEnd
                                                                   : kFinishedEnd;
  return CrawlJson(ended, result.stats, result.nothing_fetched);
}

absl::StatusOr<process::ProcessOptions> ProcessOptionsOf(const CrawlFlags& flags,
                                                         const RunOptions& run) {
  process::ProcessOptions options;
  options.data = flags.data;
  options.listen = run.listen;
  options.listen_questions = run.listen_questions;
  options.listen_control = run.listen_control;
  options.http_questions = run.http_questions;
  options.scheduler = run.scheduler;
  ASSIGN_OR_RETURN(options.crawl, flags.NodeOptions());
  options.crawl.processors = std::max(std::thread::hardware_concurrency(), 1u);
  ASSIGN_OR_RETURN(options.scheduling, flags.SchedulerOptions());
  ASSIGN_OR_RETURN(options.crawl.stop_patience, ParseDuration(run.stop_timeout, "stop-timeout"));
  RETURN_IF_ERROR(CheckHttp(run.http));
  RETURN_IF_ERROR(RequireContact(flags, options.crawl));
  RETURN_IF_ERROR(run.membership.ApplyTo(flags, options));
  return options;
}

absl::Status BeginRun(const CrawlFlags& flags, const RunOptions& run) {
  process::CatchSignals();
  RETURN_IF_ERROR(run.log.Start());
  WarnIfOthersMayRead(flags.fetch.auth_file, "--auth-file");
  WarnIfOthersMayRead(flags.fetch.proxy_file, "--proxy-file");
  return absl::OkStatus();
}

void TellStarted(process::CrawlProcess& process) {
  const node::NodeStats stats = process.node().stats();
  base::LogInfo("answering on {}; {} known, {} replayed in {}", process.address(),
                base::Counted(stats.recovery.pages, "page"),
                base::Counted(stats.recovery.records_replayed, "journal record"),
                absl::FormatDuration(stats.recovery_time));
}

node::NodeStats LookAt(process::CrawlProcess& process, StatusHttp& http,
                       HostsFileReader& hosts_file) {
  hosts_file.Turn();
  node::NodeStats stats = process.node().stats();
  http.Turn(process, stats);
  return stats;
}

// To whoever pressed Ctrl-C, or reads the log of a service.
void TellOfStopping(const node::NodeStats& stats, absl::Duration patience) {
  if (stats.in_progress == 0) {
    base::LogInfo("stopping: saving; a second signal (Ctrl-C) ends it at once, nothing is lost");
    return;
  }
  base::LogInfo(
      "stopping: waiting for the fetches under way ({}), at most {}; a second signal (Ctrl-C) ends "
      "it at once, nothing is lost",
      stats.in_progress, HumanTime(patience));
}

namespace {

// Until the crawl is finished, a signal, or a stop over RPC. True: it was not finished.
bool Watch(process::CrawlProcess& process, const process::ProcessOptions& options,
           const RunOptions& run, StatusHttp& http, HostsFileReader& hosts_file) {
  ProgressLine progress({options.crawl.bytes_max, options.crawl.time_max}, run.quiet);
  while (true) {
    if (process::SignalCaught() || process.stop_requested()) return true;
    if (process::ReopenLogWhenAsked()) hosts_file.Ask();
    const node::NodeStats stats = LookAt(process, http, hosts_file);
    progress.Show(stats);
    const bool for_ever = options.crawl.refresh.on() && !stats.loop.limit_reached;
    const bool finished = stats.loop.phase == node::Phase::kFinished;
    if (finished && !run.stay && !for_ever) return false;
    const bool correcting = stats.loop.phase == node::Phase::kCorrecting;
    process::AwaitSignal(correcting ? kEndPoll : finished ? kRestingPoll : kPoll);
  }
}

// Not at a limit of this run alone.
bool AtSetLimit(const node::NodeStats& stats, const node::CrawlOptions& crawl,
                std::optional<uint64_t> pages_set) {
  const bool bytes =
      crawl.bytes_max > 0 && stats.counters[desk::Counter::kWireBytes] >= crawl.bytes_max;
  return stats.loop.limit_reached && pages_set.value_or(0) > 0 && !bytes &&
         stats.uptime < crawl.time_max;
}

}  // namespace

RunResult RunToTheEnd(process::CrawlProcess& process, const process::ProcessOptions& options,
                      const RunOptions& run, StatusHttp& http) {
  RunResult result;
  if (!run.quiet) TellStarted(process);
  HostsFileReader hosts_file(process.node(), options.crawl);
  result.interrupted = Watch(process, options, run, http, hosts_file);
  result.told_to = result.interrupted && !process::SignalCaught();
  http.Stopping();
  const absl::Duration patience = options.crawl.stop_patience;
  if (result.interrupted && !run.quiet) TellOfStopping(process.node().stats(), patience);
  process.Drain(patience);
  if (run.before_stop && !result.interrupted) run.before_stop();
  if (!result.interrupted)
    result.top = process.node().operations().Top({std::max<size_t>(run.top, kExamples)});
  if (const auto now = process.node().operations().control().WhatIsInForce(); now.ok())
    result.pages_set = now->limits_set.pages;
  const absl::Duration scheduler_cpu = process.scheduler_cpu();
  result.stats = process.node().stats();
  result.stats.loop.requests_per_s.reset();  // it is over
  result.at_set_limit = AtSetLimit(result.stats, options.crawl, result.pages_set);
  result.status = process.Stop();
  if (result.status.ok() && !run.quiet) base::LogInfo("stopped; everything is saved");
  result.summary = Summary(result.stats, scheduler_cpu);
  if (!result.interrupted && result.top.ok())
    result.nothing_fetched = WhyNothingWasFetched(result.stats, result.top->pages);
  return result;
}

}  // namespace opic::cli
