#include "ledger/held_cash.h"

#include "base/encoding.h"
#include "base/status_macros.h"
#include "ledger/rows.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kPrefix = "held/";

std::string HeldKeyOf(PageId page) { return std::string(kPrefix) + KeyOf(page); }

}  // namespace

absl::Status HeldCash::Load(store::Store& store) {
  const std::unique_ptr<store::Cursor> rows = store.Scan(store::Table::kMeta, kPrefix);
  for (; rows->Valid() && rows->key().substr(0, kPrefix.size()) == kPrefix; rows->Next()) {
    ASSIGN_OR_RETURN(const PageId page, PageOfKey(rows->key().substr(kPrefix.size())));
    base::Decoder in(rows->value());
    held_[page] = cash::Amount(in.Zigzag());
    if (!in.done()) return DamagedPage(page, "has cash held for it that cannot be read");
  }
  return rows->status();
}

void HeldCash::Hold(PageId page, cash::Amount amount) {
  held_[page] += amount;
  changed_.insert(page);
}

cash::Amount HeldCash::Take(PageId page) {
  if (held_.empty()) return cash::Amount();
  const auto found = held_.find(page);
  if (found == held_.end()) return cash::Amount();
  const cash::Amount amount = found->second;
  held_.erase(found);
  changed_.insert(page);
  return amount;
}

std::vector<std::pair<PageId, cash::Amount>> HeldCash::TakeShard(ShardId shard) {
  std::vector<std::pair<PageId, cash::Amount>> taken;
  auto at = held_.lower_bound(PageId(shard, 0));
  while (at != held_.end() && at->first.shard() == shard) {
    taken.emplace_back(*at);
    changed_.insert(at->first);
    at = held_.erase(at);
  }
  return taken;
}

void HeldCash::WriteTo(store::Batch& batch) const {
  for (PageId page : changed_) {
    const auto found = held_.find(page);
    if (found == held_.end()) {
      batch.Delete(store::Table::kMeta, HeldKeyOf(page));
      continue;
    }
    std::string amount;
    base::AppendZigzag(amount, found->second.units());
    batch.Put(store::Table::kMeta, HeldKeyOf(page), std::move(amount));
  }
}

}  // namespace opic::ledger
