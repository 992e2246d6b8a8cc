#include "page_table/page_table.h"

#include <array>
#include <bit>

#include "base/check.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Enough for the memory system to be busy all the time, few enough for their lines to stay in the
// first cache.
constexpr size_t kChunk = 96;

Page PageOf(PageId page, State state) { return {page, state.cash, state.done, state.ordered}; }

void Count(Totals& totals, State before, State after) {
  totals.done += uint64_t{after.done} - uint64_t{before.done};
  totals.ordered +=
      uint64_t{after.ordered && !after.done} - uint64_t{before.ordered && !before.done};
  totals.cash += cash::Sum{after.cash.value().units()} - before.cash.value().units();
}

}  // namespace

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

void PageTable::Apply(absl::Span<const Credit> credits, uint64_t log_number,
                      cash::Amount* reserve) {
  while (!credits.empty()) {
    const auto chunk = credits.subspan(0, kChunk);
    ApplyChunk(chunk, log_number, reserve);
    credits.remove_prefix(chunk.size());
  }
}

// Three rounds, so that the waits for memory overlap: ask for the home lines; look into them and
// ask for the second lines of who is not at home; pay. Only the last changes anything, in the order
// given.
void PageTable::ApplyChunk(absl::Span<const Credit> credits, uint64_t log_number,
                           cash::Amount* reserve) {
  struct Probe {
    const Segment* segment = nullptr;  // null: the page is in a roster, or in no shard
    Segment::Home home;
    Place place;
  };
  std::array<Probe, kChunk> probes;
  for (size_t i = 0; i < credits.size(); ++i) {
    const Shard* shard = ShardOf(credits[i].page.shard());
    const Segment* segment = shard == nullptr ? nullptr : shard->SegmentOf(credits[i].page.id());
    if (segment == nullptr) continue;
    probes[i] = {segment, segment->HomeOf(credits[i].page.id()), Place()};
    segment->PrefetchHome(probes[i].home);
  }
  for (size_t i = 0; i < credits.size(); ++i) {
    Probe& probe = probes[i];
    if (probe.segment == nullptr) continue;
    probe.place = probe.segment->FindAtHome(probe.home);
    if (!probe.place) probe.segment->PrefetchAway(probe.home);
  }
  bool moved = false;  // a page was added: what was found before may lie elsewhere now
  for (size_t i = 0; i < credits.size(); ++i) {
    const auto [page, amount] = credits[i];
    Place place = moved ? Place() : probes[i].place;
    if (!place && !moved && probes[i].segment != nullptr) {
      place = probes[i].segment->FindAway(probes[i].home);
    }
    if (!place) {
      bool added;
      place = FindOrAdd(page, &added);
      moved |= added;
    }
    State state = place.Get();
    state.cash =
        cash::AddRounded(state.cash, amount, cash::RoundingDraw(log_number, page), reserve);
    Change(page.shard(), place, state);
  }
}

Totals PageTable::totals() const { return totals_; }

Totals PageTable::totals(ShardId shard) const { return shard_totals_[shard.value]; }

uint32_t PageTable::shards() const { return static_cast<uint32_t>(shards_.size()); }

}  // namespace opic::page_table
