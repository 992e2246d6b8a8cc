// How far the cash of a page is from what the equation of ledger push says (ledger/equation.h).
#pragma once

#include "base/ids.h"
#include "cash/amount.h"

namespace opic::ledger {

struct Drift {
  PageId page;
  cash::Sum amount = 0;  // cash on the page less what it should be; never 0
};

}  // namespace opic::ledger
