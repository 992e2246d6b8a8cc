// The money of a node as it stands in memory: the page table's cells, the virtual page's exact
// account, the clock; and its pages by how their last visit ended.
//
// Books change only in ways that a journal record tells, by the same functions when the record is
// made and when it is replayed. A shard's cells after a record depend on the shard's cells before
// and on the record alone, so that shards whose checkpoints are newer can be left out of a replay.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "ledger/journal.h"
#include "page_table/page_table.h"

namespace opic::ledger {

class Books {
 public:
  // Genesis: the node's part of the supply, all of it or nothing, lies on the virtual page
  // (docs/design.md section 5).
  Books(uint32_t shards, cash::Amount supply, cash::Amount genesis)
      : table_(shards), supply_(supply), genesis_(genesis), virtual_page_(genesis) {}
  Books(uint32_t shards, cash::Amount supply) : Books(shards, supply, supply) {}

  page_table::PageTable& table() { return table_; }
  const page_table::PageTable& table() const { return table_; }
  cash::Amount supply() const { return supply_; }
  cash::Amount genesis() const { return genesis_; }
  cash::Amount virtual_page() const { return virtual_page_; }
  cash::Sum received() const { return received_; }  // ever, from peers
  cash::Sum sealed() const { return sealed_; }      // ever, for peers
  cash::Sum clock() const { return clock_; }

  // The page pays all its cash at a visit; the clock grows by it. REQUIRES: the page is known.
  cash::Amount TakeForVisit(PageId page);
  // Cash came from a peer, or was sealed for one: the caller moves it on, and took it off before.
  void Received(cash::Sum cash) { received_ += cash; }
  void Sealed(cash::Sum cash) { sealed_ += cash; }
  // Visited pages, by the kind of their last visit.
  KindCounts& by_kind() { return by_kind_; }
  const KindCounts& by_kind() const { return by_kind_; }
  // Pages that were visited and are to be fetched again.
  uint64_t reread() const;

  // The virtual page's part of a visit.
  void PayVirtualPage(cash::Amount amount) { virtual_page_ += amount; }
  // Takes cash off the virtual page that credits will bring to pages.
  void TakeFromVirtualPage(cash::Amount amount) { virtual_page_ -= amount; }

  // How many pages an instalment would pay now. O(1) for a whole shard.
  uint64_t PayeesOf(const Instalment& instalment) const;
  // Whether the virtual page's account can pay the rounding of all these, whatever is drawn.
  Rounding RoundingFor(absl::Span<const page_table::Credit> credits,
                       absl::Span<const Instalment> instalments) const;
  // Pays sorted credits, one shard after the other; shards for which `wanted` is false are left
  // out.
  using ShardFilter = absl::FunctionRef<bool(ShardId)>;
  void PayCredits(absl::Span<const page_table::Credit> credits, Rounding rounding,
                  uint64_t log_number, ShardFilter wanted);
  // Pays the instalment with number `nth` of its record. REQUIRES: the account has each * pages.
  void PayInstalment(const Instalment& instalment, size_t nth, Rounding rounding,
                     uint64_t log_number);

  // Takes over the balances at the end of a replayed record.
  void SetBalances(cash::Amount virtual_page, cash::Sum clock) {
    virtual_page_ = virtual_page, clock_ = clock;
  }
  void SetPassed(cash::Sum received, cash::Sum sealed) { received_ = received, sealed_ = sealed; }

  // The balances after a record that was applied just now, but for what the accounting adds.
  Balances BalancesAfter(const JournalRecord& record) const;

  // What this node should hold.
  cash::Sum Due() const { return genesis_.units() + received_ - sealed_; }
  // The node's equation (docs/design.md section 5): table + virtual page = genesis + received -
  // sealed. False: cash was lost or made.
  bool Balanced() const { return table_.totals().cash + virtual_page_.units() == Due(); }

 private:
  page_table::PageTable table_;
  cash::Amount supply_, genesis_;
  cash::Amount virtual_page_;
  KindCounts by_kind_{};
  cash::Sum clock_ = 0;
  cash::Sum received_ = 0, sealed_ = 0;
};

}  // namespace opic::ledger
