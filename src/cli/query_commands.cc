// opic top, importance, status, audit, explain, control: questions to a node or to a data folder at
// rest.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "cli/cluster_listing.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/exit_code.h"
#include "cli/page_listing.h"
#include "cli/progress.h"
#include "cli/status_json.h"
#include "cli/target.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

void PrintJson(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// Runs `ask` on the target that the flags name; its status becomes the exit code.
template <typename Flags>
int Ask(const Flags& flags, const std::function<absl::StatusOr<int>(Target&)>& ask) {
  absl::StatusOr<Target> target = Target::Find(flags);
  if (!target.ok()) return PrintError(target.status());
  const absl::StatusOr<int> code = ask(*target);
  return code.ok() ? *code : PrintError(code.status());
}

struct TopFlags : TargetFlags {
  uint32_t count = 10;
};

absl::StatusOr<int> RunTop(const TopFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::Answers::TopPages top, target.answers().Top(flags.count));
  if (!flags.json) {
    PrintPages(top.pages, stdout);
    if (top.method == importance::Method::kPush) {
      fmt::print("{} pages known; {}\n", top.known,
                 top.error_bound < 2 ? fmt::format("error at most {:.2g} %", 100 * top.error_bound)
                                     : "nothing can be said of the error yet (see `opic status`)");
    } else {
      fmt::print("{} pages known; clock {:.2f} supplies; error factor 1/G {:.3g}\n", top.known,
                 top.clock, top.error_bound);
    }
    return PrintMissing(top.missing) ? kPartial : kOk;
  }
  Json json = {{"known", top.known},
               {"importance", importance::Name(top.method)},
               {"clock_supplies", top.clock},
               {"error_bound", top.error_bound}};
  if (!top.missing.empty()) json["missing_nodes"] = top.missing;
  json["pages"] = Json::array();
  for (const node::PageImportance& page : top.pages)
    json["pages"].push_back(Json::parse(PageJson(page)));
  PrintJson(json);
  return top.missing.empty() ? kOk : kPartial;
}

struct ImportanceFlags : TargetFlags {
  std::vector<std::string> urls;
};

absl::StatusOr<int> RunImportance(const ImportanceFlags& flags, Target& target) {
  std::vector<std::string> urls = flags.urls;
  if (urls == std::vector<std::string>{"-"}) {
    urls.clear();
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty()) urls.push_back(line);
    }
  }
  bool all_known = true;
  std::set<std::string> missing;
  std::vector<node::PageImportance> pages;
  constexpr size_t kBatch = 5'000;
  for (size_t i = 0; i < urls.size(); i += kBatch) {
    const std::vector<std::string> batch(
        urls.begin() + static_cast<ptrdiff_t>(i),
        urls.begin() + static_cast<ptrdiff_t>(std::min(urls.size(), i + kBatch)));
    ASSIGN_OR_RETURN(std::vector<node::PageImportance> answered,
                     target.answers().Importance(batch));
    for (node::PageImportance& page : answered) {
      all_known = all_known && page.known;
      if (!page.unanswered_by.empty()) missing.insert(page.unanswered_by);
      if (flags.json) fmt::print("{}\n", PageJson(page));
      pages.push_back(std::move(page));
    }
  }
  if (!flags.json) {
    PrintPages(pages, stdout);
    PrintMissing({missing.begin(), missing.end()});
  }
  if (!missing.empty()) return kPartial;
  return all_known ? kOk : kNotFound;
}

absl::StatusOr<int> RunStatus(const TargetFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::NodeStats stats, target.answers().Stats());
  std::optional<scheduler::SchedulerStatus> scheduler;
  if (target.client() != nullptr && stats.nodes.empty()) {
    // A scheduler in a process of its own answers elsewhere.
    if (absl::StatusOr<scheduler::SchedulerStatus> asked = target.client()->SchedulerStatus();
        asked.ok())
      scheduler = *asked;
  }
  if (flags.json) {
    Json json = StatusJson(stats);
    json["running"] = target.client() != nullptr;
    for (const node::NodeStats& node : stats.nodes) {
      json["nodes"].push_back(StatusJson(node));
      json["nodes"].back()["node"] = node.name;
    }
    if (!stats.nodes.empty()) json["missing_nodes"] = stats.missing;
    if (scheduler) {
      json["scheduler"] = {
          {"queued", scheduler->queued},           {"queued_on_disk", scheduler->queued_on_disk},
          {"in_flight", scheduler->in_flight},     {"hosts", scheduler->hosts},
          {"hosts_ready", scheduler->hosts_ready}, {"hosts_given_up", scheduler->hosts_given_up},
          {"orders", scheduler->orders},           {"idle_reason", scheduler->idle_reason}};
    }
    PrintJson(json);
    return stats.missing.empty() ? kOk : kPartial;
  }
  fmt::print("{}, {}\n{}", target.client() != nullptr ? "running" : "at rest",
             std::string(node::Name(stats.loop.phase)), Summary(stats, absl::ZeroDuration()));
  if (scheduler) {
    fmt::print("scheduler  {} queued ({} on disk), {} in flight, {} hosts, {} given up{}{}\n",
               scheduler->queued, scheduler->queued_on_disk, scheduler->in_flight, scheduler->hosts,
               scheduler->hosts_given_up,
               scheduler->idle_reason.empty() ? "" : "; idle: ", scheduler->idle_reason);
  }
  PrintNodes(stats);
  if (stats.nodes.empty()) PrintChannels(stats.loop);
  return PrintMissing(stats.missing) ? kPartial : kOk;
}

absl::StatusOr<int> RunAudit(const TargetFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::Audit audit, target.answers().TakeAudit());
  const bool at_rest = target.client() == nullptr;
  if (flags.json) {
    Json json = AuditJson(audit);
    if (at_rest) json["counted"] = "cells";
    PrintJson(json);
  } else {
    PrintAudit(audit);
    if (at_rest) fmt::print("Counted: every cell. `opic verify` reads the rows as well.\n");
  }
  return ExitCodeOf(audit);
}

struct ExplainFlags : TargetFlags {
  std::string url;
  std::string scheduler;
};

// The scheduler inside the node answers at the node's address, one beside it at its own; then the
// node has no such service.
absl::Status NameTheScheduler(const absl::Status& status, std::string_view flag) {
  if (!absl::IsUnimplemented(status)) return status;
  return absl::UnavailableError(absl::StrCat(
      "the scheduler of this node is an opic-scheduler of its own: give its address with ",
      std::string(flag), " HOST:PORT"));
}

absl::StatusOr<scheduler::HostExplanation> ExplainHost(const ExplainFlags& flags, Target& target,
                                                       const url::Url& page) {
  const std::string host(page.host());
  if (!flags.scheduler.empty()) {
    ASSIGN_OR_RETURN(const absl::Duration patience, ParseDuration(flags.patience, "patience"));
    absl::StatusOr<scheduler::HostExplanation> answer =
        rpc::NodeClient::To(flags.scheduler, patience)->ExplainHost(host);
    if (answer.ok()) return answer;
    return base::WithContext(answer.status(), "asking the scheduler at " + flags.scheduler);
  }
  absl::StatusOr<scheduler::HostExplanation> answer = target.OwnerOf(page)->ExplainHost(host);
  if (answer.ok()) return answer;
  return NameTheScheduler(answer.status(), "--scheduler");
}

absl::StatusOr<int> RunExplain(const ExplainFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages,
                   target.answers().Importance({flags.url}));
  const node::PageImportance& page = pages.front();
  if (!page.known) {
    fmt::print("{} is not known: no link to it was found.\n", page.url);
    return kNotFound;
  }
  if (page.state != "unread") {
    fmt::print("{} was visited: {}, HTTP status {}, fetched {} times.\n", page.url, page.state,
               page.http_status, page.fetches);
    return kOk;
  }
  if (target.client() == nullptr) {
    fmt::print("{} is unread. No process uses this data folder, so nothing is fetched.\n",
               page.url);
    return kOk;
  }
  const std::optional<url::Url> url = url::Parse(page.url);
  ASSIGN_OR_RETURN(const scheduler::HostExplanation host, ExplainHost(flags, target, *url));
  fmt::print("{} is unread, with {} units of cash. Its host: {}\n", page.url, page.cash.units(),
             host.reason);
  return kOk;
}

struct ControlFlags : TargetFlags {
  ControlFlags() { steers = true; }
  std::string action;
  std::vector<std::string> seeds;
  double rate = -1;
  std::string delay;
};

absl::Status Steer(const ControlFlags& flags, rpc::NodeClient& node, bool in_cluster) {
  if (flags.action == "pause" || flags.action == "resume")
    return node.Pause(flags.action == "pause");
  if (flags.action == "stop") return node.StopNode();
  if (flags.action == "seed")
    return in_cluster ? node.BeginCrawl({.seeds = flags.seeds}) : node.AddSeeds(flags.seeds);
  if (flags.action == "budget") {
    absl::Duration delay = -absl::Seconds(1);
    if (!flags.delay.empty()) {
      ASSIGN_OR_RETURN(delay, ParseDuration(flags.delay, "delay"));
    }
    return NameTheScheduler(node.SetBudget(flags.rate, delay), "--node");
  }
  return absl::InvalidArgumentError(
      "\"" + flags.action +
      "\" is not an action; it must be one of pause, resume, stop, seed, budget");
}

// Every node of a cluster is told, also when one before it does not answer.
absl::StatusOr<int> RunControl(const ControlFlags& flags, Target& target) {
  if (target.client() == nullptr)
    return absl::UnavailableError(
        "no node uses this data folder; start one, or give --node HOST:PORT");
  if (target.nodes().empty() || !flags.node.empty()) {
    RETURN_IF_ERROR(Steer(flags, *target.client(), !target.nodes().empty()));
    return kOk;
  }
  absl::Status first;
  for (const cluster::MemberNode& node : target.map().nodes()) {
    const absl::Status told = base::WithContext(
        Steer(flags, *target.nodes()[node.id.value], /*in_cluster=*/true), "node " + node.name);
    if (!told.ok()) fmt::print(stderr, "{}\n", std::string(told.message()));
    first.Update(told);
  }
  RETURN_IF_ERROR(first);
  return kOk;
}

template <typename Flags>
Command Add(CLI::App& opic, const char* name, const char* description,
            absl::StatusOr<int> (*run)(const Flags&, Target&),
            const std::function<void(CLI::App&, Flags&)>& more) {
  auto flags = std::make_shared<Flags>();
  CLI::App* app = opic.add_subcommand(name, description);
  flags->AddTo(*app);
  if (more) more(*app, *flags);
  return {app, [flags, run] {
            return Ask(*flags, [&](Target& target) { return run(*flags, target); });
          }};
}

}  // namespace

Command AddTop(CLI::App& opic) {
  return Add<TopFlags>(opic, "top", "show the most important pages", RunTop,
                       [](CLI::App& app, TopFlags& flags) {
                         app.add_option("--count,-n", flags.count, "how many (default 10)")
                             ->check(CLI::Range(1, 100'000));
                       });
}

Command AddImportance(CLI::App& opic) {
  return Add<ImportanceFlags>(
      opic, "importance", "show the importance of URLs; exit code 5 when one is not known",
      RunImportance, [](CLI::App& app, ImportanceFlags& flags) {
        app.add_option("urls", flags.urls, "URLs, or - to read them from standard input")
            ->required();
      });
}

Command AddStatus(CLI::App& opic) {
  return Add<TargetFlags>(opic, "status", "show what a crawl is doing and has done", RunStatus,
                          nullptr);
}

Command AddAudit(CLI::App& opic) {
  return Add<TargetFlags>(opic, "audit",
                          "check that the cash adds up, to the unit; counts cells and reads no "
                          "rows (see verify); exit code 1 if it does not",
                          RunAudit, nullptr);
}

Command AddExplain(CLI::App& opic) {
  return Add<ExplainFlags>(opic, "explain", "say why a URL is not fetched yet, and when it will be",
                           RunExplain, [](CLI::App& app, ExplainFlags& flags) {
                             app.add_option("url", flags.url, "the URL")->required();
                             app.add_option(
                                 "--scheduler", flags.scheduler,
                                 "HOST:PORT of the node's opic-scheduler, if it has one");
                           });
}

Command AddControl(CLI::App& opic) {
  return Add<ControlFlags>(
      opic, "control", "control a running node: pause, resume, stop, seed, budget", RunControl,
      [](CLI::App& app, ControlFlags& flags) {
        app.add_option("action", flags.action, "pause, resume, stop, seed or budget")->required();
        app.add_option("seeds", flags.seeds, "for seed: URLs");
        app.add_option("--rate", flags.rate, "for budget: pages a second, 0 for no limit");
        app.add_option("--delay", flags.delay, "for budget: pause between fetches of a host");
      });
}

}  // namespace opic::cli
