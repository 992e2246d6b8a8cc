#include "node/pools.h"

#include <algorithm>

namespace opic::node {

// A slot takes seven bytes, and a line of nine slots one more: rather a few too many than too few.
uint64_t TablePool::slots() const { return table_.totals().bytes / 7 + 9; }

cash::Amount TablePool::mean_cash() const {
  const page_table::Totals totals = table_.totals();
  if (totals.pages == 0 || totals.cash <= 0) return cash::Amount();
  return cash::Amount(static_cast<int64_t>(totals.cash / static_cast<cash::Sum>(totals.pages)));
}

bool TablePool::Walk(uint64_t slots_max,
                     absl::FunctionRef<void(const schedule::Candidate&)> visit) {
  return table_.Walk(cursor_, slots_max, MayChoose(), [&](const page_table::Page& page) {
    if (!closed_.Contains(page.page.shard())) visit(schedule::Candidate{page.page, WeightOf(page)});
  });
}

page_table::Totals TablePool::OpenTotals() const {
  page_table::Totals open = table_.totals();
  for (ShardId shard : closed_.all()) {
    const page_table::ShardTotals shut = table_.totals(shard);
    open.pages -= shut.pages;
    open.done -= shut.done;
    open.ordered -= shut.ordered;
  }
  return open;
}

uint64_t UnreadPool::eligible() const {
  const page_table::Totals totals = OpenTotals();
  return totals.pages - totals.done - totals.ordered;
}

}  // namespace opic::node
