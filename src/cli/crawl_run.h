// Running a crawl process from start to end, with progress on the way: what `opic crawl`, `opic
// demo` and `opic-node` have in common.
//
// Thread safety: confined to the program's main thread, but for TellOfStopping.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/crawl_flags.h"
#include "cli/hosts_file_reader.h"
#include "cli/log_flags.h"
#include "cli/membership_flags.h"
#include "cli/status_http.h"
#include "process/crawl_process.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct RunOptions {
  std::string listen = "127.0.0.1:0";
  std::string listen_questions, listen_control;  // empty: at `listen`
  std::string http_questions;                    // address of questions as JSON; empty: none
  std::string scheduler;
  std::string http;  // address of metrics and health; empty: none
  LogFlags log;
  std::string stop_timeout = "30s";
  bool quiet = false;
  bool json = false;          // how it has ended is printed as JSON (AddEndJsonFlag)
  bool stay = false;          // go on answering when the crawl is finished
  bool hold_refused = false;  // Refused
  uint32_t top = 10;          // pages to ask for at the end
  MembershipFlags membership;
  std::function<void()>
      before_stop;  // called when the crawl is over and the node still answers; not after a signal
};
void AddRunFlags(CLI::App& app, RunOptions& run);
// Adds --stay and --quiet, which commands have that may end by themselves: a service stays, and its
// log has --log-level.
void AddEndFlags(CLI::App& app, RunOptions& run);
// Adds --json, which commands have that work until a crawl has ended.
void AddEndJsonFlag(CLI::App& app, RunOptions& run);
// Adds --no-reflection, which programs with services for others have.
void AddReflectionFlag(CLI::App& app);
// Adds --hold-refused, which services have.
void AddHoldFlag(CLI::App& app, bool& hold);

// Everything checked that can be before a process starts. A crawl without --contact is confined to
// loopback: InvalidArgument when a seed's host lies elsewhere.
absl::StatusOr<process::ProcessOptions> ProcessOptionsOf(const CrawlFlags& flags,
                                                         const RunOptions& run);

// Before the process is started: catches signals, starts the log, and warns in it of files with
// secrets that others may read.
absl::Status BeginRun(const CrawlFlags& flags, const RunOptions& run);

struct RunResult {
  absl::Status status;
  bool interrupted = false;           // before its end: by a signal, or by an operator
  bool told_to = false;               // by an operator alone (`opic control stop`)
  std::optional<uint64_t> pages_set;  // the limit of pages, if an operator has set it
  bool at_set_limit = false;          // which ended it
  std::string summary;
  std::string nothing_fetched;  // why; empty: something was (WhyNothingWasFetched)
  node::NodeStats stats;
  absl::StatusOr<node::Answers::TopPages> top = absl::NotFoundError("not asked");
};
nlohmann::ordered_json EndJson(const RunResult& result);
// The turns of such a run, for who watches several processes: says in the log that it answers;
// looks at it, and begins to read its hosts file again where that was asked for; says that it
// stops.
void TellStarted(process::CrawlProcess& process);
node::NodeStats LookAt(process::CrawlProcess& process, StatusHttp& http,
                       HostsFileReader& hosts_file);
void TellOfStopping(const node::NodeStats& stats, absl::Duration patience);

// Until the crawl is finished, a signal, or a stop over RPC; then drains, asks for the top pages,
// stops and saves. `http` hears of each turn.
RunResult RunToTheEnd(process::CrawlProcess& process, const process::ProcessOptions& options,
                      const RunOptions& run, StatusHttp& http);

}  // namespace opic::cli
