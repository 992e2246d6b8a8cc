#include "node/site_answers.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "node/page_rows.h"
#include "node/spent_rows.h"
#include "url/scope.h"
#include "url/url.h"

namespace opic::node {
namespace {

// A page as its rows say.
struct ReadPage {
  PageId page;
  ledger::PageRow name;
  std::optional<importance::History> history;  // none: never visited
  Site site;                                   // of it alone
};

ReadPage PageOf(PageRows::Row row) {
  ReadPage page;
  page.page = row.page;
  page.name = std::move(row.name);
  page.site.pages = 1;
  if (!row.visited) {
    page.site.unread = 1;
    return page;
  }
  page.site.fetched = row.visited->kind == ledger::VisitKind::kFetched ? 1 : 0;
  page.site.failed = row.visited->kind == ledger::VisitKind::kFailed ? 1 : 0;
  page.site.fetches = row.visited->fetches;
  page.history = std::move(row.visited->history);
  return page;
}

// The pages after `after`; fewer than `most`: there are no more.
absl::StatusOr<std::vector<ReadPage>> ReadSlice(const ledger::Ledger& ledger, store::Store& store,
                                                std::optional<PageId> after, size_t most) {
  PageRows rows(store, ledger.window(), after);
  std::vector<ReadPage> pages;
  while (pages.size() < most) {
    PageRows::Row row;
    ASSIGN_OR_RETURN(const bool there, rows.Next(row));
    if (!there) break;
    pages.push_back(PageOf(std::move(row)));
  }
  return pages;
}

// On the ledger's thread. Pages that have moved away meanwhile are taken out.
void Estimate(const ledger::Ledger& ledger, std::vector<ReadPage>& pages) {
  for (ReadPage& page : pages) {
    const std::optional<page_table::Page> cell = ledger.books().table().Find(page.page);
    if (!cell) {
      page.site.pages = 0;
      continue;
    }
    const ledger::Accounting& accounting = ledger.accounting();
    page.site.importance = accounting.Estimate(
        page.history ? *page.history : accounting.Unvisited(page.name), cell->cash.value());
  }
}

void TellHowGood(const ledger::Ledger& ledger, TopSites& top) {
  top.pages = ledger.books().table().totals().pages;
  top.clock = static_cast<double>(ledger.cluster().clock()) /
              static_cast<double>(ledger.charter().supply.units());
  top.method = ledger.charter().method;
  top.error_bound = ledger.ErrorBound();
}

// What was received of the sites that are told, of hosts whose name is in one of `shards`; not
// held to them where the pages of a host are all over the shards, for this node counts what it
// has fetched itself.
class BytesOfSites {
 public:
  BytesOfSites(SiteKind kind, const SiteSums::GroupOf& group_of, std::vector<Site>& sites)
      : kind_(kind), group_of_(group_of) {
    for (Site& site : sites) sites_.try_emplace(std::string(NoFinalDots(site.name)), &site);
  }

  absl::Status AddAll(store::Store& store, const std::optional<std::set<ShardId>>& shards,
                      const GivenUp& given_up) {
    if (sites_.empty()) return absl::OkStatus();
    size_t seen = 0;
    return ForEachHostSpent(
        store, [&](ShardId shard, std::string_view host, const Spent& spent) -> absl::Status {
          if (++seen % kSiteRowsAtOnce == 0) RETURN_IF_ERROR(CheckWanted(given_up));
          if (shards && !shards->contains(shard)) return absl::OkStatus();
          const auto site = sites_.find(NameOf(host));
          if (site != sites_.end()) *site->second->bytes += spent.bytes;
          return absl::OkStatus();
        });
  }

 private:
  std::string NameOf(std::string_view host) const {
    if (kind_ == SiteKind::kDomain) return url::RegistrableDomain(host);
    if (kind_ == SiteKind::kGroup) return group_of_ ? group_of_(std::string(host)) : "";
    return std::string(host);
  }

  const SiteKind kind_;
  const SiteSums::GroupOf& group_of_;
  absl::flat_hash_map<std::string, Site*> sites_;
};

}  // namespace

absl::StatusOr<TopSites> AnswerSites(const ledger::Ledger& ledger, store::Store& store,
                                     const SitesQuery& query, RunOnLedger on_ledger,
                                     size_t rows_at_once, const HostsFile* file) {
  SiteSums::GroupOf group_of;
  if (file != nullptr) {
    group_of = [file](std::string host) {
      host.resize(NoFinalDots(host).size());  // the same host
      const std::string* group = file->GroupOf(host, url::RegistrableDomain(host));
      return group == nullptr ? "" : *group;
    };
  }
  const bool hosts_keep_shards = ledger.charter().shard_by == url::ShardBy::kHost;
  SiteSums sums(query.kind, hosts_keep_shards, query.count, SiteSums::kAtOnceMax, group_of);
  TopSites top;
  std::optional<std::set<ShardId>> shards;  // that have pages here
  if (hosts_keep_shards) shards.emplace();
  std::optional<PageId> after;
  for (bool finished = false; !finished;) {
    RETURN_IF_ERROR(CheckWanted(query.given_up));
    ASSIGN_OR_RETURN(std::vector<ReadPage> pages, ReadSlice(ledger, store, after, rows_at_once));
    RETURN_IF_ERROR(on_ledger([&] {
      Estimate(ledger, pages);
      TellHowGood(ledger, top);
      return absl::OkStatus();
    }));
    for (const ReadPage& page : pages) {
      if (page.site.pages == 0) continue;
      if (shards) shards->insert(page.page.shard());
      RETURN_IF_ERROR(sums.Add(page.page.shard(), url::HostOf(page.name.url), page.site));
    }
    finished = pages.size() < rows_at_once;
    if (!pages.empty()) after = pages.back().page;
  }
  ASSIGN_OR_RETURN(top.sites, sums.Take());
  top.known = sums.known();
  RETURN_IF_ERROR(
      BytesOfSites(query.kind, group_of, top.sites).AddAll(store, shards, query.given_up));
  return top;
}

absl::StatusOr<TopSites> AnswerSpentGroups(const ledger::Ledger& ledger, store::Store& store,
                                           const SitesQuery& query) {
  TopSites top;
  TellHowGood(ledger, top);
  top.only_spent = true;
  RETURN_IF_ERROR(ForEachGroupSpent(store, [&](std::string_view group, const Spent& spent) {
    top.sites.push_back({.name = std::string(group), .pages = spent.pages, .bytes = spent.bytes});
    return absl::OkStatus();
  }));
  top.known = top.sites.size();
  std::stable_sort(top.sites.begin(), top.sites.end(),
                   [](const Site& a, const Site& b) { return *a.bytes > *b.bytes; });
  if (top.sites.size() > query.count) top.sites.resize(query.count);
  return top;
}

}  // namespace opic::node
