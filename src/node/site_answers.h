// What the hosts, or domains, of a crawl have: importance, pages, fetches.
//
// All rows are read, some thousand at a time, away from the ledger's thread; that one only says what
// cash and history of those pages amount to, without reading the store. A page that is
// visited between the two, a few milliseconds, counts without the cash that the visit has banked.
#pragma once

#include <string>
#include <vector>

#include "node/answers.h"
#include "node/site_sums.h"

namespace opic::node {

// `rows_at_once` are read between two steps on the ledger's thread. REQUIRES: as AnswerTop.
absl::StatusOr<TopSites> AnswerSites(const ledger::Ledger& ledger, store::Store& store,
                                     const SitesQuery& query, RunOnLedger on_ledger,
                                     size_t rows_at_once = 2'000);

}  // namespace opic::node
