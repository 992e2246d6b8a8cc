// Implements a part of page_table/page_table.h. Credits in bulk. A credit goes through three
// stages, so that the waits for memory of many overlap: ask for the line its page should be in;
// look there, and ask for the other line if it is not; pay.
#include <array>

#include "base/check.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Credits between two stages: enough for the memory system to be always busy, few enough for the
// first cache.
constexpr size_t kChunk = 96;

// A lookup under way. Void once pages of its shard have moved.
class Sighting {
 public:
  void Ask(Shard* shard, uint64_t id) {
    id_ = id;
    shard_ = shard;
    if (shard == nullptr) return;
    moves_ = shard->moves();
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
  // Nowhere: not known, or moved meanwhile.
  Place Find() const {
    if (shard_ == nullptr || shard_->moves() != moves_) return Place();
    if (lookup_.line != nullptr) return lookup_.Find();
    return roster_ == nullptr ? Place() : roster_->FindNear(id_, guess_);
  }

 private:
  Segment::Lookup lookup_;
  const Shard* shard_ = nullptr;
  Roster* roster_ = nullptr;
  uint64_t id_ = 0, guess_ = 0, moves_ = 0;
};

}  // namespace

// What credits take their rounding from.
struct PageTable::Account {
  const cash::Amount loan;
  // Begins anew where another shard does.
  void OfShard(ShardId next) {
    if (next == shard) return;
    Close();
    shard = next;
    reserve = loan;
  }
  void Close() { left += cash::Sum{reserve.units()} - (shard ? loan.units() : 0); }

  std::optional<ShardId> shard;
  cash::Amount reserve;
  cash::Sum left = 0;
};

cash::Sum PageTable::Apply(absl::Span<const Credit> credits, uint64_t log_number,
                           cash::Amount loan) {
  Account account{.loan = loan, .shard = {}, .reserve = {}};
  while (!credits.empty()) {
    const auto chunk = credits.subspan(0, kChunk);
    ApplyChunk(chunk, log_number, account);
    credits.remove_prefix(chunk.size());
  }
  account.Close();
  return account.left;
}

// What credits change of the sums, kept apart from the table while a chunk is paid.
struct PageTable::Gains {
  DoneSums done;
  cash::Sum cash = 0;
  uint64_t in_debt = 0;
};

// As Change, for a page of which only the cash changes. Without branches: whether a page is done
// cannot be foreseen.
inline void PageTable::Credited(ShardTotals& part, State before, cash::Cell after,
                                Gains& gains) const {
  const cash::Amount was = before.cash.value(), is = after.value();
  const cash::Sum gain = cash::Sum{is.units()} - was.units();
  const uint64_t in_debt = uint64_t{after.in_debt()} - uint64_t{before.cash.in_debt()};
  part.cash += gain;
  part.in_debt += in_debt;
  gains.cash += gain;
  gains.in_debt += in_debt;
  // What pages and reference hold is below 2^62: no difference here needs more than 64 bits.
  const int64_t counts = before.done ? -1 : 0;
  const auto magnitude = static_cast<int64_t>(is.magnitude() - was.magnitude());
  const auto deviation =
      static_cast<int64_t>((is - reference_).magnitude() - (was - reference_).magnitude());
  gains.done.done_cash += (is.units() - was.units()) & counts;
  gains.done.done_magnitude += magnitude & counts;
  gains.done.done_deviation += deviation & counts;
}

// Three rounds; only the last changes anything, in the order given. All that is called here is
// small: calls would cost as much as what they do.
__attribute__((flatten)) void PageTable::ApplyChunk(absl::Span<const Credit> credits,
                                                    uint64_t log_number, Account& account) {
  std::array<Sighting, kChunk> sightings;
  for (size_t i = 0; i < credits.size(); ++i) {
    const PageId page = credits[i].page;
    const ShardId shard = page.shard();
    OPIC_CHECK(shard.value < shards_.size()) << "no shard " << shard.value;
    sightings[i].Ask(shards_[shard.value].get(), page.id());
  }
  for (size_t i = 0; i < credits.size(); ++i) sightings[i].Look();
  Gains gains;
  for (size_t i = 0; i < credits.size(); ++i) {
    const auto [page, amount] = credits[i];
    account.OfShard(page.shard());
    Place place = sightings[i].Find();
    if (!place) {
      bool added;
      place = FindOrAdd(page, &added);
    }
    State state = place.Get();
    const uint64_t draw = cash::RoundingDraw(log_number, page);
    const cash::Cell cell = cash::AddRounded(state.cash, amount, draw, &account.reserve);
    roundings_.Count(state.cash, cell);
    Credited(shard_totals_[page.shard().value], state, cell, gains);
    state.cash = cell;
    place.Set(state);
  }
  totals_.cash += gains.cash;
  totals_.in_debt += gains.in_debt;
  totals_.done_cash += gains.done.done_cash;
  totals_.done_magnitude += gains.done.done_magnitude;
  totals_.done_deviation += gains.done.done_deviation;
}

}  // namespace opic::page_table
