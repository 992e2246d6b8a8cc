#include "node/site_answers.h"

#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "node/page_rows.h"
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

}  // namespace

absl::StatusOr<TopSites> AnswerSites(const ledger::Ledger& ledger, store::Store& store,
                                     const SitesQuery& query, RunOnLedger on_ledger,
                                     size_t rows_at_once, const HostsFile* file) {
  SiteSums::GroupOf group_of;
  if (file != nullptr) {
    group_of = [file](std::string host) {
      while (host.ends_with('.')) host.pop_back();  // the same host
      const std::string* group = file->GroupOf(host, url::RegistrableDomain(host));
      return group == nullptr ? "" : *group;
    };
  }
  SiteSums sums(query.kind, ledger.charter().shard_by == url::ShardBy::kHost, query.count,
                SiteSums::kAtOnceMax, std::move(group_of));
  TopSites top;
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
      RETURN_IF_ERROR(sums.Add(page.page.shard(), url::HostOf(page.name.url), page.site));
    }
    finished = pages.size() < rows_at_once;
    if (!pages.empty()) after = pages.back().page;
  }
  ASSIGN_OR_RETURN(top.sites, sums.Take());
  top.known = sums.known();
  return top;
}

}  // namespace opic::node
