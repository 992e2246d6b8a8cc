#include "ledger/ledger.h"

#include <algorithm>

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

// What the visit says of the page; a 304 says that all is as it was.
void Overwrite(HistoryRow& row, const Visit& visit) {
  row.http_status = visit.http_status;
  if (visit.at != 0) {
    row.fetched_at = visit.at;
    ++row.fetches;
  }
  if (visit.kind == VisitKind::kNotModified) {
    row.kind = VisitKind::kFetched;
    return;
  }
  row.kind = visit.kind;
  row.links = SortedTargets(visit.links, visit.page);
  row.etag = visit.etag;
  row.last_modified = visit.last_modified;
  row.content_hash = visit.content_hash;
}

std::vector<std::string> KeysOf(absl::Span<const PageId> pages) {
  std::vector<std::string> keys;
  keys.reserve(pages.size());
  for (PageId page : pages) keys.push_back(KeyOf(page));
  return keys;
}

}  // namespace

Ledger::Ledger(const Options& options, store::Store& store, const Charter& charter)
    : options_(options),
      store_(store),
      charter_(charter),
      window_(charter.window),
      books_(charter.shards, charter.supply),
      virtual_page_(options.unread_share, options.instalment_pages_max),
      backlog_(charter.shards, {options.shard_journal_bytes_min, options.journal_bytes_max,
                                options.checkpoint_shards_max}) {}

void Ledger::Seed(absl::Span<const Link> pages) {
  const size_t found = Discover(pages, std::nullopt, 0);
  if (found == 0) return;
  const uint64_t known = books_.table().totals().pages + group_.discovered.size();
  const cash::Amount each(VirtualPage::Payable(books_) / known);
  for (page_table::Credit& credit : absl::MakeSpan(group_.credits).last(found)) {
    books_.TakeFromVirtualPage(each);
    credit.amount += each;
  }
}

// A link to an unknown page is a discovery, however small its share: its row is written with the
// group, and its credit is in the journal even when it is of no cash.
size_t Ledger::Discover(absl::Span<const Link> links, std::optional<PageId> from, uint32_t depth) {
  const uint64_t known = books_.table().totals().pages + group_.discovered.size();
  const float prior = static_cast<float>(newcomers_.Prior(known));
  size_t found = 0;
  for (const Link& link : links) {
    if (link.page == from || books_.table().Find(link.page)) continue;
    const auto [row, added] =
        group_.discovered.try_emplace(link.page, PageRow{link.url, depth, books_.clock(), prior});
    if (!added && row->second.url != link.url) ++collisions_;
    if (!added) continue;
    group_.credits.push_back({link.page, cash::Amount()});
    ++found;
  }
  return found;
}

absl::StatusOr<std::vector<PageRow>> Ledger::PageRowsOf(absl::Span<const PageId> pages) const {
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, KeysOf(pages), &values));
  std::vector<PageRow> rows(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!values[i]) return absl::DataLossError("a page of the table has no row in the store");
    ASSIGN_OR_RETURN(rows[i], DecodePageRow(*values[i]));
  }
  return rows;
}

absl::Status Ledger::OpenRows(absl::Span<const PageId> pages, absl::Span<const PageRow> names) {
  std::vector<size_t> absent;
  std::vector<std::string> keys;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (group_.rows.contains(pages[i])) continue;
    absent.push_back(i);
    keys.push_back(KeyOf(pages[i]));
  }
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &values));
  std::vector<HistoryRow> rows(absent.size());
  for (size_t k = 0; k < absent.size(); ++k) {
    if (values[k]) {
      ASSIGN_OR_RETURN(rows[k], DecodeHistoryRow(*values[k], window_));
    } else if (names.empty()) {
      return absl::DataLossError("a visited page has no history in the store");
    } else {
      rows[k] = Unvisited(names[absent[k]], window_);
    }
  }
  for (size_t k = 0; k < absent.size(); ++k) {
    group_.rows.try_emplace(pages[absent[k]], std::move(rows[k]));
  }
  return absl::OkStatus();
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
  window_.Visit(row.history, paid, books_.clock(), origin_);
  if (first) {
    const page_table::Totals totals = books_.table().totals();
    newcomers_.Observe(
        window_.Estimate(row.history, cash::Amount(), books_.clock(), totals.cash, origin_),
        totals.pages);
  }
  const cash::Split split = cash::SplitCash(paid, row.links.size(), charter_.epsilon);
  books_.PayVirtualPage(split.virtual_share);
  if (split.per_link.units() > 0) {
    for (PageId link : row.links) group_.credits.push_back({link, split.per_link});
  }
  group_.visits.push_back({page, row.kind, settled, paid});
}

void Ledger::RecordOne(const Visit& visit, uint32_t depth) {
  HistoryRow& row = group_.rows.at(visit.page);
  const bool not_modified = visit.kind == VisitKind::kNotModified;
  CountKind(row, not_modified ? VisitKind::kFetched : visit.kind);
  Overwrite(row, visit);
  if (visit.at != 0) group_.fetched = true;
  Discover(visit.links, visit.page, depth + 1);
  Pay(visit.page, row, /*settled=*/false);
  if (!charter_.keep_links) row.links.clear();
  books_.table().SetDone(visit.page, true);
  // In a record visits come before reopening: what was reopened before this visit is done again.
  if (!group_.reopened.empty()) std::erase(group_.reopened, visit.page);
}

absl::Status Ledger::Record(absl::Span<const Visit> visits) {
  if (visits.empty()) return absl::OkStatus();
  std::vector<PageId> pages;
  for (const Visit& visit : visits) {
    OPIC_CHECK(books_.table().Find(visit.page).has_value()) << "a visit of an unknown page";
    pages.push_back(visit.page);
  }
  ASSIGN_OR_RETURN(const std::vector<PageRow> names, PageRowsOf(pages));
  RETURN_IF_ERROR(OpenRows(pages, names));
  for (size_t i = 0; i < visits.size(); ++i) RecordOne(visits[i], names[i].depth);
  return absl::OkStatus();
}

absl::Status Ledger::Settle(absl::Span<const PageId> pages) {
  for (PageId page : pages) {
    const std::optional<page_table::Page> known = books_.table().Find(page);
    OPIC_CHECK(known && known->done) << "settling a page that is not done";
  }
  RETURN_IF_ERROR(OpenRows(pages, {}));
  for (PageId page : pages) Pay(page, group_.rows.at(page), /*settled=*/true);
  settled_ += pages.size();
  return absl::OkStatus();
}

void Ledger::BeginWindow() { origin_ = books_.clock(); }

void Ledger::Reopen(absl::Span<const PageId> pages) {
  for (PageId page : pages) {
    books_.table().SetDone(page, false);
    group_.reopened.push_back(page);
  }
}

}  // namespace opic::ledger
