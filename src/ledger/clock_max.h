// The most that the clock of a cluster may be, by what nodes tell each other of it; and so the most
// that a page has recorded with windows.
#pragma once

#include "cash/amount.h"

namespace opic::ledger {

inline constexpr cash::Sum kClockMax = cash::Sum{1} << 110;

}  // namespace opic::ledger
