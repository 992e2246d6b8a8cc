// Implements a part of page_table/page_table.h. Credits in bulk. A credit goes through three
// stages, so that the waits for memory of many overlap: ask for the line its page should be in;
// look there, and ask for the other line if it is not; pay.
#include <array>
#include <cstdlib>

#include "base/check.h"
#include "page_table/arena.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Enough for the memory system to be always busy, few enough for the first cache.
constexpr size_t kBlock = 24;

// A lookup under way. Void once pages of its shard have moved.
class Sighting {
 public:
  // Of a page of this shard, if there is one.
  void Ask(Shard* shard, uint64_t id) {
    id_ = id;
    lookup_.line = nullptr;
    roster_ = nullptr;
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
    if (IsVoid()) return;
    if (lookup_.line != nullptr) {
      if (!lookup_.IsAtHome()) __builtin_prefetch(lookup_.line);
    } else if (roster_ != nullptr) {
      guess_ = roster_->SecondGuess(id_, guess_);
      roster_->Prefetch(guess_);
    }
  }
  // Nowhere: not known, or moved meanwhile.
  Place Find() const {
    if (IsVoid()) return Place();
    if (lookup_.line != nullptr) return lookup_.Find();
    return roster_ == nullptr ? Place() : roster_->FindNear(id_, guess_);
  }
  // Whether it is sure that a page that Find has not found is not known.
  bool IsSure() const { return !IsVoid() && lookup_.line != nullptr && !lookup_.CameHome(); }

 private:
  bool IsVoid() const { return shard_ == nullptr || shard_->moves() != moves_; }

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

// What credits change of the sums, kept apart from the table while they are paid.
struct PageTable::Gains {
  DoneSums done;
  cash::Sum cash = 0;
  uint64_t in_debt = 0;
};

// As Change, for a page whose cash grows by `gain`, to the cell `after`. Without branches: whether
// a page is done cannot be foreseen.
inline void PageTable::Credited(ShardTotals& part, State before, cash::Cell after, int64_t gain,
                                Gains& gains) const {
  const int64_t was = before.cash.value().units(), is = was + gain;
  const uint64_t in_debt = uint64_t{after.in_debt()} - uint64_t{before.cash.in_debt()};
  part.cash += gain;
  part.in_debt += in_debt;
  gains.cash += gain;
  gains.in_debt += in_debt;
  // What pages and reference hold is below 2^62: no difference here needs more than 64 bits.
  const int64_t counts = before.done ? -1 : 0;
  const int64_t reference = reference_.units();
  gains.done.done_cash += gain & counts;
  gains.done.done_magnitude += (std::abs(is) - std::abs(was)) & counts;
  gains.done.done_deviation += (std::abs(is - reference) - std::abs(was - reference)) & counts;
}

// Of two blocks of credits the later is asked for before the earlier is paid, and looked at after
// that: waits for memory overlap with work. Asking is a loop of its own, so that the processor has
// many addresses to look up at a time. Credits are paid in the order given. All that is called here
// is small: calls would cost as much as what they do.
__attribute__((flatten)) cash::Sum PageTable::Apply(absl::Span<const Credit> credits,
                                                    uint64_t log_number, cash::Amount loan) {
  std::array<Sighting, 2 * kBlock> sightings;
  Account account{.loan = loan, .shard = {}, .reserve = {}};
  Gains gains;
  absl::Span<const Credit> asked;
  for (size_t half = 0; !credits.empty() || !asked.empty(); half = kBlock - half) {
    const auto next = credits.subspan(0, kBlock);
    for (size_t i = 0; i < next.size(); ++i) {
      const PageId page = next[i].page;
      const ShardId shard = page.shard();
      OPIC_CHECK(shard.value < shards_.size()) << "no shard " << shard.value;
      sightings[half + i].Ask(shards_[shard.value].get(), page.id());
    }
    for (size_t i = 0; i < asked.size(); ++i) {
      const Sighting& sighting = sightings[kBlock - half + i];
      Place place = sighting.Find();
      if (!place && sighting.IsSure()) place = AddNew(asked[i].page, State());
      Pay(asked[i], place, log_number, account, gains);
    }
    for (size_t i = 0; i < next.size(); ++i) sightings[half + i].Look();
    credits.remove_prefix(next.size());
    asked = next;
  }
  account.Close();
  totals_.cash += gains.cash;
  totals_.in_debt += gains.in_debt;
  totals_.done_cash += gains.done.done_cash;
  totals_.done_magnitude += gains.done.done_magnitude;
  totals_.done_deviation += gains.done.done_deviation;
  return account.left;
}

// `place`: where the page was seen, if it was.
inline void PageTable::Pay(const Credit& credit, Place place, uint64_t log_number, Account& account,
                           Gains& gains) {
  const auto [page, amount] = credit;
  account.OfShard(page.shard());
  if (!place) {
    bool added;
    place = FindOrAdd(page, &added);
  }
  State state = place.Get();
  const int64_t reserve = account.reserve.units();
  const uint64_t draw = cash::RoundingDraw(log_number, page);
  const cash::Cell cell = cash::AddRounded(state.cash, amount, draw, &account.reserve);
  roundings_.Count(state.cash, cell);
  const int64_t gain = amount.units() - (account.reserve.units() - reserve);
  Credited(shard_totals_[page.shard().value], state, cell, gain, gains);
  state.cash = cell;
  arena_->WillChange(place.at());
  place.Set(state);
}

}  // namespace opic::page_table
