#include "ledger/sealing.h"

#include <utility>

#include "base/check.h"

namespace opic::ledger {

Sealing::Sealing(const Options& options, Books& books, Peers& peers, const Placements& placements,
                 Accounting& accounting, Delivery& delivery, CommitGroup& group, Counts& counts)
    : options_(options),
      books_(books),
      peers_(peers),
      placements_(placements),
      accounting_(accounting),
      delivery_(delivery),
      group_(group),
      counts_(counts) {}

NodeSums Sealing::Sums() const {
  const page_table::Totals totals = books_.table().totals();
  NodeSums sums;
  sums.clock = books_.clock();
  sums.table = totals.cash;
  sums.virtual_page = books_.virtual_page();
  sums.pages = totals.pages;
  sums.unread = totals.pages - totals.done;
  accounting_.AddTo(sums);
  return sums;
}

void Sealing::PayVirtualShare(NodeId peer) {
  const cash::Amount share = accounting_.OwedTo(peer);
  if (share.units() == 0) return;
  accounting_.PaidTo(peer, share);
  books_.TakeFromVirtualPage(share);
  peers_.AddVirtualShare(peer, share);
}

void Sealing::ShareVirtualPage(absl::FunctionRef<bool(NodeId)> reachable) {
  accounting_.ShareVirtualPage();
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    if (peers_.Has(NodeId{n}) && reachable(NodeId{n})) PayVirtualShare(NodeId{n});
  }
}

std::vector<page_table::Credit> Sealing::SealForPeers(std::vector<page_table::Credit> credits,
                                                      uint64_t epoch) {
  if (peers_.none()) return credits;
  // Before anything that is posted on after them.
  for (auto& [to, pieces] : group_.chunks) {
    books_.Sealed(peers_.SealChunks(to, std::move(pieces), epoch, Sums()));
  }
  std::vector<std::vector<Transfer>> by_peer(options_.nodes);
  size_t kept = 0;
  for (const page_table::Credit& credit : credits) {
    if (delivery_.Own(credit.page)) {
      if (delivery_.LacksName(credit.page)) {
        delivery_.PayUnnamed(credit.page, credit.amount);
      } else {
        credits[kept++] = credit;
      }
      continue;
    }
    Transfer transfer{credit.page, credit.amount};
    const auto name = group_.named.find(credit.page);
    ++counts_.links.transfers;
    if (name != group_.named.end()) {
      transfer.url = std::move(name->second.url);
      transfer.depth = name->second.depth;
      transfer.referrer = std::move(name->second.referrer);
      ++counts_.links.named;
      counts_.links.name_bytes += transfer.url.size();
    }
    const NodeId owner = placements_.OwnerOf(credit.page.shard());
    OPIC_CHECK(peers_.Has(owner)) << "cash for node " << owner.value << ", which is no peer";
    by_peer[owner.value].push_back(std::move(transfer));
  }
  credits.resize(kept);
  const uint64_t bytes_before = peers_.bytes_sealed();
  const NodeSums sums = Sums();
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    const NodeId peer{n};
    if (!peers_.Has(peer)) continue;
    if (!by_peer[n].empty()) PayVirtualShare(peer);
    if (by_peer[n].empty() && peers_.virtual_share(peer).units() == 0) continue;
    books_.Sealed(peers_.Seal(peer, std::move(by_peer[n]), epoch, sums));
  }
  counts_.links.batch_bytes += peers_.bytes_sealed() - bytes_before;
  return credits;
}

}  // namespace opic::ledger
