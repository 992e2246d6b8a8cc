// Credits in bulk. A credit goes through three stages, so that the waits for memory of many
// overlap: ask for the line its page should be in; look there, and ask for the other line if it is
// not; pay.
#include <array>

#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Credits between two stages: enough for the memory system to be always busy, few enough for the
// first cache.
constexpr size_t kChunk = 96;

// Where a page was seen. Void once a page is added: others may have moved.
struct Sighting {
  const Segment* segment = nullptr;  // null: its shard is a roster, or has no pages
  Segment::Home home;
  Place place;

  void Ask(const Shard* shard, uint64_t id) {
    segment = shard == nullptr ? nullptr : shard->SegmentOf(id);
    if (segment == nullptr) return;
    home = segment->HomeOf(id);
    segment->PrefetchHome(home);
  }
  void Look() {
    if (segment == nullptr) return;
    place = segment->FindAtHome(home);
    if (!place) segment->PrefetchAway(home);
  }
  Place Find() const {
    if (segment == nullptr) return Place();
    return place ? place : segment->FindAway(home);
  }
};

}  // namespace

void PageTable::Apply(absl::Span<const Credit> credits, uint64_t log_number,
                      cash::Amount* reserve) {
  while (!credits.empty()) {
    const auto chunk = credits.subspan(0, kChunk);
    ApplyChunk(chunk, log_number, reserve);
    credits.remove_prefix(chunk.size());
  }
}

// Three rounds; only the last changes anything, in the order given.
void PageTable::ApplyChunk(absl::Span<const Credit> credits, uint64_t log_number,
                           cash::Amount* reserve) {
  std::array<Sighting, kChunk> sightings;
  for (size_t i = 0; i < credits.size(); ++i) {
    const PageId page = credits[i].page;
    sightings[i].Ask(ShardOf(page.shard()), page.id());
  }
  for (size_t i = 0; i < credits.size(); ++i) sightings[i].Look();
  cash::Amount account = *reserve;  // in a register, not in memory that others might see
  bool moved = false;               // a page was added: what was seen before may lie elsewhere now
  for (size_t i = 0; i < credits.size(); ++i) {
    const auto [page, amount] = credits[i];
    Place place = moved ? Place() : sightings[i].Find();
    if (!place) {
      bool added;
      place = FindOrAdd(page, &added);
      moved |= added;
    }
    State state = place.Get();
    const uint64_t draw = cash::RoundingDraw(log_number, page);
    const cash::Cell cell = cash::AddRounded(state.cash, amount, draw, &account);
    roundings_.Count(cell);
    state.cash = cell;
    Change(page.shard(), place, state);
  }
  *reserve = account;
}

}  // namespace opic::page_table
