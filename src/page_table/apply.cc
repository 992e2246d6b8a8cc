// Implements a part of page_table/page_table.h. Credits in bulk. A credit goes through three
// stages, so that the waits for memory of many overlap: ask for the line its page should be in;
// look there, and ask for the other line if it is not; pay.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/check.h"
#include "base/fork_join.h"
#include "page_table/arena.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"

namespace opic::page_table {

namespace {

// Enough for the memory system to be always busy, few enough for the first cache.
constexpr size_t kBlock = 24;
// The helper is not woken for less: that takes as long as a thousand credits.
constexpr size_t kSharedCreditsMin = 4'000;
constexpr size_t kPieceCreditsMin = 256;

// In pieces, each a quarter of what is left, so that there are few of them and both threads end at
// about the same time. Each shard's credits are in one.
std::vector<absl::Span<const Credit>> PiecesOf(absl::Span<const Credit> credits) {
  std::vector<absl::Span<const Credit>> pieces;
  while (!credits.empty()) {
    size_t end = std::min(std::max(kPieceCreditsMin, credits.size() / 4), credits.size());
    const ShardId last = credits[end - 1].page.shard();
    while (end < credits.size() && credits[end].page.shard() == last) ++end;
    pieces.push_back(credits.subspan(0, end));
    credits.remove_prefix(end);
  }
  return pieces;
}

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

// What the credits that one thread pays change of all that is not their shards' own, kept apart
// while they are paid.
struct PageTable::Gains {
  Roundings roundings;
  Totals totals;
  cash::Sum left = 0;  // of the accounts, less what they were lent
};

// Of the shard whose credits are being paid: what they take their rounding from, and what they add
// to the shard's totals, which are told at its end.
struct PageTable::Account {
  const cash::Amount loan;
  // Begins anew where another shard does.
  void OfShard(ShardTotals& next, Totals& totals) {
    if (&next == shard) return;
    Close(totals);
    shard = &next;
    reserve = loan;
  }
  void Close(Totals& totals) {
    if (shard == nullptr) return;
    left += cash::Sum{reserve.units()} - loan.units();
    for (ShardTotals* sums : {shard, static_cast<ShardTotals*>(&totals)}) {
      sums->cash += cash;
      sums->in_debt += in_debt;
    }
    cash = 0;
    in_debt = 0;
  }

  ShardTotals* shard = nullptr;
  cash::Amount reserve;
  cash::Sum cash = 0;
  uint64_t in_debt = 0;
  cash::Sum left = 0;
};

// As Change, for a page whose cash grows by `gain`, to the cell `after`.
inline void PageTable::Credited(State before, cash::Cell after, int64_t gain, Account& account,
                                CashSums& sums) const {
  const int64_t was = before.cash.value().units(), is = was + gain;
  account.cash += gain;
  account.in_debt += uint64_t{after.in_debt()} - uint64_t{before.cash.in_debt()};
  if (!before.done) {
    if (before.cash.in_debt() || after.in_debt())
      sums.undone_debt += std::max(int64_t{0}, -is) - std::max(int64_t{0}, -was);
    return;
  }
  // What pages and reference hold is below 2^62: no difference here needs more than 64 bits.
  const int64_t reference = reference_.units();
  sums.done_cash += gain;
  sums.done_magnitude += std::abs(is) - std::abs(was);
  sums.done_deviation += std::abs(is - reference) - std::abs(was - reference);
}

void PageTable::UseHelper() {
  try {
    fork_join_ = std::make_unique<base::ForkJoin>("opic-credits");
  } catch (const std::system_error&) {
    // The system has no more threads: the owner pays alone.
  }
}

absl::Duration PageTable::helper_cpu() const {
  return fork_join_ == nullptr ? absl::ZeroDuration() : fork_join_->helper_cpu();
}

cash::Sum PageTable::Apply(absl::Span<const Credit> credits, uint64_t log_number,
                           cash::Amount loan) {
  std::array<Gains, 2> gains;  // of the owner, and of the helper
  // While copies are made they are told of every change, by one thread.
  if (fork_join_ == nullptr || copies_ != nullptr || credits.size() < kSharedCreditsMin) {
    PayAll(credits, log_number, loan, gains.front());
  } else {
    const std::vector<absl::Span<const Credit>> pieces = PiecesOf(credits);
    fork_join_->Run(pieces.size(), [&](base::ForkJoin::Worker worker, size_t piece) {
      PayAll(pieces[piece], log_number, loan, gains[static_cast<size_t>(worker)]);
    });
  }
  cash::Sum left = 0;
  for (const Gains& its : gains) {
    roundings_ += its.roundings;
    totals_ += its.totals;
    left += its.left;
  }
  return left;
}

// Of two blocks of credits the later is asked for before the earlier is paid, and looked at after
// that: waits for memory overlap with work. Asking is a loop of its own, so that the processor has
// many addresses to look up at a time. Credits are paid in the order given. All that is called here
// is small: calls would cost as much as what they do.
__attribute__((flatten)) void PageTable::PayAll(absl::Span<const Credit> credits,
                                                uint64_t log_number, cash::Amount loan,
                                                Gains& gains) {
  std::array<Sighting, 2 * kBlock> sightings;
  Account account{.loan = loan};
  Totals totals;
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
      if (!place && sighting.IsSure()) place = AddNew(asked[i].page, totals);
      Pay(asked[i], place, log_number, account, totals, gains.roundings);
    }
    for (size_t i = 0; i < next.size(); ++i) sightings[half + i].Look();
    credits.remove_prefix(next.size());
    asked = next;
  }
  account.Close(totals);
  gains.totals += totals;
  gains.left += account.left;
}

// `place`: where the page was seen, if it was.
inline void PageTable::Pay(const Credit& credit, Place place, uint64_t log_number, Account& account,
                           Totals& totals, Roundings& roundings) {
  const auto [page, amount] = credit;
  account.OfShard(shard_totals_[page.shard().value], totals);
  if (!place) {
    bool added;
    place = FindOrAdd(page, totals, &added);
  }
  State state = place.Get();
  const int64_t reserve = account.reserve.units();
  const uint64_t draw = cash::RoundingDraw(log_number, page);
  const cash::Cell cell = cash::AddRounded(state.cash, amount, draw, &account.reserve);
  roundings.Count(state.cash, cell);
  const int64_t gain = amount.units() - (account.reserve.units() - reserve);
  Credited(state, cell, gain, account, totals);
  state.cash = cell;
  arena_->WillChange(place.at());
  place.Set(state);
}

}  // namespace opic::page_table
