// Whether another page stands for a page.
//
// Thread safety: pure.
#pragma once

#include "desk/left_out.h"
#include "ledger/rows.h"

namespace opic::node {

// It pays its canonical page alone, or the one that it is a duplicate of, which stands for it and
// gets what it pays: rankings leave it out.
inline bool AnotherStandsFor(const ledger::HistoryRow& row) {
  const desk::LeftOut left_out = desk::LeftOutInRow(row.http_status);
  return left_out.canonical || left_out.duplicate;
}

}  // namespace opic::node
