// Cash that came for pages which are not known here yet, because it overtook their names: a node
// that has told a page by URL pays it by id from then on, and when shards move the two may go
// different ways. By ledger push no credit may be lost, so it waits for the page.
//
// The cash itself lies on the virtual page's account; what is kept is for whom. Table::kMeta, key:
// "held/" and the page key; value: the amount, a zigzag varint. A page is born with what was held
// for it.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "store/store.h"

namespace opic::ledger {

class HeldCash {
 public:
  // DataLoss: a row is damaged.
  absl::Status Load(store::Store& store);

  // Within the present group:
  void Hold(PageId page, cash::Amount amount);
  // What was held for the page, which is held no more.
  cash::Amount Take(PageId page);
  std::vector<std::pair<PageId, cash::Amount>> TakeShard(ShardId shard);

  uint64_t pages() const { return held_.size(); }
  std::vector<std::pair<PageId, cash::Amount>> All() const { return {held_.begin(), held_.end()}; }
  bool dirty() const { return !changed_.empty(); }
  // What the group changed, to be written with it.
  void WriteTo(store::Batch& batch) const;
  void Committed() { changed_.clear(); }

 private:
  std::map<PageId, cash::Amount> held_;
  std::set<PageId> changed_;
};

}  // namespace opic::ledger
