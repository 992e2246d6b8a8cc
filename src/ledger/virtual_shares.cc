#include "ledger/virtual_shares.h"

#include <algorithm>

#include "base/check.h"

namespace opic::ledger {

void VirtualShares::Opened(cash::Amount amount) {
  if (owed_.size() > 1) opening_ = reserved_ = std::max(amount, cash::Amount());
}

void VirtualShares::Earned(cash::Amount amount) {
  if (owed_.size() <= 1) return;
  unshared_ += amount;
  reserved_ += amount;
}

void VirtualShares::ReleaseHalf() {
  const cash::Amount half(opening_.units() - opening_.units() / 2);
  opening_ -= half;
  unshared_ += half;
}

void VirtualShares::Share(absl::Span<const uint64_t> pages) {
  cash::Sum all = 0;
  for (uint64_t count : pages) all += count;
  if (all == 0 || unshared_.units() == 0) return;
  cash::Amount left = unshared_;
  const auto nodes = static_cast<uint16_t>(owed_.size());
  for (uint16_t n = 0; n < nodes; ++n) {
    if (NodeId{n} == self_) continue;
    // The supply has 60 bits and pages have 50, so the product fits.
    const cash::Amount share(static_cast<uint64_t>(cash::Sum{unshared_.units()} * pages[n] / all));
    owed_[n] += share;
    left -= share;
  }
  OPIC_CHECK(left >= cash::Amount()) << "more of the virtual page is shared than there is";
  reserved_ -= left;
  unshared_ = cash::Amount();
}

void VirtualShares::Paid(NodeId peer, cash::Amount amount) {
  OPIC_CHECK(amount <= owed_[peer.value])
      << "a peer is paid more of the virtual page than its share";
  owed_[peer.value] -= amount;
  reserved_ -= amount;
}

}  // namespace opic::ledger
