// Implements a part of ledger/ledger.h. Entering an epoch, and mending what one far past all others
// has done (Ledger::LowerEpoch).
#include "base/check.h"
#include "base/status_macros.h"
#include "ledger/ledger.h"

namespace opic::ledger {

absl::StatusOr<uint64_t> Peers::LowerEpochs(uint64_t most, store::Store& store) {
  uint64_t lowered = 0;
  store::Batch batch;
  for (uint16_t n = 0; n < count(); ++n) {
    for (Retained& retained : peers_[n].retained) {
      const std::string key = KeyOfSealed(NodeId{n}, retained.sequence);
      ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                       store.Get(store::Table::kOutbox, key));
      ASSIGN_OR_RETURN(TransferBatch sealed, SealedOf(NodeId{n}, retained.sequence, bytes));
      if (sealed.epoch <= most) continue;
      sealed.epoch = most;
      const std::string lower = Encode(sealed);
      peers_[n].retained_bytes += lower.size() - retained.bytes;
      retained.bytes = lower.size();
      batch.Put(store::Table::kOutbox, key, lower);
      ++lowered;
    }
  }
  if (lowered > 0) RETURN_IF_ERROR(store.Write(batch, store::Sync::kYes));
  return lowered;
}

void Ledger::EnterEpoch(uint64_t epoch) {
  OPIC_CHECK(group_.empty() && !peers_.dirty()) << "an epoch begins inside a commit group";
  OPIC_CHECK(epoch > cut_.epoch) << "an epoch that is not later";
  const page_table::Totals totals = books_.table().totals();
  cut_ = Cut();
  cut_.epoch = epoch;
  cut_.log_number = log_number();
  cut_.pages = totals.pages;
  cut_.unread = totals.pages - totals.done;
  cut_.genesis = charter_.genesis.units();
  cut_.virtual_page = books_.virtual_page().units();
  cut_.clock = books_.clock();
  page_table::Cursor cursor;
  bool whole = false;
  while (!whole) {
    whole = books_.table().Walk(cursor, 1 << 20, [&](const page_table::Page& page) {
      cut_.table += page.cash.value().units();
    });
  }
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    if (!peers_.Has(NodeId{n})) continue;
    const std::deque<Retained>& retained = peers_.retained(NodeId{n});
    cut_.channels.push_back(
        {NodeId{n}, peers_.working(NodeId{n}), {retained.begin(), retained.end()}});
  }
  restating_.EpochHasBegun();
}

absl::StatusOr<uint64_t> Ledger::LowerEpoch(uint64_t epoch) {
  OPIC_CHECK(group_.empty() && !peers_.dirty()) << "an epoch is lowered inside a commit group";
  ASSIGN_OR_RETURN(const uint64_t batches, peers_.LowerEpochs(epoch, store_));
  // What is sealed from now on would seem to have been on its way at the cut.
  restating_.Spoil("the epoch was mended meanwhile; try again");
  if (epoch < cut_.epoch) {
    cut_ = Cut();
    cut_.epoch = epoch;
  }
  return batches;
}

}  // namespace opic::ledger
