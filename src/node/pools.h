// The page table as a strategy sees it (schedule::Pool): the pages that may be offered for
// fetching, and those that may be settled. Both share the table's walk
// (docs/algorithm.md section 4).
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <algorithm>
#include <vector>

#include "ledger/ledger.h"
#include "page_table/page_table.h"
#include "schedule/strategy.h"

namespace opic::node {

// Shards whose pages may not be chosen now, because they are on their way from or to another node.
class ClosedShards {
 public:
  explicit ClosedShards(uint32_t shards) : closed_(shards) {}
  bool Contains(ShardId shard) const { return closed_[shard.value]; }
  const std::vector<ShardId>& all() const { return all_; }
  void Add(ShardId shard) {
    if (!Contains(shard)) all_.push_back(shard);
    closed_[shard.value] = true;
  }
  void Clear() {
    for (ShardId shard : all_) closed_[shard.value] = false;
    all_.clear();
  }

 private:
  std::vector<bool> closed_;
  std::vector<ShardId> all_;
};

class TablePool : public schedule::Pool {
 public:
  // Both must outlive the pool.
  TablePool(const page_table::PageTable& table, const ClosedShards& closed)
      : table_(table), closed_(closed) {}

  uint64_t slots() const override;
  cash::Amount mean_cash() const override;
  bool Walk(uint64_t slots_max, absl::FunctionRef<void(const schedule::Candidate&)> visit) override;
  void Jump(uint64_t draw) override { cursor_ = table_.RandomCursor(draw); }

 protected:
  virtual page_table::Filter MayChoose() const = 0;
  // What a page is chosen by.
  virtual cash::Amount WeightOf(const page_table::Page& page) const = 0;
  // The totals of all shards that are not closed.
  page_table::Totals OpenTotals() const;
  const page_table::PageTable& table_;

 private:
  const ClosedShards& closed_;
  page_table::Cursor cursor_;
};

// Unread pages that are not ordered.
class UnreadPool final : public TablePool {
 public:
  using TablePool::TablePool;
  uint64_t eligible() const override;

 protected:
  page_table::Filter MayChoose() const override { return {.done = false, .ordered = false}; }
  cash::Amount WeightOf(const page_table::Page& page) const override {
    return std::max(page.cash.value(), cash::Amount());
  }
};

// Pages that need no fetch and have cash, or a debt, to pay on.
class SettlePool final : public TablePool {
 public:
  using TablePool::TablePool;
  uint64_t eligible() const override { return OpenTotals().done; }
  // Pages with less, in either sense, are not chosen from here on; 1 at first.
  void SetFloor(cash::Amount floor) { floor_ = floor; }

 protected:
  page_table::Filter MayChoose() const override { return {.done = true, .magnitude_min = floor_}; }
  cash::Amount WeightOf(const page_table::Page& page) const override {
    return cash::Amount(static_cast<int64_t>(page.cash.value().magnitude()));
  }

 private:
  cash::Amount floor_{1};
};

}  // namespace opic::node
