#include "page_table/page_table.h"

#include <bit>

#include "base/check.h"
#include "base/fork_join.h"
#include "page_table/arena.h"
#include "page_table/shard.h"
#include "page_table/shard_copies.h"

namespace opic::page_table {

namespace {

Page PageOf(PageId page, State state) { return {page, state.cash, state.done, state.ordered}; }

cash::Sum Distance(cash::Amount a, cash::Amount b) { return (a - b).magnitude(); }

}  // namespace

CashSums PageTable::SumsOf(State state) const {
  const cash::Amount cash = state.cash.value();
  if (!state.done) return {.undone_debt = state.cash.in_debt() ? cash.magnitude() : 0};
  return {.done_cash = cash.units(),
          .done_magnitude = cash.magnitude(),
          .done_deviation = Distance(cash, reference_)};
}

void PageTable::Count(ShardTotals& part, State before, State after) {
  const uint64_t done = uint64_t{after.done} - uint64_t{before.done};
  const uint64_t ordered =
      uint64_t{after.ordered && !after.done} - uint64_t{before.ordered && !before.done};
  const uint64_t in_debt = uint64_t{after.cash.in_debt()} - uint64_t{before.cash.in_debt()};
  const cash::Sum cash = cash::Sum{after.cash.value().units()} - before.cash.value().units();
  for (ShardTotals* totals : {&part, static_cast<ShardTotals*>(&totals_)}) {
    totals->done += done;
    totals->ordered += ordered;
    totals->in_debt += in_debt;
    totals->cash += cash;
  }
  const CashSums was = SumsOf(before), is = SumsOf(after);
  totals_.done_cash += is.done_cash - was.done_cash;
  totals_.done_magnitude += is.done_magnitude - was.done_magnitude;
  totals_.done_deviation += is.done_deviation - was.done_deviation;
  totals_.undone_debt += is.undone_debt - was.undone_debt;
}

PageTable::PageTable(uint32_t shards)
    : arena_(std::make_unique<Arena>()), shards_(shards), shard_totals_(shards) {
  OPIC_CHECK(std::has_single_bit(shards) && shards <= 65'536) << shards << " shards";
}

PageTable::~PageTable() { arena_->TellOfChanges(nullptr); }

Shard* PageTable::ShardOf(ShardId shard) const {
  OPIC_CHECK(shard.value < shards_.size()) << "no shard " << shard.value;
  return shards_[shard.value].get();
}

Place PageTable::FindPlace(PageId page) const {
  Shard* shard = ShardOf(page.shard());
  return shard == nullptr ? Place() : shard->Find(page.id());
}

Place PageTable::KnownPlace(PageId page) const {
  const Place place = FindPlace(page);
  OPIC_CHECK(place) << "unknown page " << page.word();
  return place;
}

Place PageTable::AddNew(PageId page, Totals& totals) {
  std::unique_ptr<Shard>& shard = shards_[page.shard().value];
  if (shard == nullptr) shard = std::make_unique<Shard>(page.shard(), *arena_);
  const Place place = shard->Add(page.id(), State());
  ShardTotals& part = shard_totals_[page.shard().value];
  ++part.pages;
  ++totals.pages;
  totals.bytes += shard->bytes() - part.bytes;
  part.bytes = shard->bytes();
  return place;
}

Place PageTable::FindOrAdd(PageId page, Totals& totals, bool* added) {
  const Place place = FindPlace(page);
  *added = !place;
  return place ? place : AddNew(page, totals);
}

void PageTable::Change(ShardId shard, Place place, State state) {
  const State before = place.Get();
  Count(shard_totals_[shard.value], before, state);
  arena_->WillChange(place.at());
  place.Set(state);
}

bool PageTable::Add(PageId page) {
  bool added;
  FindOrAdd(page, totals_, &added);
  return added;
}

bool PageTable::AddMoved(const Page& page) {
  if (FindPlace(page.page)) return false;
  roundings_.Hold(page.cash);
  Change(page.page.shard(), AddNew(page.page, totals_), {page.cash, page.done, /*ordered=*/false});
  return true;
}

std::optional<Page> PageTable::Find(PageId page) const {
  const Place place = FindPlace(page);
  if (!place) return std::nullopt;
  return PageOf(page, place.Get());
}

void PageTable::SetDone(PageId page, bool done) {
  const Place place = KnownPlace(page);
  State state = place.Get();
  state.done = done;
  if (done) state.ordered = false;
  Change(page.shard(), place, state);
}

void PageTable::SetOrdered(PageId page, bool ordered) {
  const Place place = KnownPlace(page);
  State state = place.Get();
  state.ordered = ordered;
  Change(page.shard(), place, state);
}

// Copies under way need not hear of it: what is ordered is not saved.
void PageTable::ClearOrdered() {
  for (const auto& shard : shards_) {
    if (shard == nullptr) continue;
    shard->ForEach(0, kPageIdCount, [](uint64_t, Place place) {
      State state = place.Get();
      state.ordered = false;
      place.Set(state);
    });
  }
  for (ShardTotals& totals : shard_totals_) totals.ordered = 0;
  totals_.ordered = 0;
}

cash::Amount PageTable::Take(PageId page) {
  const Place place = KnownPlace(page);
  State state = place.Get();
  const cash::Amount taken = state.cash.value();
  state.cash = cash::Cell();
  Change(page.shard(), place, state);
  return taken;
}

void PageTable::SetReference(cash::Amount reference) {
  reference_ = reference;
  totals_.done_deviation = 0;
  for (const auto& shard : shards_) {
    if (shard == nullptr) continue;
    shard->ForEach(0, kPageIdCount, [&](uint64_t, Place place) {
      totals_.done_deviation += SumsOf(place.Get()).done_deviation;
    });
  }
}

Totals PageTable::totals() const { return totals_; }

ShardTotals PageTable::totals(ShardId shard) const {
  OPIC_CHECK(shard.value < shards_.size()) << "no shard " << shard.value;
  return shard_totals_[shard.value];
}

uint32_t PageTable::shards() const { return static_cast<uint32_t>(shards_.size()); }

}  // namespace opic::page_table
