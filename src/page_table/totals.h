// What the pages of a table, or of one of its shards, add up to.
#pragma once

#include <cstdint>

#include "cash/amount.h"

namespace opic::page_table {

// Counts of one shard, in one cache line.
struct alignas(64) ShardTotals {
  uint64_t pages = 0;
  uint64_t done = 0;
  uint64_t ordered = 0;  // ordered and not done
  uint64_t in_debt = 0;  // pages whose cash is below zero
  cash::Sum cash = 0;    // sum of the cells
  uint64_t bytes = 0;    // allocated for slots
};

// Sums over the done pages of a table: of their cells, of the magnitudes of these, and of how far
// each is from the table's reference. Over the others, of their debts, without the sign.
struct CashSums {
  cash::Sum done_cash = 0, done_magnitude = 0, done_deviation = 0, undone_debt = 0;
};

// Counts of the whole table, or what they grow by: unsigned ones wrap around.
struct Totals : ShardTotals, CashSums {
  Totals& operator+=(const Totals& more) {
    pages += more.pages;
    done += more.done;
    ordered += more.ordered;
    in_debt += more.in_debt;
    cash += more.cash;
    bytes += more.bytes;
    done_cash += more.done_cash;
    done_magnitude += more.done_magnitude;
    done_deviation += more.done_deviation;
    undone_debt += more.undone_debt;
    return *this;
  }
};

}  // namespace opic::page_table
