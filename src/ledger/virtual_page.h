// How the virtual page pays (ALGORITHM section 1): in instalments, shard after shard, the same
// amount to every page in one pass. Each visit makes it owe `kPagesPerVisit` pages their
// instalment, so a pass takes about a twelfth of a crawl of the graph.
//
// Large shards are paid in ranges of ids, so that one instalment stays short. A small part of the
// supply stays on the account, so that rounding stays unbiased (Books::RoundingFor).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ledger/books.h"

namespace opic::ledger {

class VirtualPage {
 public:
  // `unread_share` of what it pays goes to unread pages only (the discovery knob), 0 to 1.
  explicit VirtualPage(double unread_share) : unread_share_(unread_share) {}

  void OwePages(uint64_t pages) { owed_pages_ += pages; }
  void VisitsMade(uint64_t visits) { owed_pages_ += visits * kPagesPerVisit; }
  // The next instalments that are due and that the account can pay; at most 256.
  std::vector<Instalment> Due(const Books& books);

 private:
  static constexpr uint64_t kPagesPerVisit = 12;
  static constexpr uint64_t kRangePages = 1 << 20;  // above this a shard is paid in parts
  static constexpr size_t kInstalmentsMax = 256;    // in one record

  void BeginPass(const Books& books);
  void Advance(uint64_t parts);

  const double unread_share_;
  uint64_t owed_pages_ = 0;
  uint32_t shard_ = 0;  // where the pass stands
  uint64_t part_ = 0;
  bool in_pass_ = false;
  cash::Amount each_, each_unread_;  // of the present pass
};

}  // namespace opic::ledger
