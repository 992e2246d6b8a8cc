// opic top, importance, status, audit: questions to a node or to a data folder at
// rest.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/counted.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/attention.h"
#include "cli/cluster_listing.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_summary.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "cli/page_listing.h"
#include "cli/question.h"
#include "cli/status_json.h"
#include "node/typed_url.h"
#include "rpc/limits.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TopFlags : TargetFlags {
  uint32_t count = 10;
  node::PageFilter filter;
};

// "4643 pages known", "12 of 4643 pages known".
std::string KnownWords(const TopFlags& flags, const node::Answers::TopPages& top) {
  if (flags.filter.empty()) return base::Counted(top.known, "page") + " known";
  return fmt::format("{} of {} known", top.matching, base::Counted(top.known, "page"));
}

// An empty table alone would not tell a mistyped host from one that has no pages in that state.
void TellOfNoPages(const TopFlags& flags, const node::Answers::TopPages& top) {
  const node::PageFilter& filter = flags.filter;
  if (top.matching > 0 || !top.missing.empty() || filter.empty()) return;
  std::string site, kind;
  if (filter.names_site()) {
    site = absl::StrCat(" of ", filter.host.empty() ? "the domain " : "the host ",
                        base::Quoted(filter.host.empty() ? filter.domain : filter.host));
  }
  if (!filter.state.empty()) absl::StrAppend(&kind, " --state ", filter.state);
  if (!filter.category.empty()) absl::StrAppend(&kind, " --category ", filter.category);
  fmt::print(stderr, "opic: no page{} {}\n", site, kind.empty() ? "is known" : "matches" + kind);
}

absl::StatusOr<int> RunTop(const TopFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::Answers::TopPages top,
                   target.answers().Top({flags.count, flags.filter}));
  TellOfNoPages(flags, top);
  if (!flags.json) {
    PrintPages(top.pages, stdout);
    if (top.method == importance::Method::kPush) {
      fmt::print("{}; {}\n", KnownWords(flags, top),
                 top.error_bound < 2 ? ErrorAtMost(top.error_bound)
                                     : "nothing can be said of the error yet (see `opic status`)");
    } else {
      fmt::print("{}; clock {:.2f} supplies; error factor 1/G {:.3g}\n", KnownWords(flags, top),
                 top.clock, top.error_bound);
    }
    return PrintMissing(top.missing) ? kPartial : kOk;
  }
  Json json = {{"known", top.known},
               {"matching", top.matching},
               {"importance", importance::Name(top.method)},
               {"clock_supplies", top.clock},
               {"error_bound", top.error_bound}};
  if (!top.missing.empty()) json["missing_nodes"] = top.missing;
  json["pages"] = Json::array();
  for (const node::PageImportance& page : top.pages) json["pages"].push_back(PageJson(page));
  PrintJson(json);
  return top.missing.empty() ? kOk : kPartial;
}

struct ImportanceFlags : TargetFlags {
  std::vector<std::string> urls;
};

// True for what is no http(s) URL; the others are answered all the same.
bool SaysThatItIsNone(const std::string& typed) {
  const absl::Status status = node::TypedUrl(typed).status();
  if (!status.ok()) PrintUsage(std::string(status.message()));
  return !status.ok();
}

absl::StatusOr<int> RunImportance(const ImportanceFlags& flags, Target& target) {
  std::vector<std::string> urls = flags.urls;
  if (urls == std::vector<std::string>{"-"}) {
    urls.clear();
    for (std::string line; std::getline(std::cin, line);) {
      if (!line.empty()) urls.push_back(line);
    }
  }
  const size_t typed = urls.size();
  std::erase_if(urls, [](const std::string& url) { return SaysThatItIsNone(url); });
  bool all_known = true;
  std::set<std::string> missing;
  std::vector<node::PageImportance> pages;
  constexpr size_t kBatch = rpc::kBatchUrlsMax;
  for (size_t i = 0; i < urls.size(); i += kBatch) {
    const std::vector<std::string> batch(
        urls.begin() + static_cast<ptrdiff_t>(i),
        urls.begin() + static_cast<ptrdiff_t>(std::min(urls.size(), i + kBatch)));
    ASSIGN_OR_RETURN(std::vector<node::PageImportance> answered,
                     target.answers().Importance(batch));
    for (node::PageImportance& page : answered) {
      all_known = all_known && page.known;
      if (!page.unanswered_by.empty()) missing.insert(page.unanswered_by);
      if (flags.json) PrintJsonLine(PageJson(page));
      pages.push_back(std::move(page));
    }
  }
  if (!flags.json) {
    PrintPages(pages, stdout);
    PrintMissing({missing.begin(), missing.end()});
  }
  if (urls.size() < typed) return kUsage;
  if (!missing.empty()) return kPartial;
  return all_known ? kOk : kNotFound;
}

int StatusCode(const node::NodeStats& stats, const std::vector<std::string>& wrong) {
  if (!wrong.empty()) return kAttention;
  return stats.missing.empty() ? kOk : kPartial;
}

absl::StatusOr<int> RunStatus(const TargetFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::NodeStats stats, target.answers().Stats());
  const std::vector<std::string> wrong =
      target.client() != nullptr ? NeedsAttention(stats) : std::vector<std::string>();
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
    json["attention"] = wrong;
    if (scheduler) {
      json["scheduler"] = {
          {"queued", scheduler->queued},           {"queued_on_disk", scheduler->queued_on_disk},
          {"in_flight", scheduler->in_flight},     {"hosts", scheduler->hosts},
          {"hosts_ready", scheduler->hosts_ready}, {"hosts_given_up", scheduler->hosts_given_up},
          {"orders", scheduler->orders},           {"idle_reason", scheduler->idle_reason}};
    }
    PrintJson(json);
    return StatusCode(stats, wrong);
  }
  fmt::print("{}, {}{}\n{}", target.client() != nullptr ? "running" : "at rest", PhaseWords(stats),
             PausedWords(stats), Summary(stats, absl::ZeroDuration()));
  if (scheduler) {
    fmt::print("scheduler  {} queued ({} on disk), {} in flight, {} hosts, {} given up{}{}\n",
               scheduler->queued, scheduler->queued_on_disk, scheduler->in_flight, scheduler->hosts,
               scheduler->hosts_given_up,
               scheduler->idle_reason.empty() ? "" : "; idle: ", scheduler->idle_reason);
  }
  PrintNodes(stats);
  if (stats.nodes.empty()) PrintChannels(stats.loop);
  for (const std::string& sentence : wrong) fmt::print("attention  {}\n", sentence);
  PrintMissing(stats.missing);
  return StatusCode(stats, wrong);
}

// Exit code 1 says that the sums differ, and nothing else. While a channel is stopped its ends
// never fit together, however often one tries.
int NotTaken(const absl::Status& why, Target& target) {
  if (absl::IsAborted(why)) {
    if (const absl::StatusOr<node::NodeStats> stats = target.answers().Stats(); stats.ok()) {
      for (const std::string& sentence : NeedsAttention(*stats))
        fmt::print(stderr, "opic: {}\n", sentence);
      if (!NeedsAttention(*stats).empty()) {
        fmt::print(stderr, "opic: no audit can be taken until that is mended\n");
        return kAttention;
      }
    }
  }
  const int code = PrintError(why);
  return code == kFailed ? kUnreachable : code;
}

absl::StatusOr<int> RunAudit(const TargetFlags& flags, Target& target) {
  const absl::StatusOr<node::Audit> taken = target.answers().TakeAudit();
  if (!taken.ok()) return NotTaken(taken.status(), target);
  const node::Audit& audit = *taken;
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

}  // namespace

Command AddTop(CLI::App& opic) {
  return QuestionCommand<TopFlags>(
      opic, "top", "show the most important pages", RunTop, [](CLI::App& app, TopFlags& flags) {
        app.add_option("--count,-n", flags.count, "how many (default 10)")
            ->check(CLI::Range(1, 100'000));
        app.add_option("--host", flags.filter.host, "only pages on this host");
        app.add_option("--domain", flags.filter.domain,
                       "only pages of this registrable domain, with all its hosts");
        app.add_option("--state", flags.filter.state,
                       "only pages that are unread, fetched, redirect, gone, forbidden, failed or "
                       "out_of_scope");
        app.add_option("--category", flags.filter.category,
                       "only pages of this category (--continuous): html, xml, feed, schema, pdf "
                       "or other");
      });
}

Command AddImportance(CLI::App& opic) {
  return QuestionCommand<ImportanceFlags>(
      opic, "importance", "show the importance of URLs; exit code 5 when one is not known",
      RunImportance, [](CLI::App& app, ImportanceFlags& flags) {
        app.add_option("urls", flags.urls, "URLs, or - to read them from standard input")
            ->required();
      });
}

Command AddStatus(CLI::App& opic) {
  return QuestionCommand<TargetFlags>(opic, "status", "show what a crawl is doing and has done",
                                      RunStatus, nullptr);
}

Command AddAudit(CLI::App& opic) {
  return QuestionCommand<TargetFlags>(
      opic, "audit",
      "check that the cash adds up, to the unit; counts cells and reads no "
      "rows (see verify); exit code 1 if it does not",
      RunAudit, nullptr);
}

}  // namespace opic::cli
