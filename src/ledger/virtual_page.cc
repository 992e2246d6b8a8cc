#include "ledger/virtual_page.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace opic::ledger {

uint64_t VirtualPage::Payable(const Books& books, cash::Amount reserved) {
  if (books.virtual_page() < cash::Amount()) return 0;  // a debt, after a loss: worked off first
  const uint64_t balance = books.virtual_page().units();
  const uint64_t kept =
      static_cast<uint64_t>(books.table().totals().cash + balance) / 256 + reserved.units();
  return balance > kept ? balance - kept : 0;
}

void VirtualPage::BeginPass(const Books& books, uint64_t payable) {
  in_pass_ = true;
  const page_table::Totals totals = books.table().totals();
  const uint64_t unread = totals.pages - totals.done;
  // Which part of the payable cash goes where is a matter of taste, how much cash there is not.
  const double share = unread == 0 ? 0 : std::clamp(unread_share_, 0.0, 1.0);
  const uint64_t to_unread =
      std::min(payable, static_cast<uint64_t>(static_cast<double>(payable) * share));
  each_ = cash::Amount((payable - to_unread) / totals.pages);
  each_unread_ = cash::Amount(unread == 0 ? 0 : to_unread / unread);
  owed_pages_ = std::min(owed_pages_, totals.pages);
}

void VirtualPage::PayPart(const Books& books, uint64_t& left, std::vector<Instalment>& due) const {
  const uint64_t width = kPageIdCount / parts_;
  Instalment next{ShardAt(shard_), part_ * width, (part_ + 1) * width};
  for (const bool unread_only : {false, true}) {
    const cash::Amount wanted = unread_only ? each_unread_ : each_;
    if (wanted.units() == 0) continue;
    next.unread_only = unread_only;
    const uint64_t payees = books.PayeesOf(next);
    if (payees == 0) continue;
    next.each = std::min(wanted, cash::Amount(left / payees));
    if (next.each.units() == 0) continue;
    const uint64_t owed = next.each.units() * payees;
    OPIC_CHECK(owed <= left) << "an instalment of more than the virtual page may pay";
    left -= owed;
    due.push_back(next);
  }
}

void VirtualPage::Advance() {
  if (++part_ < parts_) return;
  part_ = 0;
  ++shard_;
}

std::vector<Instalment> VirtualPage::Due(const Books& books, cash::Amount reserved) {
  std::vector<Instalment> due;
  if (books.table().totals().pages == 0) return due;
  uint64_t left = Payable(books, reserved);
  while (due.size() + 1 < kInstalmentsMax) {
    if (shard_ >= books.table().shards()) shard_ = 0, in_pass_ = false;
    if (!in_pass_) {
      // The next pass pays from the balance after this record.
      if (!due.empty() || owed_pages_ == 0) return due;
      BeginPass(books, left);
    }
    const uint64_t pages = books.table().totals(ShardAt(shard_)).pages;
    // The number of parts holds for the whole shard, so that no range is paid twice as it grows.
    if (part_ == 0) parts_ = std::bit_ceil((pages + range_pages_ - 1) / range_pages_);
    // Rounded up: where there are pages, a pass pays off some of the debt and so comes to an end.
    const uint64_t charge = (pages + parts_ - 1) / parts_;
    if (owed_pages_ < charge) return due;
    owed_pages_ -= charge;
    if (pages > 0) PayPart(books, left, due);
    Advance();
  }
  return due;
}

}  // namespace opic::ledger
