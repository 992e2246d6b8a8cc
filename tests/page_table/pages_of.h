// What a table holds, as its slow and obvious twin would: for comparisons.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/byte_source.h"
#include "page_table/page_table.h"
#include "page_table/place.h"

namespace opic::page_table {

inline std::map<PageId, State> PagesOf(const PageTable& table) {
  std::map<PageId, State> pages;
  Cursor cursor;
  table.Walk(cursor, ~uint64_t{0}, [&](const Page& page) {
    pages[page.page] = State{page.cash, page.done, page.ordered};
  });
  return pages;
}

// The totals of `pages`; `bytes` is left 0.
inline Totals TotalsOf(const std::map<PageId, State>& pages, cash::Amount reference) {
  Totals totals;
  for (const auto& [page, state] : pages) {
    ++totals.pages;
    totals.done += state.done;
    totals.ordered += state.ordered && !state.done;
    const cash::Amount cash = state.cash.value();
    totals.cash += cash.units();
    totals.in_debt += cash.units() < 0;
    if (!state.done && cash.units() < 0) totals.undone_debt += cash.magnitude();
    if (!state.done) continue;
    totals.done_cash += cash.units();
    totals.done_magnitude += cash.magnitude();
    totals.done_deviation += (cash - reference).magnitude();
  }
  return totals;
}

inline std::string Saved(const PageTable& table, ShardId shard) {
  std::string bytes;
  table.Save(shard, [&](std::string_view piece) { bytes.append(piece); });
  return bytes;
}

inline absl::Status Load(std::string_view bytes, ShardId shard, PageTable& table) {
  base::StringSource source(bytes);
  return table.Load(shard, source);
}

}  // namespace opic::page_table
