// opic sites: what the hosts, the registrable domains, or the groups of hosts of a crawl have.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/status_macros.h"
#include "cli/cluster_listing.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"
#include "cli/question.h"
#include "rpc/sites_wire.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SitesFlags : TargetFlags {
  bool domains = false, groups = false;
  uint32_t limit = 10;

  node::SiteKind kind() const {
    if (groups) return node::SiteKind::kGroup;
    return domains ? node::SiteKind::kDomain : node::SiteKind::kHost;
  }
};

const char* NameOf(node::SiteKind kind) {
  if (kind == node::SiteKind::kGroup) return "group";
  return kind == node::SiteKind::kDomain ? "domain" : "host";
}

void PrintSites(const node::TopSites& top, node::SiteKind kind) {
  fmt::print("{:>5}  {:>12}  {:>10}  {:>10}  {:>10}  {:>8}  {:>10}  {:>10}  {}\n", "rank",
             "importance", "pages", "fetched", "unread", "failed", "fetches", "received",
             NameOf(kind));
  size_t rank = 0;
  for (const node::Site& site : top.sites) {
    fmt::print("{:>5}  {:>12.6g}  {:>10}  {:>10}  {:>10}  {:>8}  {:>10}  {:>10}  {}\n", ++rank,
               site.importance, site.pages, site.fetched, site.unread, site.failed, site.fetches,
               site.bytes ? HumanBytes(*site.bytes) : "-", site.name);
  }
  fmt::print("{} known, {}\n", base::Counted(top.known, NameOf(kind)),
             base::Counted(top.pages, "page"));
  if (kind == node::SiteKind::kGroup && top.known == 0)
    fmt::print("groups stand in the --hosts-file of a running node\n");
  if (top.importance_missed > 0) {
    fmt::print("a site may have up to {:.2g} more, on nodes where it is none of the best\n",
               top.importance_missed);
  }
}

// Of a folder at rest.
void PrintSpentGroups(const node::TopSites& top) {
  fmt::print("{:>10}  {:>10}  group\n", "asked for", "received");
  for (const node::Site& site : top.sites)
    fmt::print("{:>10}  {:>10}  {}\n", site.pages, HumanBytes(site.bytes.value_or(0)), site.name);
  fmt::print(
      "{} of which something was fetched\n"
      "importance and pages by group are not known at rest: the --hosts-file says which hosts are "
      "in which, and a running node tells\n",
      base::Counted(top.known, "group"));
}

Json SitesJson(const node::TopSites& top, node::SiteKind kind) {
  Json json = {{"by", NameOf(kind)},
               {"known", top.known},
               {"pages", top.pages},
               {"importance", importance::Name(top.method)},
               {"clock_supplies", top.clock},
               {"error_bound", top.error_bound},
               {"importance_missed", top.importance_missed}};
  if (!top.missing.empty()) json["missing_nodes"] = top.missing;
  json["sites"] = Json::array();
  for (const node::Site& site : top.sites) {
    Json& entry = json["sites"].emplace_back(Json{{"name", site.name}});
    if (top.only_spent) {
      entry["asked_for"] = site.pages;
    } else {
      entry.update({{"importance", site.importance},
                    {"pages", site.pages},
                    {"fetched", site.fetched},
                    {"unread", site.unread},
                    {"failed", site.failed},
                    {"fetches", site.fetches}});
    }
    if (site.bytes) entry["bytes_received"] = *site.bytes;
  }
  return json;
}

absl::StatusOr<int> RunSites(const SitesFlags& flags, Target& target) {
  ASSIGN_OR_RETURN(const node::TopSites top,
                   target.answers().Sites({.kind = flags.kind(), .count = flags.limit}));
  if (flags.json) {
    PrintJson(SitesJson(top, flags.kind()));
    return top.missing.empty() ? kOk : kPartial;
  }
  if (top.only_spent) {
    PrintSpentGroups(top);
    return kOk;
  }
  PrintSites(top, flags.kind());
  return PrintMissing(top.missing) ? kPartial : kOk;
}

}  // namespace

Command AddSites(CLI::App& opic) {
  return QuestionCommand<SitesFlags>(
      opic, "sites", "show the most important hosts, domains or groups", RunSites,
      [](CLI::App& app, SitesFlags& flags) {
        CLI::Option* domain =
            app.add_flag("--domain", flags.domains, "add up by registrable domain, not by host");
        app.add_flag("--group", flags.groups,
                     "add up by group of the hosts file; hosts in none are left out")
            ->excludes(domain);
        app.add_option("--limit,-n", flags.limit, "how many (default 10)")
            ->check(CLI::Range(size_t{1}, rpc::kSitesMax));
      });
}

}  // namespace opic::cli
