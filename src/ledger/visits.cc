#include "ledger/visits.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"
#include "ledger/reading.h"

namespace opic::ledger {
namespace {

// Of a page that is settled again and again the whole row is written now and then: who reads it has
// to pass by the accounts that were written since.
constexpr uint32_t kAccountsBesideARow = 16;

std::vector<std::string> KeysOf(absl::Span<const PageId> pages) {
  std::vector<std::string> keys;
  keys.reserve(pages.size());
  for (PageId page : pages) keys.push_back(KeyOf(page));
  return keys;
}

}  // namespace

Visits::Visits(const Charter& charter, const importance::Window& window, store::Store& store,
               KeptRows& kept, Books& books, Accounting& accounting, Delivery& delivery,
               CommitGroup& group, Counts& counts)
    : charter_(charter),
      window_(window),
      store_(store),
      kept_(kept),
      books_(books),
      accounting_(accounting),
      delivery_(delivery),
      group_(group),
      counts_(counts) {}

// Pages of peers are announced to their owners; their own node pays them.
void Visits::Seed(absl::Span<const Link> pages) {
  const size_t found = Discover(pages, std::nullopt, 0, "");
  const uint64_t known = books_.table().totals().pages + group_.discovered.size();
  if (found == 0 || known == 0) return;
  const cash::Amount each = accounting_.SeedShare(known);
  for (page_table::Credit& credit : absl::MakeSpan(group_.credits).last(found)) {
    if (!delivery_.Own(credit.page)) continue;
    books_.TakeFromVirtualPage(each);
    credit.amount += each;
  }
}

size_t Visits::Discover(absl::Span<const Link> links, std::optional<PageId> from, uint32_t depth,
                        const std::string& referrer) {
  size_t found = 0;
  for (const Link& link : links) {
    if (link.page == from) continue;
    found += delivery_.Own(link.page) ? delivery_.AddPage(link.page, link.url, depth, referrer)
                                      : delivery_.TellPage(link.page, link.url, depth, referrer);
  }
  return found;
}

absl::StatusOr<std::vector<PageRow>> Visits::PageRowsOf(absl::Span<const PageId> pages) const {
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, KeysOf(pages), &values));
  std::vector<PageRow> rows(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!values[i]) return LacksRow(pages[i]);
    ASSIGN_OR_RETURN(rows[i], ReadPageRow(pages[i], *values[i]));
  }
  return rows;
}

absl::Status Visits::OpenRows(absl::Span<const PageId> pages, absl::Span<const PageRow> names) {
  std::vector<std::pair<PageId, ChangedRow>> opened;  // none is in the group before all are here
  std::vector<size_t> absent;
  std::vector<std::string> keys;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (group_.rows.contains(pages[i])) continue;
    if (KeptRows::Handle kept = kept_.Take(pages[i]); !kept.empty()) {
      opened.push_back({pages[i], {.handle = std::move(kept)}});
      continue;
    }
    absent.push_back(i);
    keys.push_back(KeyOf(pages[i]));
  }
  std::vector<std::optional<std::string>> values;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &values));
  for (size_t k = 0; k < absent.size(); ++k) {
    const PageId page = pages[absent[k]];
    ChangedRow changed{.handle = KeptRows::NewRow(page)};
    if (values[k]) {
      ASSIGN_OR_RETURN(changed.row(), ReadHistoryRow(page, *values[k], window_));
      changed.whole = !HasAccountAtItsEnd(*values[k]);
    } else if (names.empty()) {
      return LacksHistory(page);
    } else {
      changed.row().history = accounting_.Unvisited(names[absent[k]]);
    }
    opened.push_back({page, std::move(changed)});
  }
  for (auto& [page, changed] : opened) group_.rows.try_emplace(page, std::move(changed));
  return absl::OkStatus();
}

void Visits::CountKind(const HistoryRow& row, VisitKind now) {
  if (row.visits > 0) {
    uint64_t& count = books_.by_kind()[static_cast<int>(row.kind)];
    OPIC_CHECK(count > 0) << "a visited page that was never counted";
    --count;
  }
  ++books_.by_kind()[static_cast<int>(now)];
}

void Visits::Pay(PageId page, HistoryRow& row, absl::Span<const PageId> before) {
  const cash::Amount taken = books_.TakeForVisit(page);
  ++row.visits;
  const size_t first = group_.credits.size();
  const cash::Amount kept = accounting_.Visit(row, before, taken, group_.credits);
  CountPaid(first, kept, taken);
  group_.visits.push_back({page, row.kind, /*settled=*/false, taken});
}

void Visits::PayOn(PageId page, HistoryRow& row, std::optional<cash::Amount> planned) {
  const cash::Amount taken = books_.TakeForVisit(page);
  ++row.visits;
  const size_t first = group_.credits.size();
  const auto [kept, beyond] = accounting_.Settle(row, taken, planned, group_.credits);
  CountPaid(first, kept, taken + beyond);
  // The clock has what visits record.
  books_.SetBalances(books_.virtual_page(), books_.clock() + beyond.units());
  // What it owes is paid to itself, and is no link.
  if (beyond.units() != 0) group_.credits.push_back({page, cash::Amount() - beyond});
  group_.visits.push_back({page, row.kind, /*settled=*/true, taken});
}

void Visits::CountPaid(size_t first, cash::Amount kept, cash::Amount recorded) {
  books_.PayVirtualPage(kept);
  cash::Sum paid = kept.units();
  for (size_t i = first; i < group_.credits.size(); ++i) {
    paid += group_.credits[i].amount.units();
    ++(delivery_.Own(group_.credits[i].page) ? counts_.links.own : counts_.links.away);
  }
  OPIC_CHECK(paid == recorded.units())
      << "a visit records " << recorded.units() << " and pays another sum";
}

void Visits::RecordOne(const Visit& visit, const PageRow& name) {
  ChangedRow& changed = group_.rows.at(visit.page);
  changed.whole = true;
  HistoryRow& row = changed.row();
  const HistoryRow before = std::exchange(row, RowAfter(visit, row, accounting_.ConfirmsLosses()));
  CountKind(before, row.kind);
  if (visit.at != 0) group_.fetched = true;
  Discover(visit.discovered, visit.page, name.depth + 1, name.url);
  Discover(visit.links, visit.page, name.depth + 1, name.url);
  Pay(visit.page, row, before.links);
  if (!charter_.keep_links) row.links.clear();
  books_.table().SetDone(visit.page, true);
  // In a record visits come before reopening: what was reopened before this visit is done again.
  if (!group_.reopened.empty()) std::erase(group_.reopened, visit.page);
}

absl::Status Visits::Record(absl::Span<const Visit> visits) {
  if (visits.empty()) return absl::OkStatus();
  std::vector<PageId> pages;
  for (const Visit& visit : visits) {
    OPIC_CHECK(books_.table().Find(visit.page).has_value()) << "a visit of an unknown page";
    pages.push_back(visit.page);
  }
  ASSIGN_OR_RETURN(const std::vector<PageRow> names, PageRowsOf(pages));
  RETURN_IF_ERROR(OpenRows(pages, names));
  for (size_t i = 0; i < visits.size(); ++i) RecordOne(visits[i], names[i]);
  return absl::OkStatus();
}

absl::Status Visits::Settle(absl::Span<const PageId> pages,
                            absl::Span<const cash::Amount> planned) {
  OPIC_CHECK(planned.empty() || planned.size() == pages.size())
      << planned.size() << " payments of " << pages.size() << " pages";
  for (PageId page : pages) {
    const std::optional<page_table::Page> known = books_.table().Find(page);
    OPIC_CHECK(known && known->done) << "settling a page that is not done";
  }
  RETURN_IF_ERROR(OpenRows(pages, {}));
  for (size_t i = 0; i < pages.size(); ++i) {
    ChangedRow& changed = group_.rows.at(pages[i]);
    PayOn(pages[i], changed.row(), planned.empty() ? std::nullopt : std::optional(planned[i]));
    changed.whole |= changed.row().visits % kAccountsBesideARow == 0;
  }
  counts_.settled += pages.size();
  return absl::OkStatus();
}

void Visits::Reopen(absl::Span<const PageId> pages) {
  if (!pages.empty()) accounting_.DoesMore();
  for (PageId page : pages) {
    books_.table().SetDone(page, false);
    group_.reopened.push_back(page);
  }
}

}  // namespace opic::ledger
