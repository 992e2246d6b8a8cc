// How the virtual page pays (docs/algorithm.md section 3): in instalments, shard after shard, the
// same amount to every page in one pass. Each visit makes it owe `kPagesPerVisit` pages their
// instalment, so a pass takes about a twelfth of a crawl of the graph. It never owes more than one
// pass.
//
// Large shards are paid in ranges of ids, so that one instalment stays short. A small part of the
// cash stays on the account, so that rounding stays unbiased (Books::RoundingFor). Where a pass
// stands is not stored: a ledger that is opened begins a new one.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <vector>

#include "ledger/books.h"

namespace opic::ledger {

class VirtualPage {
 public:
  // `unread_share` of what it pays goes to unread pages only (the discovery knob), 0 to 1. Shards
  // of more than `range_pages` pages are paid in parts of at most that many.
  explicit VirtualPage(double unread_share, uint64_t range_pages = 1 << 20)
      : unread_share_(unread_share), range_pages_(range_pages) {}

  // What the account may pay now: all of it but what is `reserved` and 1/256 of the node's cash.
  static uint64_t Payable(const Books& books, cash::Amount reserved);

  void VisitsMade(uint64_t visits) { owed_pages_ += visits * kPagesPerVisit; }
  // The next instalments that are due and that the account can pay; at most 256.
  std::vector<Instalment> Due(const Books& books, cash::Amount reserved);

 private:
  static constexpr uint64_t kPagesPerVisit = 12;
  static constexpr size_t kInstalmentsMax = 256;  // in one record

  void BeginPass(const Books& books, uint64_t payable);
  // The instalments of the part where the pass stands; takes them off `left`.
  void PayPart(const Books& books, uint64_t& left, std::vector<Instalment>& due) const;
  void Advance();

  const double unread_share_;
  const uint64_t range_pages_;
  uint64_t owed_pages_ = 0;
  uint32_t shard_ = 0;  // where the pass stands: part_ of parts_ of a shard
  uint64_t part_ = 0, parts_ = 1;
  bool in_pass_ = false;
  cash::Amount each_, each_unread_;  // of the present pass
};

}  // namespace opic::ledger
