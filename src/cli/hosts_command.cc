// opic hosts: what a crawl has of each host, and what looks as if a host made it without end.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/time/clock.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/crawl_source.h"
#include "cli/exit_code.h"
#include "cli/host_figures.h"
#include "cli/json_output.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;
using ledger::VisitKind;
using NamedHost = std::pair<const std::string, HostFigures>;

struct HostsFlags {
  SourceFlags source;
  std::string traps_given;  // "true": the flag; else nothing, or a crawl's OPIC_TRAPS, traps = skip
  bool json = false;
  size_t limit = 20;

  bool traps() const { return traps_given == "true"; }
};

// Those to be shown, the first ones first.
std::vector<const NamedHost*> Sorted(const HostTable& table, bool traps) {
  std::vector<const NamedHost*> hosts;
  for (const NamedHost& host : table.hosts()) {
    if (!traps || host.second.suspects() > 0) hosts.push_back(&host);
  }
  const auto weight = [traps](const NamedHost* host) {
    return traps ? host->second.suspects() : host->second.pages;
  };
  std::sort(hosts.begin(), hosts.end(), [&](const NamedHost* a, const NamedHost* b) {
    return weight(a) != weight(b) ? weight(a) > weight(b) : a->first < b->first;
  });
  return hosts;
}

void PrintHost(const NamedHost& host) {
  const HostFigures& figures = host.second;
  fmt::print("{:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", figures.pages, figures.fetched(),
             figures.Of(VisitKind::kRedirect),
             figures.Of(VisitKind::kGone) + figures.Of(VisitKind::kFailed), figures.unread(),
             host.first);
}

void PrintSuspects(const NamedHost& host) {
  const HostFigures& figures = host.second;
  fmt::print("{}: {}, {} fetched, {} skipped\n", host.first, base::Counted(figures.pages, "page"),
             figures.fetched(), figures.skipped);
  for (const auto& [trap, of_rule] : figures.traps) {
    fmt::print("  {}: {}{}, e.g. {}\n", url::Name(trap), base::Counted(of_rule.pages, "page"),
               url::IsCertain(trap) ? "" : " (not certain)", of_rule.example);
  }
  if (figures.HasSoft404()) {
    const std::string nearly =
        figures.nearly > 0 ? fmt::format(", of {} nearly", figures.nearly) : "";
    fmt::print("  same content{}: {} of {} (soft 404?), e.g. {}\n", nearly,
               figures.same_content.pages, base::Counted(figures.fetched(), "fetched page"),
               figures.same_content.example);
  }
  if (figures.long_redirects.pages > 0) {
    fmt::print("  redirects: {} to more than {} in a row, e.g. {}\n",
               base::Counted(figures.long_redirects.pages, "page leads", "pages lead"), kHopsMax,
               figures.long_redirects.example);
  }
}

Json ToJson(const Suspects& suspects) {
  return {{"pages", suspects.pages}, {"example", suspects.example}};
}

Json ToJson(const NamedHost& host) {
  const HostFigures& figures = host.second;
  Json json = {{"host", host.first}, {"pages", figures.pages}, {"skipped", figures.skipped}};
  json["by_state"]["unread"] = figures.unread();
  for (const VisitKind kind : {VisitKind::kFetched, VisitKind::kRedirect, VisitKind::kGone,
                               VisitKind::kForbidden, VisitKind::kFailed, VisitKind::kOutOfScope})
    json["by_state"][std::string(ledger::Name(kind))] = figures.Of(kind);
  json["traps"] = Json::object();
  for (const auto& [trap, of_rule] : figures.traps)
    json["traps"][std::string(url::Name(trap))] = ToJson(of_rule);
  if (figures.HasSoft404()) {
    json["same_content"] = ToJson(figures.same_content);
    json["same_content"]["nearly"] = figures.nearly;
  }
  if (figures.long_redirects.pages > 0) json["long_redirects"] = ToJson(figures.long_redirects);
  return json;
}

void Print(const HostTable& table, const HostsFlags& flags) {
  std::vector<const NamedHost*> hosts = Sorted(table, flags.traps());
  const size_t all = hosts.size();
  if (flags.limit > 0) hosts.resize(std::min(hosts.size(), flags.limit));
  if (flags.json) {
    Json json = {{"hosts", Json::array()}, {"hosts_in_all", all}};
    for (const NamedHost* host : hosts) json["hosts"].push_back(ToJson(*host));
    if (table.pages_left_out() > 0) json["pages_left_out"] = table.pages_left_out();
    return PrintJson(json);
  }
  if (!flags.traps())
    fmt::print("{:>10} {:>10} {:>10} {:>10} {:>10}  host\n", "pages", "fetched", "redirects",
               "no answer", "unread");
  for (const NamedHost* host : hosts) flags.traps() ? PrintSuspects(*host) : PrintHost(*host);
  if (hosts.size() < all)
    fmt::print("{} more (--limit)\n", base::Counted(all - hosts.size(), "host"));
  if (flags.traps() && all == 0) fmt::print("no host looks like a trap\n");
}

absl::StatusOr<int> RunHosts(const HostsFlags& flags) {
  ASSIGN_OR_RETURN(CrawlSource source, CrawlSource::OpenAny(flags.source));
  HostTable table(absl::Now());
  RETURN_IF_ERROR(source.pages().ForEach([&](const node::ExportedPage& page) {
    table.Look(page);
    return absl::OkStatus();
  }));
  RETURN_IF_ERROR(source.pages().ForEach([&](const node::ExportedPage& page) {
    table.LookAgain(page);
    return absl::OkStatus();
  }));
  Print(table, flags);
  if (table.pages_left_out() > 0) {
    fmt::print(stderr, "opic: more than {} hosts; {} of the others are left out\n",
               HostTable::kHostsMax, base::Counted(table.pages_left_out(), "page"));
  }
  return kOk;
}

}  // namespace

Command AddHosts(CLI::App& opic) {
  auto flags = std::make_shared<HostsFlags>();
  CLI::App* app = opic.add_subcommand(
      "hosts", "list the hosts of a crawl with their pages, or those that look like traps");
  flags->source.AddTo(*app);
  app->add_flag("--traps", flags->traps_given,
                "only hosts with URLs that look as if they were made without end, many pages with "
                "one and the same content, or nearly the same, or long chains of redirects");
  app->add_option("--limit", flags->limit, "hosts that are shown; 0: all (default 20)");
  app->add_flag("--json", flags->json, "print JSON");
  flags->source.AddFolderTo(*app);
  return {app, [flags] {
            const absl::StatusOr<int> code = RunHosts(*flags);
            return code.ok() ? *code : PrintError(code.status());
          }};
}

}  // namespace opic::cli
