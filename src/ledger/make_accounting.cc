// Implements a part of ledger/accounting.h. The two accountings behind their interface.
#include "ledger/accounting.h"
#include "ledger/push_accounting.h"
#include "ledger/window_accounting.h"

namespace opic::ledger {

std::unique_ptr<Accounting> MakeAccounting(const Charter& charter, const AccountingOptions& options,
                                           const ClusterView& view) {
  if (charter.method == importance::Method::kPush) {
    return std::make_unique<PushAccounting>(charter, view);
  }
  return std::make_unique<WindowAccounting>(charter, options, view);
}

}  // namespace opic::ledger
