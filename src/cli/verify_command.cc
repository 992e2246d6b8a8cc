// opic verify: everything in data folders at rest, read and held against each other.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "cli/progress.h"
#include "node/verification.h"
#include "process/scheduler_store.h"
#include "scheduler/store_check.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

struct VerifyFlags {
  std::vector<std::string> data = {"opic-data"};
  bool json = false, quiet = false;
};

// One line that is rewritten, on a terminal.
class Bar {
 public:
  explicit Bar(bool shown) : shown_(shown && isatty(STDERR_FILENO) != 0) {}
  ~Bar() { Clear(); }
  void Show(const std::string& folder, std::string_view what, uint64_t done, uint64_t all) {
    if (!shown_) return;
    const uint64_t percent = all == 0 ? 100 : std::min<uint64_t>(100, done * 100 / all);
    const std::string bar(percent / 4, '#');
    fmt::print(stderr, "\r\033[K{}: {:<16} [{:<25}] {:3} %", folder, what, bar, percent);
    std::fflush(stderr);
  }
  void Clear() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  const bool shown_;
};

// A folder and what was found in it.
struct Verified {
  std::string path;
  std::unique_ptr<node::DataFolder> folder;
  std::optional<node::Verification> crawl;  // none: a scheduler's folder
  std::optional<uint64_t> hosts;            // of the scheduler; none: it has no store here
  node::Findings findings;                  // with the scheduler's
};

absl::Status VerifyScheduler(Verified& verified) {
  const std::string folder = verified.folder->scheduler();
  store::RocksOptions rocks = process::SchedulerStoreOptions();
  rocks.read_only = true;
  rocks.check_bytes_max = UINT64_MAX;
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::OpenRocksStore(folder, rocks);
  if (absl::IsNotFound(store.status())) return absl::OkStatus();
  absl::Status status = store.status();
  if (status.ok()) status = scheduler::CheckStore(**store);
  if (absl::IsDataLoss(status)) {
    verified.findings.Add("the scheduler: " + std::string(status.message()));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(base::WithContext(status, "the scheduler's store"));
  verified.hosts = 0;
  for (const std::string& problem : scheduler::CheckHosts(**store, &*verified.hosts)) {
    verified.findings.Add("the scheduler: " + problem);
  }
  return absl::OkStatus();
}

absl::StatusOr<Verified> VerifyFolder(const std::string& path, Bar& bar) {
  Verified verified{.path = path};
  ASSIGN_OR_RETURN(verified.folder, node::DataFolder::Look(path));
  absl::StatusOr<node::Verification> node = node::Verification::Of(
      *verified.folder,
      [&](std::string_view what, uint64_t done, uint64_t all) { bar.Show(path, what, done, all); });
  if (node.ok()) {
    verified.findings = node->findings();
    verified.crawl = *std::move(node);
  } else if (!absl::IsNotFound(node.status())) {
    return node.status();
  }
  RETURN_IF_ERROR(VerifyScheduler(verified));
  if (!verified.crawl && !verified.hosts && verified.findings.problem_count == 0) {
    return absl::NotFoundError("there is no crawl in data folder " + path);
  }
  return verified;
}

// Both ends of every channel between two of the folders; how many pairs there are.
uint64_t VerifyChannels(const std::vector<Verified>& folders, std::vector<std::string>& problems) {
  uint64_t pairs = 0;
  for (size_t i = 0; i < folders.size(); ++i) {
    for (size_t j = i + 1; j < folders.size(); ++j) {
      const ledger::Ledger* one = folders[i].crawl ? folders[i].crawl->ledger() : nullptr;
      const ledger::Ledger* other = folders[j].crawl ? folders[j].crawl->ledger() : nullptr;
      if (one == nullptr || other == nullptr) continue;
      ++pairs;
      for (std::string& problem : node::CheckChannels(*one, *other)) {
        problems.push_back(std::move(problem));
      }
    }
  }
  return pairs;
}

Json FolderJson(const Verified& verified) {
  const node::Findings& found = verified.findings;
  Json json = {{"folder", verified.path},
               {"file_bytes", found.file_bytes},
               {"pages", found.pages},
               {"visited", found.visited},
               {"links", found.links},
               {"links_elsewhere", found.links_elsewhere},
               {"journal_records", found.journal_records},
               {"checkpoints", found.checkpoints},
               {"robots", found.robots},
               {"peers", found.peers},
               {"sealed_batches", found.sealed_batches},
               {"hosts", nullptr},
               {"problem_count", found.problem_count},
               {"problems", found.problems}};
  if (verified.hosts) json["hosts"] = *verified.hosts;
  return json;
}

void PrintFolder(const Verified& verified) {
  const node::Findings& found = verified.findings;
  fmt::print("{}: {}\n", verified.path,
             found.problem_count == 0
                 ? "sound"
                 : "DAMAGED, " + base::Counted(found.problem_count, "problem"));
  fmt::print("  pages      {}, {} visited, {} ({} to other nodes)\n", found.pages, found.visited,
             base::Counted(found.links, "link"), found.links_elsewhere);
  fmt::print("  store      {} in table files, {} replayed, {}\n", HumanBytes(found.file_bytes),
             base::Counted(found.journal_records, "journal record"),
             base::Counted(found.checkpoints, "checkpoint"));
  fmt::print("  beside     {}, {}, {}, {}\n", base::Counted(found.robots, "robots.txt verdict"),
             base::Counted(found.peers, "peer"),
             base::Counted(found.sealed_batches, "sealed batch", "sealed batches"),
             verified.hosts
                 ? base::Counted(*verified.hosts, "host with a pace", "hosts with a pace")
                 : "no scheduler here");
  for (const std::string& problem : found.problems) fmt::print("  PROBLEM    {}\n", problem);
}

absl::StatusOr<int> RunVerify(const VerifyFlags& flags) {
  std::vector<Verified> folders;
  {
    Bar bar(!flags.json && !flags.quiet);
    for (const std::string& path : flags.data) {
      ASSIGN_OR_RETURN(Verified verified, VerifyFolder(path, bar));
      folders.push_back(std::move(verified));
    }
  }
  std::vector<std::string> between;
  const uint64_t pairs = VerifyChannels(folders, between);
  bool sound = between.empty();
  for (const Verified& verified : folders) sound = sound && verified.findings.problem_count == 0;
  if (flags.json) {
    Json json = {{"sound", sound}, {"folders", Json::array()}, {"pairs", pairs}};
    for (const Verified& verified : folders) json["folders"].push_back(FolderJson(verified));
    json["problems_between"] = between;
    PrintJson(json);
    return sound ? kOk : kDamaged;
  }
  for (const Verified& verified : folders) PrintFolder(verified);
  if (folders.size() > 1) fmt::print("channels of {} pairs of nodes\n", pairs);
  for (const std::string& problem : between) fmt::print("PROBLEM  {}\n", problem);
  return sound ? kOk : kDamaged;
}

}  // namespace

Command AddVerify(CLI::App& opic) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* app = opic.add_subcommand(
      "verify",
      "read and check everything in data folders at rest; exit code 4 when anything is damaged");
  app->add_option(
      "--data", flags->data,
      "data folder (default opic-data); with several of a cluster, their channels are checked too");
  app->add_flag("--json", flags->json, "print JSON");
  app->add_flag("--quiet", flags->quiet, "show no progress");
  return {app, [flags]() -> int {
            const absl::StatusOr<int> code = RunVerify(*flags);
            return code.ok() ? *code : PrintError(code.status());
          }};
}

}  // namespace opic::cli
