// Implements a part of page_table/page_table.h. Credits in bulk. A credit goes through three
// stages, so that the waits for memory of many overlap: ask for the line its page should be in;
// look there, and ask for the other line if it is not; pay.
#include <array>

#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Credits between two stages: enough for the memory system to be always busy, few enough for the
// first cache.
constexpr size_t kChunk = 96;

// A lookup under way. Void once a page is added: others may have moved.
class Sighting {
 public:
  void Ask(Shard* shard, uint64_t id) {
    id_ = id;
    if (shard == nullptr) return;
    if (const Segment* segment = shard->SegmentOf(id)) {
      lookup_ = segment->LookupOf(id);
      __builtin_prefetch(lookup_.line);
    } else if (shard->roster().size() > 0) {
      roster_ = &shard->roster();
      guess_ = roster_->Guess(id);
      roster_->Prefetch(guess_);
    }
  }
  void Look() {
    if (lookup_.line != nullptr) {
      lookup_.Choose();
      __builtin_prefetch(lookup_.line);
    } else if (roster_ != nullptr) {
      guess_ = roster_->SecondGuess(id_, guess_);
      roster_->Prefetch(guess_);
    }
  }
  // Nowhere: not known.
  Place Find() const {
    if (lookup_.line != nullptr) return lookup_.Find();
    return roster_ == nullptr ? Place() : roster_->FindNear(id_, guess_);
  }

 private:
  Segment::Lookup lookup_;
  Roster* roster_ = nullptr;
  uint64_t id_ = 0, guess_ = 0;
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

// What credits change of the sums, kept apart from the table while a chunk is paid.
struct PageTable::Gains {
  DoneSums done;
  cash::Sum cash = 0;
  uint64_t in_debt = 0;
};

// As Change, for a page of which only the cash changes.
inline void PageTable::Credited(ShardId shard, State before, cash::Cell after, Gains& gains) {
  const cash::Amount was = before.cash.value(), is = after.value();
  const cash::Sum gain = cash::Sum{is.units()} - was.units();
  const uint64_t in_debt = uint64_t{after.in_debt()} - uint64_t{before.cash.in_debt()};
  ShardTotals& part = shard_totals_[shard.value];
  part.cash += gain;
  part.in_debt += in_debt;
  gains.cash += gain;
  gains.in_debt += in_debt;
  if (!before.done) return;
  gains.done.done_cash += gain;
  gains.done.done_magnitude += cash::Sum{is.magnitude()} - was.magnitude();
  gains.done.done_deviation +=
      cash::Sum{(is - reference_).magnitude()} - (was - reference_).magnitude();
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
  Gains gains;
  bool moved = false;  // a page was added: what was seen before may lie elsewhere now
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
    roundings_.Count(state.cash, cell);
    Credited(page.shard(), state, cell, gains);
    state.cash = cell;
    place.Set(state);
  }
  *reserve = account;
  totals_.cash += gains.cash;
  totals_.in_debt += gains.in_debt;
  totals_.done_cash += gains.done.done_cash;
  totals_.done_magnitude += gains.done.done_magnitude;
  totals_.done_deviation += gains.done.done_deviation;
}

}  // namespace opic::page_table
