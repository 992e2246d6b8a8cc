// opic watch: how the ranking changes while a crawl goes on.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/cluster_listing.h"
#include "cli/commands.h"
#include "cli/crawl_flags.h"
#include "cli/human.h"
#include "cli/page_listing.h"
#include "cli/quantity.h"
#include "cli/question.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

struct WatchFlags : TargetFlags {
  std::vector<std::string> urls;
  std::optional<uint32_t> count;
  std::string every = "5s";
  double least_change = 1;  // percent
  uint64_t times = 0;
};

// Of --every, as an option's check: what nodes take (rpc/watch_wire.cc).
std::string CheckEvery(const std::string& text) {
  const std::optional<absl::Duration> every = DurationOf(text);
  if (every && *every >= absl::Milliseconds(100) && *every <= absl::Hours(1)) return "";
  return base::Quoted(text) + " is not valid; it must be a time from 0.1s to 1h";
}

std::string RankWords(uint32_t rank) { return rank == 0 ? "-" : std::to_string(rank); }

void PrintLine(const std::string& time, const std::string& rank, const std::string& before,
               const node::PageImportance& page) {
  fmt::print("{:<23}  {:>5}  {:>6}  {:>12}  {:<12}  {}\n", time, rank, before,
             page.known ? fmt::format("{:.6g}", page.importance) : "-",
             page.known ? page.state : "unknown", page.url);
}

// `ranked`: the best pages are watched.
void PrintChanges(const rpc::WatchChanges& changes, bool ranked, absl::Time now) {
  const std::string time = UtcTime(absl::ToUnixSeconds(now));
  if (changes.complete) {
    fmt::print("{:<23}  {:>5}  {:>6}  {:>12}  {:<12}  {}\n", "time", "rank", "before", "importance",
               "state", "URL");
  }
  for (const rpc::RankChange& change : changes.top)
    PrintLine(time, RankWords(change.rank), RankWords(change.before), change.page);
  for (const node::PageImportance& page : changes.pages) PrintLine(time, "", "", page);
  // Without a node's pages the ranks of the others are not known.
  if (PrintMissing(changes.missing) && ranked)
    fmt::print("the ranking is told when all nodes answer (`--local`: that of one node alone)\n");
  std::fflush(stdout);
}

// One object a line: a program can read each one when it comes.
void PrintJsonLine(const rpc::WatchChanges& changes, absl::Time now) {
  Json json = {{"time", absl::ToUnixSeconds(now)}, {"complete", changes.complete}};
  json["top"] = Json::array();
  for (const rpc::RankChange& change : changes.top) {
    Json entry = {{"rank", change.rank}, {"before", change.before}};
    entry.update(PageJson(change.page));
    json["top"].push_back(std::move(entry));
  }
  json["pages"] = Json::array();
  for (const node::PageImportance& page : changes.pages) json["pages"].push_back(PageJson(page));
  json["known"] = changes.known;
  json["error_bound"] = changes.error_bound;
  if (!changes.missing.empty()) json["missing_nodes"] = changes.missing;
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

bool IsEmpty(const rpc::WatchChanges& changes) {
  return !changes.complete && changes.top.empty() && changes.pages.empty() &&
         changes.missing.empty();
}

absl::StatusOr<int> RunWatch(const WatchFlags& flags, Target& target) {
  if (target.client() == nullptr) {
    return absl::UnavailableError(
        "no node uses this data folder, so nothing changes; `opic top` shows the ranking");
  }
  rpc::WatchQuery query{.urls = flags.urls, .least_change = flags.least_change / 100};
  query.count = flags.count.value_or(flags.urls.empty() ? 10 : 0);
  ASSIGN_OR_RETURN(query.period, ParseDuration(flags.every, "every"));
  uint64_t told = 0;
  int code = kOk;  // of the last report
  RETURN_IF_ERROR(target.client()->Watch(query, [&](const rpc::WatchChanges& changes) {
    if (IsEmpty(changes)) return true;
    if (flags.json) {
      PrintJsonLine(changes, absl::Now());
    } else {
      PrintChanges(changes, query.count > 0, absl::Now());
    }
    code = changes.missing.empty() ? kOk : kPartial;
    return ++told != flags.times;
  }));
  return code;
}

}  // namespace

Command AddWatch(CLI::App& opic) {
  return QuestionCommand<WatchFlags>(
      opic, "watch", "show how the ranking changes, until Ctrl-C", RunWatch,
      [](CLI::App& app, WatchFlags& flags) {
        app.add_option("urls", flags.urls, "URLs to watch, whatever their rank");
        app.add_option("--count,-n", flags.count,
                       "watch this many of the best pages (default 10; 0 with URLs)")
            ->check(CLI::Range(size_t{0}, rpc::kWatchedMax));
        app.add_option("--every", flags.every,
                       "time between two looks at the ranking, at least: 0.1s to 1h (default 5s)")
            ->check(CheckEvery);
        app.add_option(
               "--least-change", flags.least_change,
               "report a page when its importance has changed by this many percent (default 1)")
            ->check(CLI::Range(0.0, 100.0));
        app.add_option("--times", flags.times,
                       "end after this many reports, the first one included (default: never)");
      });
}

}  // namespace opic::cli
