// The page table as a strategy sees it (schedule::Pool): the pages that may be offered for
// fetching, and those that may be settled. Both share the table's walk (ALGORITHM section 3).
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include "ledger/ledger.h"
#include "page_table/page_table.h"
#include "schedule/strategy.h"

namespace opic::node {

class TablePool : public schedule::Pool {
 public:
  // `table` must outlive the pool.
  explicit TablePool(const page_table::PageTable& table) : table_(table) {}

  uint64_t slots() const override;
  cash::Amount mean_cash() const override;
  bool Walk(uint64_t slots_max, absl::FunctionRef<void(const schedule::Candidate&)> visit) override;
  void Jump(uint64_t draw) override { cursor_ = table_.RandomCursor(draw); }

 protected:
  virtual bool MayChoose(const page_table::Page& page) const = 0;
  const page_table::PageTable& table_;

 private:
  page_table::Cursor cursor_;
};

// Unread pages that are not ordered.
class UnreadPool final : public TablePool {
 public:
  using TablePool::TablePool;
  uint64_t eligible() const override;

 protected:
  bool MayChoose(const page_table::Page& page) const override {
    return !page.done && !page.ordered;
  }
};

// Pages that need no fetch and have cash to pay.
class SettlePool final : public TablePool {
 public:
  using TablePool::TablePool;
  uint64_t eligible() const override { return table_.totals().done; }

 protected:
  bool MayChoose(const page_table::Page& page) const override {
    return page.done && page.cash.bits() != 0;
  }
};

}  // namespace opic::node
