// Implements a part of page_table/page_table.h. Everything that goes through many pages: sweeps,
// and instalments of the virtual page.
#include <algorithm>

#include "base/check.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

struct Range {
  uint64_t first;
  uint64_t last;
  bool unread_only;
  bool Has(uint64_t id, State state) const {
    return first <= id && id < last && !(unread_only && state.done);
  }
};

Wanted WantedBy(const Filter& filter) {
  Wanted wanted;
  const auto say = [&](std::optional<bool> said, uint32_t bit) {
    if (!said) return;
    wanted.mask |= bit >> State::kFlagShift;
    if (*said) wanted.flags |= bit >> State::kFlagShift;
  };
  say(filter.done, State::kDone);
  say(filter.ordered, State::kOrdered);
  const cash::Amount least = std::max(filter.magnitude_min, cash::Amount());
  const cash::Cell cell = cash::Cell::TowardsZero(least);
  wanted.magnitude = static_cast<uint16_t>(cell.bits() + uint32_t{cell.value() < least});
  return wanted;
}

}  // namespace

bool PageTable::Walk(Cursor& cursor, uint64_t slots_max, const Filter& filter,
                     absl::FunctionRef<void(const Page&)> visit) const {
  const Wanted wanted = WantedBy(filter);
  uint64_t slots = slots_max;
  for (; cursor.shard < shards_.size(); ++cursor.shard, cursor.segment = 0, cursor.bucket = 0) {
    Shard* shard = shards_[cursor.shard].get();
    if (shard == nullptr) continue;
    const ShardId id = ShardAt(cursor.shard);
    const auto show = [&](uint64_t page, State state) {
      visit(Page{PageId(id, page), state.cash, state.done, state.ordered});
    };
    if (!shard->Walk(cursor.segment, cursor.bucket, slots, wanted, show)) return false;
  }
  cursor = Cursor();
  return true;
}

Roundings PageTable::HeldNow() const {
  Roundings held;
  Cursor cursor;
  Walk(cursor, ~uint64_t{0}, [&held](const Page& page) { held.Hold(page.cash); });
  return held;
}

Cursor PageTable::RandomCursor(uint64_t draw) const {
  uint64_t offset =
      static_cast<uint64_t>(static_cast<unsigned __int128>(draw) * totals_.bytes >> 64);
  Cursor cursor;
  if (totals_.bytes == 0) return cursor;
  while (offset >= shard_totals_[cursor.shard].bytes) {
    offset -= shard_totals_[cursor.shard++].bytes;
  }
  shards_[cursor.shard]->Locate(offset, cursor.segment, cursor.bucket);
  return cursor;
}

uint64_t PageTable::CountRange(ShardId shard, uint64_t first, uint64_t last,
                               bool unread_only) const {
  Shard* pages = ShardOf(shard);
  if (pages == nullptr) return 0;
  const ShardTotals& totals = shard_totals_[shard.value];
  if (first == 0 && last >= kPageIdCount) {
    return unread_only ? totals.pages - totals.done : totals.pages;
  }
  uint64_t count = 0;
  const Range range{first, last, unread_only};
  pages->ForEach(first, last,
                 [&](uint64_t id, Place place) { count += range.Has(id, place.Get()); });
  return count;
}

uint64_t PageTable::PayRange(ShardId shard, uint64_t first, uint64_t last, bool unread_only,
                             cash::Amount each, uint64_t log_number, cash::Amount* reserve) {
  Shard* pages = ShardOf(shard);
  if (pages == nullptr) return 0;
  const Range range{first, last, unread_only};
  uint64_t count = 0;
  cash::Sum upper = 0;  // what the pages would take if all were rounded up
  pages->ForEach(first, last, [&](uint64_t id, Place place) {
    const State state = place.Get();
    if (!range.Has(id, state)) return;
    ++count;
    cash::Amount none;  // cannot pay for rounding up, takes what is rounded off
    const cash::Cell down = cash::AddRounded(state.cash, each, 0, &none);
    const cash::Cell up = none == cash::Amount() ? down : down.Next();
    upper += (up.value() - state.cash.value()).units();
  });
  const cash::Sum due = cash::Sum{each.units()} * static_cast<cash::Sum>(count);
  OPIC_CHECK(due <= reserve->units()) << "an instalment of more cash than there is";
  const bool stochastic = upper <= reserve->units();
  *reserve -= cash::Amount(static_cast<int64_t>(due));
  pages->ForEach(first, last, [&](uint64_t id, Place place) {
    State state = place.Get();
    if (!range.Has(id, state)) return;
    const uint64_t draw =
        stochastic ? cash::RoundingDraw(log_number, PageId(shard, id)) : ~uint64_t{0};
    state.cash = cash::AddRounded(state.cash, each, draw, reserve);
    Change(shard, place, state);
  });
  return count;
}

}  // namespace opic::page_table
