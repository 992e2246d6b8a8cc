#include "ledger/ledger.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

// A page's row before its first visit.
HistoryRow Unvisited(const PageRow& page, const importance::Window& window) {
  HistoryRow row;
  row.history = window.Discovered(page.stamp, page.prior);
  return row;
}

std::vector<PageId> SortedTargets(absl::Span<const Link> links, PageId self) {
  std::vector<PageId> targets;
  targets.reserve(links.size());
  for (const Link& link : links) {
    if (link.page != self) targets.push_back(link.page);
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

}  // namespace

Ledger::Ledger(const Options& options, store::Store& store, const Charter& charter)
    : options_(options),
      store_(store),
      charter_(charter),
      window_(charter.window),
      books_(charter.shards, charter.supply),
      virtual_page_(options.unread_share),
      unsaved_(charter.shards) {}

void Ledger::Seed(absl::Span<const Link> pages) {
  Discover(pages, PageId(), 0);
  virtual_page_.OwePages(books_.table().totals().pages + pages.size());
}

// A link to an unknown page is a discovery, however small its share: its row is written with the
// group.
void Ledger::Discover(absl::Span<const Link> links, PageId from, uint32_t depth) {
  const uint64_t known = books_.table().totals().pages + group_.discovered.size();
  const float prior = static_cast<float>(newcomers_.Prior(known));
  for (const Link& link : links) {
    if (link.page == from || books_.table().Find(link.page)) continue;
    const auto [row, added] =
        group_.discovered.try_emplace(link.page, PageRow{link.url, depth, books_.clock(), prior});
    if (!added && row->second.url != link.url) ++collisions_;
    if (added) group_.credits.push_back({link.page, cash::Amount()});
  }
}

absl::StatusOr<std::vector<HistoryRow>> Ledger::RowsOf(absl::Span<const PageId> pages) {
  std::vector<HistoryRow> rows(pages.size());
  std::vector<std::string> keys;
  std::vector<size_t> wanted;
  for (size_t i = 0; i < pages.size(); ++i) {
    const auto pending = group_.rows.find(pages[i]);
    if (pending != group_.rows.end()) {
      rows[i] = pending->second;
    } else {
      wanted.push_back(i);
      keys.push_back(KeyOf(pages[i]));
    }
  }
  std::vector<std::optional<std::string>> values, names;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &values));
  std::vector<std::string> unvisited_keys;
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!values[k]) unvisited_keys.push_back(keys[k]);
  }
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, unvisited_keys, &names));
  size_t unvisited = 0;
  for (size_t k = 0; k < wanted.size(); ++k) {
    HistoryRow& row = rows[wanted[k]];
    if (values[k]) {
      ASSIGN_OR_RETURN(row, DecodeHistoryRow(*values[k], window_));
      continue;
    }
    const std::optional<std::string>& name = names[unvisited++];
    if (!name) return absl::DataLossError("a page of the table has no row in the store");
    ASSIGN_OR_RETURN(const PageRow page, DecodePageRow(*name));
    row = Unvisited(page, window_);
  }
  return rows;
}

void Ledger::CountKind(const HistoryRow& row, VisitKind now) {
  if (row.visits > 0) --by_kind_[static_cast<int>(row.kind)];
  ++by_kind_[static_cast<int>(now)];
}

// One visit, fetched or settled: history and clock advance, the cash goes to the links and the
// virtual page.
void Ledger::Pay(PageId page, HistoryRow& row, bool settled) {
  const cash::Amount paid = books_.TakeForVisit(page);
  const bool first = row.visits++ == 0;
  window_.Visit(row.history, paid, books_.clock());
  if (first) {
    const page_table::Totals totals = books_.table().totals();
    newcomers_.Observe(window_.Estimate(row.history, cash::Amount(), books_.clock(), totals.cash),
                       totals.pages);
  }
  const cash::Split split = cash::SplitCash(paid, row.links.size(), charter_.epsilon);
  books_.PayVirtualPage(split.virtual_share);
  if (split.per_link.units() > 0) {
    for (PageId link : row.links) group_.credits.push_back({link, split.per_link});
  }
  group_.visits.push_back({page, row.kind, settled, paid});
}

absl::Status Ledger::Record(absl::Span<const Visit> visits) {
  for (const Visit& visit : visits) {
    OPIC_CHECK(books_.table().Find(visit.page).has_value()) << "a visit of an unknown page";
    ASSIGN_OR_RETURN(std::vector<HistoryRow> rows, RowsOf({visit.page}));
    HistoryRow& row = rows[0];
    CountKind(row, visit.kind == VisitKind::kNotModified ? VisitKind::kFetched : visit.kind);
    if (visit.kind != VisitKind::kNotModified) {
      row.kind = visit.kind;
      row.links = SortedTargets(visit.links, visit.page);
      row.etag = visit.etag;
      row.last_modified = visit.last_modified;
      row.content_hash = visit.content_hash;
    } else {
      row.kind = VisitKind::kFetched;
    }
    row.http_status = visit.http_status;
    if (visit.at != 0) {
      row.fetched_at = visit.at;
      ++row.fetches;
      group_.fetched = true;
    }
    if (!visit.links.empty()) {
      ASSIGN_OR_RETURN(const std::optional<std::string> name,
                       store_.Get(store::Table::kPage, KeyOf(visit.page)));
      uint32_t depth = 0;
      if (name) {
        ASSIGN_OR_RETURN(const PageRow page, DecodePageRow(*name));
        depth = page.depth + 1;
      }
      Discover(visit.links, visit.page, depth);
    }
    Pay(visit.page, row, /*settled=*/false);
    if (!charter_.keep_links) row.links.clear();
    books_.table().SetDone(visit.page, true);
    group_.rows.insert_or_assign(visit.page, std::move(row));
  }
  return absl::OkStatus();
}

absl::Status Ledger::Settle(absl::Span<const PageId> pages) {
  ASSIGN_OR_RETURN(std::vector<HistoryRow> rows, RowsOf(pages));
  for (size_t i = 0; i < pages.size(); ++i) {
    Pay(pages[i], rows[i], /*settled=*/true);
    group_.rows.insert_or_assign(pages[i], std::move(rows[i]));
  }
  settled_ += pages.size();
  return absl::OkStatus();
}

void Ledger::Reopen(absl::Span<const PageId> pages) {
  for (PageId page : pages) {
    books_.table().SetDone(page, false);
    group_.reopened.push_back(page);
  }
}

}  // namespace opic::ledger
