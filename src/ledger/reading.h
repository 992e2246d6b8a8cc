// What a visit makes of a page's row: how it ended, validators, links. Cash and history are the
// accounting's.
#pragma once

#include "ledger/rows.h"
#include "ledger/visit.h"

namespace opic::ledger {

// The row after `visit`; its history and number of visits as they were.
//
// A 304 says that all is as it was. With `confirm_losses` links are only given up for what was
// read: a page that cannot be read any more (no answer, forbidden, out of scope) keeps those it
// had, and one that is found gone, or moved elsewhere, keeps them until a second reading in a row
// says so.
HistoryRow RowAfter(const Visit& visit, const HistoryRow& before, bool confirm_losses);

}  // namespace opic::ledger
