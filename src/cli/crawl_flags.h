// The flags of everything that crawls: `opic crawl`, `opic demo` and `opic-node` share them.
//
// Thread safety: confined to one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/budget_flags.h"
#include "cli/fetch_flags.h"
#include "cli/fetch_log_flags.h"
#include "cli/focus_flags.h"
#include "cli/link_flags.h"
#include "cli/quantity.h"
#include "cli/refresh_flags.h"
#include "cli/settle_flags.h"
#include "node/crawl_options.h"
#include "scheduler/scheduler.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct CrawlFlags {
  std::vector<std::string> seeds;
  std::string seed_file;
  bool strict = false;  // a junk line of the file is an error
  std::string data = "opic-data";
  std::string scope, traps;
  std::vector<std::string> include, exclude;
  bool strip_tracking = false;
  std::optional<uint32_t> depth;
  uint64_t pages = 0;
  std::string bytes, time;
  BudgetFlags budgets;
  std::string delay = "1s", address_delay = "0s";
  double rate = 0;
  int in_flight = 256, per_host = 1, per_address = 16, workers = 1;
  std::string strategy = "sweep";
  std::string contact, agent = "opic";
  bool allow_private = false, again = false, forget_links = false;
  FocusFlags focus;
  RefreshFlags refresh;
  SettleFlags settle;
  FetchFlags fetch;
  FetchLogFlags fetch_log;
  LinkFlags links;
  // The charter. What is not given is as the folder has it, or the default of a new crawl.
  std::optional<std::string> importance, window, h_url;
  std::optional<double> window_supplies, epsilon;
  std::optional<uint32_t> window_measures, shards;
  std::string memory;
  std::string disk_free_min;
  int attempts = 3;
  std::string canonical = "site";
  std::string duplicates = "merge", near_duplicates;

  // Adds all flags; positional seeds only where `with_seeds`.
  void AddTo(CLI::App& app, bool with_seeds);
  void AddScopeTo(CLI::App& app);  // a part of them
  // Seeds of the arguments and of the file (cli/seed_file.h), which is read anew each time.
  absl::StatusOr<std::vector<std::string>> AllSeeds() const;
  // What the flags say of the scope; what they do not say stays. A single empty pattern stands for
  // no patterns.
  absl::StatusOr<node::ScopeChange> Scope() const;
  // InvalidArgument names the flag.
  absl::StatusOr<node::CrawlOptions> NodeOptions() const;
  absl::StatusOr<scheduler::Options> SchedulerOptions() const;
};

// The flags of a Page Scheduler alone (`opic-scheduler`), a part of the above.
void AddSchedulerFlags(CLI::App& app, CrawlFlags& flags);

}  // namespace opic::cli
