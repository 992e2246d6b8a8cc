#include "cli/crawl_run.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/progress.h"
#include "process/signals.h"
#include "url/url.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(50);

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  }
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

// Whether every address of the host is loopback. A host that does not resolve is not.
bool ResolvesToLoopback(std::string host) {
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  absl::Cleanup free_found = [found] { freeaddrinfo(found); };
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    if (!IsLoopback(at->ai_addr)) return false;
  }
  return found != nullptr;
}

absl::Status RequireContact(const CrawlFlags& flags, node::CrawlOptions& options) {
  if (!flags.contact.empty()) return absl::OkStatus();
  options.fetch.loopback_only = true;
  if (!flags.connect_to.empty() || !flags.proxy.empty()) return absl::OkStatus();
  for (const std::string& seed : options.seeds) {
    const std::optional<url::Url> url = url::Parse(seed);
    if (url && !ResolvesToLoopback(std::string(url->host()))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--contact is required to crawl ", std::string(url->host()),
          ": an e-mail address or a URL by which the owners of the crawled servers can reach you"));
    }
  }
  return absl::OkStatus();
}

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
  app.add_option("--scheduler", run.scheduler,
                 "HOST:PORT of an opic-scheduler; without it the scheduler runs in this process");
  app.add_option("--log-file", run.log_file,
                 "write the log to this file instead of standard error");
  app.add_option("--stop-timeout", run.stop_timeout,
                 "how long to wait for the fetches under way when stopping (default 30s)");
  app.add_flag("--stay", run.stay, "keep answering questions when the crawl is finished");
  app.add_flag("--quiet", run.quiet, "show no progress and no summary");
}

void AddHoldFlag(CLI::App& app, bool& hold) {
  app.add_flag(
      "--hold-refused", hold,
      "when the data folder is refused (exit codes 3, 4, 5), log why and wait to be stopped");
}

absl::StatusOr<process::ProcessOptions> ProcessOptionsOf(const CrawlFlags& flags,
                                                         const RunOptions& run) {
  process::ProcessOptions options;
  options.data = flags.data;
  options.listen = run.listen;
  options.listen_questions = run.listen_questions;
  options.listen_control = run.listen_control;
  options.scheduler = run.scheduler;
  ASSIGN_OR_RETURN(options.crawl, flags.NodeOptions());
  ASSIGN_OR_RETURN(options.scheduling, flags.SchedulerOptions());
  RETURN_IF_ERROR(ParseDuration(run.stop_timeout, "stop-timeout").status());
  RETURN_IF_ERROR(RequireContact(flags, options.crawl));
  RETURN_IF_ERROR(run.membership.ApplyTo(flags, options));
  return options;
}

RunResult RunToTheEnd(process::CrawlProcess& process, const process::ProcessOptions& options,
                      const RunOptions& run) {
  RunResult result;
  const ledger::RecoveryReport& recovery = process.node().stats().recovery;
  base::LogInfo("answering on {}; {} pages known, {} journal records replayed in {}",
                process.address(), recovery.pages, recovery.records_replayed,
                absl::FormatDuration(process.node().stats().recovery_time));
  {
    ProgressLine progress(
        {options.crawl.pages_max, options.crawl.bytes_max, options.crawl.time_max}, run.quiet);
    while (true) {
      result.interrupted = process::SignalCaught() || process.stop_requested();
      const node::NodeStats stats = process.node().stats();
      progress.Show(stats, process.scheduler_status());
      if (result.interrupted || (stats.loop.phase == node::Phase::kFinished && !run.stay)) break;
      absl::SleepFor(kPoll);
    }
  }
  if (result.interrupted && !run.quiet)
    base::LogInfo("stopping: waiting for the fetches under way");
  process.Drain(ParseDuration(run.stop_timeout, "stop-timeout").value_or(absl::Seconds(30)));
  if (run.before_stop && !result.interrupted) run.before_stop();
  if (run.top > 0 && !result.interrupted) result.top = process.node().Top(run.top);
  const absl::Duration scheduler_cpu = process.scheduler_cpu();
  result.stats = process.node().stats();
  result.status = process.Stop();
  result.summary = Summary(result.stats, scheduler_cpu);
  return result;
}

}  // namespace opic::cli
