#include "ledger/delivery.h"

#include "base/check.h"

namespace opic::ledger {
namespace {

constexpr size_t kAnnouncedPages = 1 << 18;  // 2 MB

}  // namespace

Delivery::Delivery(Books& books, const ClusterView& view, Accounting& accounting,
                   const Placements& placements, CommitGroup& group, Counts& counts, bool referrers)
    : books_(books),
      view_(view),
      accounting_(accounting),
      placements_(placements),
      group_(group),
      counts_(counts),
      referrers_(referrers),
      announced_(view.peers().none() ? 0 : kAnnouncedPages) {}

bool Delivery::Knows(PageId page) const {
  return books_.table().Find(page).has_value() || group_.discovered.contains(page);
}

bool Delivery::AddPage(PageId page, const std::string& url, uint32_t depth,
                       const std::string& referrer) {
  OPIC_CHECK(Own(page)) << "a page of another node is added";
  if (books_.table().Find(page)) return false;
  const auto [row, added] = group_.discovered.try_emplace(page, PageRow{url, depth});
  if (!added && row->second.url != url) ++counts_.collisions;
  if (!added) return false;
  if (referrers_) row->second.referrer = referrer;
  const cash::Amount base =
      accounting_.Born(row->second, view_.pages() + group_.discovered.size() - 1) +
      held_.Take(page);
  books_.TakeFromVirtualPage(base);
  group_.credits.push_back({page, base});
  return true;
}

bool Delivery::TellPage(PageId page, const std::string& url, uint32_t depth,
                        const std::string& referrer) {
  OPIC_CHECK(!Own(page)) << "an own page is told to a peer";
  if (announced_.Announce(page)) return false;
  const auto [name, added] = group_.named.try_emplace(page, PageName{url, depth, {}});
  if (!added) return false;
  if (referrers_) name->second.referrer = referrer;
  group_.credits.push_back({page, cash::Amount()});
  return true;
}

void Delivery::Take(const Transfer& transfer) {
  const PageId page = transfer.page;
  if (!Own(page)) {
    // The map was another one when it was sealed. It is posted on with what it brought.
    ++counts_.forwarded;
    if (!transfer.url.empty()) {
      group_.named.try_emplace(
          page, PageName{transfer.url, transfer.depth, referrers_ ? transfer.referrer : ""});
    }
    group_.credits.push_back({page, transfer.amount});
    return;
  }
  if (!transfer.url.empty()) AddPage(page, transfer.url, transfer.depth, transfer.referrer);
  if (transfer.amount.units() == 0) return;
  if (Knows(page)) {
    group_.credits.push_back({page, transfer.amount});
    return;
  }
  PayUnnamed(page, transfer.amount);
}

void Delivery::PayUnnamed(PageId page, cash::Amount amount) {
  OPIC_CHECK(Own(page) && !Knows(page)) << "cash for a page that can take it is withheld";
  if (amount.units() != 0) ++counts_.unnamed;
  if (accounting_.HoldsUnnamed()) held_.Hold(page, amount);
  books_.PayVirtualPage(amount);
}

bool Delivery::LacksName(PageId page) const { return placements_.anything_moved() && !Knows(page); }

size_t Delivery::Correct(absl::Span<const Drift> drifts) {
  size_t elsewhere = 0;
  if (!drifts.empty()) accounting_.DoesMore();
  for (const Drift& drift : drifts) {
    const cash::Amount excess(static_cast<int64_t>(drift.amount));
    if (!Own(drift.page)) {
      ++elsewhere;
    } else if (Knows(drift.page)) {
      books_.PayVirtualPage(excess);
      group_.credits.push_back({drift.page, cash::Amount() - excess});
    } else {
      held_.Hold(drift.page, cash::Amount() - excess);
    }
  }
  return elsewhere;
}

void Delivery::PostHeld(ShardId shard) {
  for (const auto& [page, amount] : held_.TakeShard(shard)) {
    books_.TakeFromVirtualPage(amount);
    group_.credits.push_back({page, amount});
  }
}

}  // namespace opic::ledger
