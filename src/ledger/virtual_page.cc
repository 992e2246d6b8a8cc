#include "ledger/virtual_page.h"

#include <algorithm>
#include <bit>

namespace opic::ledger {
namespace {

// What stays on the account for rounding: 1/256 of the supply.
uint64_t Payable(const Books& books) {
  const uint64_t kept = books.supply().units() / 256;
  const uint64_t balance = books.virtual_page().units();
  return balance > kept ? balance - kept : 0;
}

uint64_t Payees(const page_table::PageTable& table, const Instalment& instalment, uint64_t parts) {
  if (parts > 1) {
    return table.CountRange(instalment.shard, instalment.first, instalment.last,
                            instalment.unread_only);
  }
  const page_table::Totals shard = table.totals(instalment.shard);
  return instalment.unread_only ? shard.pages - shard.done : shard.pages;
}

}  // namespace

void VirtualPage::BeginPass(const Books& books) {
  in_pass_ = true;
  const page_table::Totals totals = books.table().totals();
  const uint64_t payable = Payable(books);
  const uint64_t to_unread = totals.pages > totals.done
                                 ? static_cast<uint64_t>(static_cast<double>(payable) *
                                                         std::clamp(unread_share_, 0.0, 1.0))
                                 : 0;
  each_ = cash::Amount(totals.pages == 0 ? 0 : (payable - to_unread) / totals.pages);
  each_unread_ = cash::Amount(to_unread == 0 ? 0 : to_unread / (totals.pages - totals.done));
}

void VirtualPage::Advance(uint64_t parts) {
  if (++part_ < parts) return;
  part_ = 0;
  ++shard_;
}

std::vector<Instalment> VirtualPage::Due(const Books& books) {
  std::vector<Instalment> due;
  if (books.table().totals().pages == 0) return due;
  uint64_t left = Payable(books);
  while (due.size() + 1 < kInstalmentsMax) {
    if (shard_ >= books.table().shards()) shard_ = 0, in_pass_ = false;
    if (!in_pass_) {
      if (!due.empty() || owed_pages_ == 0)
        return due;  // the next pass pays from the balance after this record
      BeginPass(books);
    }
    const page_table::Totals shard = books.table().totals(ShardId{static_cast<uint16_t>(shard_)});
    const uint64_t parts = std::bit_ceil(shard.pages / kRangePages + 1);
    const uint64_t pages = shard.pages / parts;
    if (owed_pages_ < pages) return due;
    owed_pages_ -= pages;
    if (shard.pages > 0) {
      const uint64_t width = kPageIdCount / parts;
      Instalment next{ShardId{static_cast<uint16_t>(shard_)}, part_ * width, (part_ + 1) * width};
      for (const bool unread_only : {false, true}) {
        next.unread_only = unread_only;
        const uint64_t payees = Payees(books.table(), next, parts);
        if (payees == 0) continue;
        next.each = std::min(unread_only ? each_unread_ : each_, cash::Amount(left / payees));
        if (next.each.units() == 0) continue;
        left -= next.each.units() * payees;
        due.push_back(next);
      }
    }
    Advance(parts);
  }
  return due;
}

}  // namespace opic::ledger
