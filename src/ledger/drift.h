// How far the cash of a page is from what the equation of ledger push says (ledger/equation.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "cash/amount.h"

namespace opic::ledger {

struct Drift {
  PageId page;
  cash::Sum amount = 0;  // cash on the page less what it should be; never 0

  friend bool operator==(const Drift&, const Drift&) = default;
};

// For another process: from 2 bytes each. REQUIRES: sorted by page, each within 64 bits.
std::string Encode(absl::Span<const Drift> drifts);
// InvalidArgument: not such a list. At most as many as there are bytes.
absl::StatusOr<std::vector<Drift>> DecodeDrifts(std::string_view bytes);

}  // namespace opic::ledger
