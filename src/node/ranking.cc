#include "node/ranking.h"

#include <algorithm>
#include <numeric>

#include "base/status_macros.h"
#include "desk/duplicate.h"
#include "desk/failure.h"
#include "desk/left_out.h"
#include "node/first_pages.h"
#include "node/near_pages.h"
#include "node/stand_in.h"
#include "node/typed_url.h"
#include "refresh/change_rate.h"
#include "refresh/page_plan.h"
#include "url/url.h"

namespace opic::node {
namespace {

constexpr size_t kRowsPerStep = 4'000;
constexpr uint64_t kSlotsPerStep = 200'000;
constexpr uint64_t kSlotsAtOnce = 500;  // where rows of their pages may have to be read
constexpr size_t kDescribedPerStep = 500;
constexpr size_t kUnreadTimes = 4;  // as many unread pages are looked at as are wanted

double SuppliesOf(cash::Sum clock, cash::Amount supply) {
  return static_cast<double>(clock) / static_cast<double>(supply.units());
}

uint64_t Visited(const ledger::Ledger& ledger) {
  const ledger::KindCounts& kinds = ledger.books().by_kind();
  return std::accumulate(kinds.begin(), kinds.end(), uint64_t{0});
}

uint64_t NeverVisited(const ledger::Ledger& ledger) {
  const uint64_t pages = ledger.books().table().totals().pages;
  return pages - std::min(pages, Visited(ledger));
}

// Of the page alone: the rates of others like it, with which it is planned, are left out.
void DescribePlan(const ledger::HistoryRow& row, PageImportance& out) {
  const std::optional<refresh::PagePlan> plan = refresh::PagePlan::Decode(row.plan);
  if (!plan) return;
  out.category = refresh::NameOf(plan->category);
  out.due = plan->due;
  if (plan->changes.empty()) return;
  const refresh::RateEstimate rate =
      refresh::PosteriorRate(plan->changes, refresh::UnknownRate()).rate;
  out.change_rate = rate.mean;
  out.change_rate_deviation = rate.relative_deviation;
}

// "" where it is no page of this node.
absl::StatusOr<std::string> UrlOf(store::Store& store, PageId page) {
  ASSIGN_OR_RETURN(const std::optional<std::string> name,
                   store.Get(store::Table::kPage, ledger::KeyOf(page)));
  if (!name) return "";
  ASSIGN_OR_RETURN(ledger::PageRow row, ledger::ReadPageRow(page, *name));
  return std::move(row.url);
}

// What it pays as a duplicate, and of one that is only shown, what has its content now; or else the
// page that it is a near duplicate of, or similar to.
absl::Status DescribeDuplicate(const ledger::Ledger& ledger, store::Store& store, PageId page,
                               const url::Url& url, PageImportance& out) {
  ASSIGN_OR_RETURN(const std::optional<std::string> kept,
                   store.Get(store::Table::kHistory, ledger::KeyOf(page)));
  if (!kept) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::ReadHistoryRow(page, *kept, ledger.window()));
  const bool duplicate = desk::LeftOutInRow(row.http_status).duplicate;
  if (!duplicate && !desk::MayBeFirst(row)) return absl::OkStatus();
  const uint64_t hash = row.content_hash;
  ASSIGN_OR_RETURN(const std::optional<AlikePage> alike, AlikeFirstPage(page, hash, store));
  std::optional<PageId> first;
  if (duplicate) {
    if (!row.links.empty()) first = row.links.front();
  } else {
    ASSIGN_OR_RETURN(first, FirstPageWith(desk::ContentKeyOf(url, hash), hash, ledger, store));
  }
  if (alike && alike->near_duplicate) {
    ASSIGN_OR_RETURN(out.near_duplicate_of, UrlOf(store, alike->first));
  } else if (first && *first != page) {
    ASSIGN_OR_RETURN(out.duplicate_of, UrlOf(store, *first));
  } else if (alike) {
    ASSIGN_OR_RETURN(out.similar_to, UrlOf(store, alike->first));
  }
  return absl::OkStatus();
}

// What is stored of a page: nothing where there is no such row.
struct StoredRows {
  std::optional<std::string> name, history;  // of Table::kPage and Table::kHistory
};

absl::StatusOr<StoredRows> RowsOf(store::Store& store, PageId page) {
  StoredRows rows;
  ASSIGN_OR_RETURN(rows.name, store.Get(store::Table::kPage, ledger::KeyOf(page)));
  ASSIGN_OR_RETURN(rows.history, store.Get(store::Table::kHistory, ledger::KeyOf(page)));
  return rows;
}

absl::StatusOr<PageImportance> Describe(const ledger::Ledger& ledger, store::Store& store,
                                        PageId page, const StoredRows& stored) {
  PageImportance out;
  const std::optional<page_table::Page> cell = ledger.books().table().Find(page);
  if (!cell) return out;
  if (!stored.name) return ledger::LacksRow(page);
  ASSIGN_OR_RETURN(const ledger::PageRow row, ledger::ReadPageRow(page, *stored.name));
  out.url = row.url;
  out.known = true;
  out.depth = row.depth;
  out.referrer = row.referrer;
  out.cash = cell->cash.value();
  out.state = kUnreadState;
  importance::History history = ledger.accounting().Unvisited(row);
  if (stored.history) {
    ASSIGN_OR_RETURN(ledger::HistoryRow visited,
                     ledger::ReadHistoryRow(page, *stored.history, ledger.window()));
    out.state = std::string(ledger::Name(visited.kind));
    out.visits = visited.visits;
    out.fetches = visited.fetches;
    out.links = static_cast<uint32_t>(visited.links.size());
    const int status = desk::StatusInRow(visited.http_status);
    const desk::PageFailure failure = desk::FailureInRow(status);
    out.failure = desk::Describe(failure);
    if (failure.cause == desk::Failure::kNone) out.http_status = status;
    out.left_out = desk::Describe(desk::LeftOutInRow(visited.http_status));
    if (desk::LeftOutInRow(visited.http_status).canonical && !visited.links.empty()) {
      ASSIGN_OR_RETURN(out.canonical, UrlOf(store, visited.links.front()));
    }
    out.fetched_at = visited.fetched_at;
    DescribePlan(visited, out);
    history = std::move(visited.history);
  }
  out.importance = ledger.accounting().Estimate(history, out.cash);
  out.relative = out.importance * static_cast<double>(ledger.cluster().pages());
  out.age = SuppliesOf(ledger.cluster().clock() - std::min(ledger.cluster().clock(), history.stamp),
                       ledger.charter().supply);
  return out;
}

}  // namespace

absl::StatusOr<PageImportance> ImportanceOf(const ledger::Ledger& ledger, store::Store& store,
                                            const url::UrlHash& hash, const std::string& typed) {
  ASSIGN_OR_RETURN(const url::Url url, TypedUrl(typed));
  ASSIGN_OR_RETURN(const StoredRows rows, RowsOf(store, hash.PageOf(url)));
  ASSIGN_OR_RETURN(PageImportance page, Describe(ledger, store, hash.PageOf(url), rows));
  // Another URL with the same id is another page.
  if (page.known && page.url != url.text()) page = PageImportance();
  page.url = url.text();
  if (page.known) {
    RETURN_IF_ERROR(DescribeDuplicate(ledger, store, hash.PageOf(url), url, page));
  }
  return page;
}

void PageDescriptions::Begin(std::vector<PageId> pages) {
  pages_ = std::move(pages);
  next_ = 0;
  described_.clear();
}

absl::StatusOr<bool> PageDescriptions::Step() {
  const size_t end = std::min(pages_.size(), next_ + kDescribedPerStep);
  std::vector<std::string> keys;
  for (size_t i = next_; i < end; ++i) keys.push_back(ledger::KeyOf(pages_[i]));
  std::vector<std::optional<std::string>> names, histories;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, keys, &names));
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &histories));
  for (size_t i = 0; next_ < end; ++i, ++next_) {
    ASSIGN_OR_RETURN(PageImportance page, Describe(ledger_, store_, pages_[next_],
                                                   {std::move(names[i]), std::move(histories[i])}));
    if (page.known) described_.push_back(std::move(page));
  }
  return next_ == pages_.size();
}

std::vector<PageImportance> PageDescriptions::TakeSorted() {
  std::sort(described_.begin(), described_.end(),
            [](const PageImportance& a, const PageImportance& b) {
              return a.importance != b.importance ? a.importance > b.importance : a.url < b.url;
            });
  return std::move(described_);
}

TopScan::TopScan(const ledger::Ledger& ledger, store::Store& store, size_t count, PageFilter filter)
    : ledger_(ledger),
      store_(store),
      filter_(std::move(filter)),
      best_(count),
      unread_(kUnreadTimes * count),
      next_key_(1, '\0'),
      descriptions_(ledger, store) {}

absl::StatusOr<bool> TopScan::Step() {
  switch (stage_) {
    case Stage::kUnread:
      RETURN_IF_ERROR(StepUnread());
      return false;
    case Stage::kVisited:
      RETURN_IF_ERROR(StepVisited());
      return false;
    case Stage::kCandidates:
      RETURN_IF_ERROR(StepCandidates());
      return false;
    case Stage::kDescribing:
      break;
  }
  return descriptions_.Step();
}

absl::Status TopScan::StepUnread() {
  bool ended = true;
  if (IsOfKind(filter_, nullptr)) {
    if (!visited_before_) {
      visited_before_ = Visited(ledger_);
      moves_before_ = ledger_.placements().changes();
    }
    const page_table::Totals totals = ledger_.books().table().totals();
    const bool some_visited = totals.pages - totals.done > NeverVisited(ledger_);
    const uint64_t at_once = some_visited ? kSlotsAtOnce : kSlotsPerStep;
    size_t asked = 0;
    ended = MetAllUnread();
    for (uint64_t slots = 0; !ended && slots < kSlotsPerStep && asked < kDescribedPerStep;
         slots += at_once) {
      std::vector<Rich> rich;
      ended = ledger_.books().table().Walk(cursor_, at_once, [&](const page_table::Page& page) {
        const auto cash = static_cast<double>(page.cash.value().units());
        if (page.done || !unread_.Takes(cash, page.page)) return;
        if (some_visited) {
          rich.push_back({cash, page.page});
        } else {
          MeetUnread({cash, page.page});
        }
      });
      asked += rich.size();
      RETURN_IF_ERROR(OfferNeverVisited(rich));
      ended = ended || MetAllUnread();
    }
    if (ended) matching_ += NeverVisited(ledger_);
  }
  if (ended) stage_ = Stage::kVisited;
  return absl::OkStatus();
}

// So nothing is looked up in vain among pages that are to be read again, once there is no unread
// page behind the cursor. As many of those that were met may have been visited since as were
// visited first meanwhile; if others were, the walk only goes on for longer. Once a shard has moved
// these numbers say nothing of those that were met.
bool TopScan::MetAllUnread() const {
  const ledger::Placements& placements = ledger_.placements();
  if (placements.dirty() || placements.changes() != moves_before_) return false;
  const uint64_t unread = NeverVisited(ledger_), visited = Visited(ledger_);
  const uint64_t since = visited - std::min(visited, *visited_before_);
  return unread == 0 || met_ >= unread + since;
}

void TopScan::MeetUnread(const Rich& page) {
  ++met_;
  unread_.Offer(page.cash, page.page);
}

// Pages that are to be read again are met with the visited ones. Here they would only take the
// places of others.
absl::Status TopScan::OfferNeverVisited(const std::vector<Rich>& pages) {
  std::vector<std::string> keys;
  for (const Rich& rich : pages) keys.push_back(ledger::KeyOf(rich.page));
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &rows));
  for (size_t i = 0; i < pages.size(); ++i)
    if (!rows[i]) MeetUnread(pages[i]);
  return absl::OkStatus();
}

absl::Status TopScan::StepVisited() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, next_key_);
  next_key_.clear();
  for (size_t seen = 0; filter_.state != kUnreadState && rows->Valid(); rows->Next()) {
    if (++seen > kRowsPerStep) {
      next_key_ = std::string(rows->key());
      break;
    }
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    const std::optional<page_table::Page> cell = ledger_.books().table().Find(page);
    if (!cell) continue;
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    if (!IsOfKind(filter_, &row) || AnotherStandsFor(row)) continue;
    ++matching_;
    best_.Offer(ledger_.accounting().Estimate(row.history, cell->cash.value()), page);
  }
  RETURN_IF_ERROR(rows->status());
  if (next_key_.empty()) {
    stage_ = Stage::kCandidates;
    candidates_ = unread_.Take();
  }
  return absl::OkStatus();
}

// Of the unread pages those with the most cash are looked at, to know their importance.
absl::Status TopScan::StepCandidates() {
  for (size_t looked = 0; looked < kDescribedPerStep && !candidates_.empty(); ++looked) {
    const PageId page = candidates_.back();
    candidates_.pop_back();
    ASSIGN_OR_RETURN(const StoredRows rows, RowsOf(store_, page));
    ASSIGN_OR_RETURN(const PageImportance described, Describe(ledger_, store_, page, rows));
    // One that was visited meanwhile may have been met with the visited ones.
    if (described.state == kUnreadState) best_.Offer(described.importance, page);
  }
  if (candidates_.empty()) {
    stage_ = Stage::kDescribing;
    descriptions_.Begin(best_.Take());
  }
  return absl::OkStatus();
}

Audit AuditOf(const ledger::Ledger& ledger) {
  const ledger::Books& books = ledger.books();
  const page_table::Totals totals = books.table().totals();
  Audit audit;
  page_table::Cursor cursor;
  while (!books.table().Walk(cursor, kSlotsPerStep, [&](const page_table::Page& page) {
    audit.table += page.cash.value().units();
  })) {
  }
  audit.cluster_id = ledger.charter().cluster_id;
  audit.log_number = ledger.log_number();
  audit.pages = totals.pages;
  audit.unread = totals.pages - totals.done;
  // Of a node in a cluster its own equation: what it began with, and what passed its channels.
  audit.expected = books.genesis().units() + books.received() - books.sealed();
  audit.virtual_page = books.virtual_page().units();
  audit.clock = books.clock();
  audit.epoch = ledger.epoch();
  return audit;
}

}  // namespace opic::node
