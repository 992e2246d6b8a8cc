// --http: metrics and health of a program that runs, for monitoring systems and probes
// (src/http_status).
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "http/server.h"
#include "http_status/board.h"
#include "process/crawl_process.h"
#include "rpc/scheduler_service.h"

namespace CLI {
class App;
}

namespace opic::cli {

void AddHttpFlag(CLI::App& app, std::string& http);
// InvalidArgument: not an address, and not empty.
absl::Status CheckHttp(const std::string& http);

// How long the ledger's thread has not turned, by the processor time that each turn takes.
class LedgerWatch {
 public:
  absl::Duration Silence(absl::Duration cpu, absl::Time now);

 private:
  absl::Duration cpu_ = -absl::InfiniteDuration();
  absl::Time grown_;
};

class StatusHttp {
 public:
  // Listens where `http` says, and logs where that is; empty: nowhere, and all below does nothing.
  // Begins before the program does its work, so that a long start can be told from a dead program.
  static absl::StatusOr<std::unique_ptr<StatusHttp>> Start(const std::string& http);

  // To be called in each turn of the main loop.
  void Turn(const process::CrawlProcess& process, const node::NodeStats& stats);
  void Turn(const rpc::SchedulerService& scheduler);
  // The program could not start, and may wait to be stopped.
  void Refused(const absl::Status& why);
  void Stopping();

 private:
  StatusHttp() = default;

  LedgerWatch ledger_;
  http_status::Board board_{base::RealClock::Get()};
  std::unique_ptr<http::Server> server_;  // null: nobody can ask. It uses the board
};

}  // namespace opic::cli
