#include "cli/status_http.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/attention.h"
#include "cli/human.h"
#include "gateway/gateway.h"
#include "http_status/pages.h"
#include "node/metrics_text.h"
#include "scheduler/metrics_text.h"

namespace opic::cli {

void AddHttpFlag(CLI::App& app, std::string& http) {
  app.add_option("--http", http,
                 "serve /metrics, /livez and /readyz over HTTP at ADDRESS:PORT, or at this port of "
                 "127.0.0.1; without authentication");
}

absl::Status CheckHttp(const std::string& http) {
  return http.empty() ? absl::OkStatus() : http::ParseAddress(http).status();
}

absl::Duration LedgerWatch::Silence(absl::Duration cpu, absl::Time now) {
  if (cpu != cpu_) {
    cpu_ = cpu;
    grown_ = now;
  }
  return now - grown_;
}

absl::StatusOr<std::unique_ptr<StatusHttp>> StatusHttp::Start(const std::string& http) {
  std::unique_ptr<StatusHttp> status(new StatusHttp());
  if (http.empty()) return status;
  ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(http));
  ASSIGN_OR_RETURN(
      status->server_,
      http::Server::Start(
          address, http::Server::AtOnce([board = &status->board_](const http::Request& request) {
            return http_status::AnswerTo(request, *board);
          }),
          base::RealClock::Get()));
  const http::Address& bound = status->server_->address();
  base::LogInfo("metrics and health at http://{}/metrics, /livez, /readyz", bound.ToText());
  if (!bound.IsLoopback()) {
    base::LogWarning("everybody who reaches {} may read them: there is no authentication",
                     bound.ToText());
  }
  return status;
}

void StatusHttp::Turn(const process::CrawlProcess& process, const node::NodeStats& stats) {
  if (!server_ || !board_.Beat()) return;
  http_status::StatusReport report{.metrics = node::MetricsText(stats)};
  if (const std::optional<scheduler::SchedulerStatus> inside = process.scheduler_status())
    report.metrics += scheduler::MetricsText(*inside, process.scheduler_cpu());
  if (process.gateway() != nullptr) report.metrics += process.gateway()->Metrics();
  for (Obstacle& obstacle : Obstacles(stats, absl::Now()))
    report.not_ready.push_back({std::move(obstacle.code), std::move(obstacle.sentence)});
  const absl::Duration silence = ledger_.Silence(stats.loop.cpu, base::RealClock::Get().Steady());
  if (silence > http_status::Board::kSilenceMax) {
    report.not_ready.push_back(
        {"ledger_silent", absl::StrCat("its ledger thread has not responded for ",
                                       HumanTime(silence), "; is its disk too slow? See its log")});
  }
  board_.Tell(std::move(report));
}

void StatusHttp::Turn(const rpc::SchedulerService& scheduler) {
  if (!server_ || !board_.Beat()) return;
  board_.Tell({.metrics = scheduler::MetricsText(scheduler.status(), scheduler.cpu())});
}

void StatusHttp::Refused(const absl::Status& why) {
  board_.Rest({"refused", absl::StrCat("it could not start: ", std::string(why.message()))});
}

void StatusHttp::Stopping() { board_.Rest({"stopping", "it is stopping"}); }

}  // namespace opic::cli
