#include "node/site_answers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "node/spent_rows.h"
#include "url/scope.h"
#include "url/url.h"

namespace opic::node {
namespace {

// A page as it was when the ledger's thread took its cash.
struct ReadPage {
  PageId page;
  ledger::PageRow name;
  std::optional<cash::Amount> cash;            // none: it has moved away
  std::optional<importance::History> history;  // none: never visited
  Site site;                                   // of it alone
};

// The pages after `after`, by name alone; fewer than `most`: there are no more.
absl::StatusOr<std::vector<ReadPage>> ReadNames(store::Store& store, std::optional<PageId> after,
                                                size_t most) {
  const std::unique_ptr<store::Cursor> names =
      store.Scan(store::Table::kPage, after ? base::Big64(after->word() + 1) : std::string());
  std::vector<ReadPage> pages;
  for (; pages.size() < most && names->Valid(); names->Next()) {
    ReadPage page;
    ASSIGN_OR_RETURN(page.page, ledger::PageOfKey(names->key()));
    ASSIGN_OR_RETURN(page.name, ledger::ReadPageRow(page.page, names->value()));
    pages.push_back(std::move(page));
  }
  RETURN_IF_ERROR(names->status());
  return pages;
}

// On the ledger's thread: the cash of these pages, and a cursor over what was recorded of them
// until now.
std::unique_ptr<store::Cursor> TakeCash(const ledger::Ledger& ledger, store::Store& store,
                                        std::vector<ReadPage>& pages) {
  if (pages.empty()) return nullptr;
  for (ReadPage& page : pages) {
    const std::optional<page_table::Page> cell = ledger.books().table().Find(page.page);
    if (cell) page.cash = cell->cash.value();
  }
  return store.Scan(store::Table::kHistory, ledger::KeyOf(pages.front().page));
}

absl::Status ReadVisits(const ledger::Ledger& ledger, store::Cursor& visits,
                        std::vector<ReadPage>& pages) {
  for (ReadPage& page : pages) {
    const std::string key = ledger::KeyOf(page.page);
    while (visits.Valid() && visits.key() < key) visits.Next();
    RETURN_IF_ERROR(visits.status());
    page.site.pages = 1;
    if (!visits.Valid() || visits.key() != key) {
      page.site.unread = 1;
      continue;
    }
    ASSIGN_OR_RETURN(ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page.page, visits.value(), ledger.window()));
    page.site.fetched = row.kind == ledger::VisitKind::kFetched ? 1 : 0;
    page.site.failed = row.kind == ledger::VisitKind::kFailed ? 1 : 0;
    page.site.fetches = row.fetches;
    page.history = std::move(row.history);
  }
  return absl::OkStatus();
}

// On the ledger's thread.
void Estimate(const ledger::Ledger& ledger, std::vector<ReadPage>& pages) {
  const ledger::Accounting& accounting = ledger.accounting();
  for (ReadPage& page : pages) {
    if (!page.cash) continue;
    page.site.importance = accounting.Estimate(
        page.history ? *page.history : accounting.Unvisited(page.name), *page.cash);
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
  std::vector<ReadPage> pages;  // whose importance is not told yet
  for (bool more = true; more || !pages.empty();) {
    RETURN_IF_ERROR(CheckWanted(query.given_up));
    std::vector<ReadPage> next;
    if (more) {
      ASSIGN_OR_RETURN(next, ReadNames(store, after, rows_at_once));
    }
    more = more && next.size() == rows_at_once;
    if (!next.empty()) after = next.back().page;
    std::unique_ptr<store::Cursor> visits;
    RETURN_IF_ERROR(on_ledger([&] {
      Estimate(ledger, pages);
      visits = TakeCash(ledger, store, next);
      TellHowGood(ledger, top);
      return absl::OkStatus();
    }));
    for (const ReadPage& page : pages) {
      if (!page.cash) continue;
      if (shards) shards->insert(page.page.shard());
      RETURN_IF_ERROR(sums.Add(page.page.shard(), url::HostOf(page.name.url), page.site));
    }
    if (visits) RETURN_IF_ERROR(ReadVisits(ledger, *visits, next));
    pages = std::move(next);
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
