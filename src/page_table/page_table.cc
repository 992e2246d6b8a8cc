#include "page_table/page_table.h"

#include <bit>

#include "base/check.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

Page PageOf(PageId page, State state) { return {page, state.cash, state.done, state.ordered}; }

cash::Sum Distance(cash::Amount a, cash::Amount b) { return (a - b).magnitude(); }

}  // namespace

void PageTable::Count(Totals& totals, State before, State after) const {
  totals.done += uint64_t{after.done} - uint64_t{before.done};
  totals.ordered +=
      uint64_t{after.ordered && !after.done} - uint64_t{before.ordered && !before.done};
  const cash::Amount was = before.cash.value(), is = after.cash.value();
  totals.cash += cash::Sum{is.units()} - was.units();
  totals.in_debt += uint64_t{after.cash.in_debt()} - uint64_t{before.cash.in_debt()};
  if (before.done) {
    totals.done_cash -= was.units();
    totals.done_magnitude -= was.magnitude();
    totals.done_deviation -= Distance(was, reference_);
  }
  if (after.done) {
    totals.done_cash += is.units();
    totals.done_magnitude += is.magnitude();
    totals.done_deviation += Distance(is, reference_);
  }
}

PageTable::PageTable(uint32_t shards) : shards_(shards), shard_totals_(shards) {
  OPIC_CHECK(std::has_single_bit(shards) && shards <= 65'536) << shards << " shards";
}

PageTable::~PageTable() = default;

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

Place PageTable::AddNew(PageId page, State state) {
  std::unique_ptr<Shard>& shard = shards_[page.shard().value];
  if (shard == nullptr) shard = std::make_unique<Shard>(page.shard());
  const Place place = shard->Add(page.id(), state);
  Totals& part = shard_totals_[page.shard().value];
  for (Totals* totals : {&part, &totals_}) {
    ++totals->pages;
    Count(*totals, State(), state);
  }
  totals_.bytes += shard->bytes() - part.bytes;
  part.bytes = shard->bytes();
  return place;
}

Place PageTable::FindOrAdd(PageId page, bool* added) {
  const Place place = FindPlace(page);
  *added = !place;
  return place ? place : AddNew(page, State());
}

void PageTable::Change(ShardId shard, Place place, State state) {
  const State before = place.Get();
  Count(shard_totals_[shard.value], before, state);
  Count(totals_, before, state);
  place.Set(state);
}

bool PageTable::Add(PageId page) {
  bool added;
  FindOrAdd(page, &added);
  return added;
}

bool PageTable::AddMoved(const Page& page) {
  if (FindPlace(page.page)) return false;
  AddNew(page.page, {page.cash, page.done, /*ordered=*/false});
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

void PageTable::ClearOrdered() {
  for (const auto& shard : shards_) {
    if (shard == nullptr) continue;
    shard->ForEach(0, kPageIdCount, [](uint64_t, Place place) {
      State state = place.Get();
      state.ordered = false;
      place.Set(state);
    });
  }
  for (Totals& totals : shard_totals_) totals.ordered = 0;
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
  for (size_t s = 0; s < shards_.size(); ++s) {
    cash::Sum deviation = 0;
    if (shards_[s] != nullptr) {
      shards_[s]->ForEach(0, kPageIdCount, [&](uint64_t, Place place) {
        const State state = place.Get();
        if (state.done) deviation += Distance(state.cash.value(), reference);
      });
    }
    shard_totals_[s].done_deviation = deviation;
    totals_.done_deviation += deviation;
  }
}

Totals PageTable::totals() const { return totals_; }

Totals PageTable::totals(ShardId shard) const {
  OPIC_CHECK(shard.value < shards_.size()) << "no shard " << shard.value;
  return shard_totals_[shard.value];
}

uint32_t PageTable::shards() const { return static_cast<uint32_t>(shards_.size()); }

}  // namespace opic::page_table
