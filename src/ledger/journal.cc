#include "ledger/journal.h"

#include <array>
#include <bit>

#include "base/check.h"
#include "base/encoding.h"
#include "base/rng.h"

namespace opic::ledger {
namespace {

// A count of items of at least `item_bytes_min` bytes. It comes from disk: a vector may not be made
// larger than the bytes that could fill it.
uint64_t Count(base::Decoder& in, size_t item_bytes_min) {
  const uint64_t count = in.Varint();
  if (count > in.rest().size() / item_bytes_min) in.Fail();
  return in.ok() ? count : 0;
}

ShardId ReadShard(base::Decoder& in) {
  const uint64_t shard = in.Varint();
  if (shard <= kShardOrNodeMax) return ShardAt(shard);
  in.Fail();
  return ShardId();
}

PageId ReadPage(base::Decoder& in, uint64_t word) {
  if (!PageId::IsValidWord(word)) in.Fail();
  return PageId::FromWord(word);
}

// By ledger push amounts have either sign, in the paper's accounting they have none.
void AppendAmount(std::string& out, cash::Amount amount, importance::Method method) {
  if (method == importance::Method::kPush) {
    base::AppendZigzag(out, amount.units());
  } else {
    base::AppendVarint(out, amount.units());
  }
}

cash::Amount ReadAmount(base::Decoder& in, importance::Method method) {
  if (method == importance::Method::kPush) return cash::Amount(in.Zigzag());
  const uint64_t units = in.Varint();
  if (units > cash::kHoldingMax.magnitude()) in.Fail();
  return cash::Amount(static_cast<int64_t>(units));
}

// The virtual page's account may be a debt, after a loss with windows, too: then the varint is that
// of the two's complement.
cash::Amount ReadBalance(base::Decoder& in, importance::Method method) {
  if (method == importance::Method::kPush) return cash::Amount(in.Zigzag());
  const cash::Amount balance(static_cast<int64_t>(in.Varint()));
  if (balance.magnitude() > cash::kHoldingMax.magnitude()) in.Fail();
  return balance;
}

void AppendVisits(std::string& out, const std::vector<JournalVisit>& visits,
                  importance::Method method) {
  base::AppendVarint(out, visits.size());
  for (const JournalVisit& visit : visits) {
    base::AppendFixed64(out, visit.page.word());
    out.push_back(
        static_cast<char>(static_cast<uint8_t>(visit.kind) << 1 | (visit.settled ? 1 : 0)));
    AppendAmount(out, visit.taken, method);
  }
}

void ReadVisits(base::Decoder& in, std::vector<JournalVisit>& visits, importance::Method method) {
  visits.resize(Count(in, 10));
  for (JournalVisit& visit : visits) {
    visit.page = ReadPage(in, in.Fixed64());
    const uint8_t kind = in.Byte();
    visit.kind = static_cast<VisitKind>(kind >> 1);
    visit.settled = (kind & 1) != 0;
    visit.taken = ReadAmount(in, method);
    if (visit.kind > VisitKind::kOutOfScope) in.Fail();
  }
}

// A page pays each of its links the same, so few of the amounts of a record differ. Each is written
// out where it is met first, and is told by its number from then on: the n-th that was written out
// is number n. Only so many have numbers.
constexpr size_t kNumberedAmounts = 1024;
constexpr uint64_t kWrittenOut = 0;  // in place of a number

class AmountNumbers {
 public:
  // Its number, or kWrittenOut: it has none yet, but now, if there is one left.
  uint64_t NumberOf(cash::Amount amount) {
    size_t place = base::Mix64(static_cast<uint64_t>(amount.units())) % places_.size();
    for (; places_[place] != 0; place = (place + 1) % places_.size()) {
      if (amounts_[places_[place] - 1u] == amount) return places_[place];
    }
    if (amounts_.size() < kNumberedAmounts) {
      amounts_.push_back(amount);
      places_[place] = static_cast<uint16_t>(amounts_.size());
    }
    return kWrittenOut;
  }

 private:
  std::vector<cash::Amount> amounts_;
  std::array<uint16_t, 4 * kNumberedAmounts> places_ = {};  // numbers, by a hash of the amount
};

void AppendCredits(std::string& out, const std::vector<page_table::Credit>& credits,
                   importance::Method method) {
  base::AppendVarint(out, credits.size());
  AmountNumbers numbers;
  uint64_t before = 0;
  for (const page_table::Credit& credit : credits) {
    base::AppendVarint(out, credit.page.word() - before);
    const uint64_t number = numbers.NumberOf(credit.amount);
    base::AppendVarint(out, number);
    if (number == kWrittenOut) AppendAmount(out, credit.amount, method);
    before = credit.page.word();
  }
}

// Records of folders before version 8 write each amount out, without a number.
void ReadCredits(base::Decoder& in, std::vector<page_table::Credit>& credits,
                 importance::Method method, bool numbered) {
  credits.resize(Count(in, 2));
  std::vector<cash::Amount> amounts;
  uint64_t word = 0;
  for (page_table::Credit& credit : credits) {
    const uint64_t step = in.Varint();
    // Ascending, one a page; only the first may be page 0.
    if ((step == 0 && &credit != &credits.front()) || word + step < word) in.Fail();
    word += step;
    credit.page = ReadPage(in, word);
    const uint64_t number = numbered ? in.Varint() : kWrittenOut;
    if (number > amounts.size()) in.Fail();
    if (!in.ok()) return;
    if (number != kWrittenOut) {
      credit.amount = amounts[number - 1];
      continue;
    }
    credit.amount = ReadAmount(in, method);
    if (numbered && amounts.size() < kNumberedAmounts) amounts.push_back(credit.amount);
  }
}

void AppendInstalments(std::string& out, const std::vector<Instalment>& instalments) {
  base::AppendVarint(out, instalments.size());
  for (const Instalment& instalment : instalments) {
    base::AppendVarint(out, instalment.shard.value);
    base::AppendVarint(out, instalment.first);
    base::AppendVarint(out, instalment.last);
    out.push_back(static_cast<char>(instalment.unread_only));
    base::AppendVarint(out, instalment.each.units());
  }
}

void ReadInstalments(base::Decoder& in, std::vector<Instalment>& instalments) {
  instalments.resize(Count(in, 5));
  for (Instalment& instalment : instalments) {
    instalment.shard = ReadShard(in);
    instalment.first = in.Varint();
    instalment.last = in.Varint();
    instalment.unread_only = in.Byte() != 0;
    instalment.each = cash::Amount(in.Varint());
    if (instalment.first >= instalment.last || instalment.last > kPageIdCount) in.Fail();
  }
}

// In the first byte of a record, beside how it rounds:
constexpr uint8_t kMoves = 2;     // departures and arrivals follow
constexpr uint8_t kPush = 4;      // it is one of ledger push
constexpr uint8_t kNumbered = 8;  // amounts of credits have numbers: from folder version 8 on

void AppendMoves(std::string& out, const JournalRecord& record) {
  base::AppendVarint(out, record.departures.size());
  for (const Departure& departure : record.departures) {
    base::AppendVarint(out, departure.shard.value);
    base::AppendVarint(out, departure.pages);
    base::AppendVarint128(out, departure.cash);
  }
  base::AppendVarint(out, record.arrivals.size());
  uint64_t before = 0;
  for (const ArrivedPage& arrival : record.arrivals) {
    OPIC_CHECK(&arrival == &record.arrivals.front() || arrival.page.word() > before)
        << "arrivals that do not ascend";
    base::AppendVarint(out, arrival.page.word() - before);
    out.push_back(
        static_cast<char>(uint32_t{arrival.cash.in_debt()} << 1 | uint32_t{arrival.done}));
    out.push_back(static_cast<char>(arrival.cash.bits()));
    out.push_back(static_cast<char>(arrival.cash.bits() >> 8));
    before = arrival.page.word();
  }
}

void ReadArrivals(base::Decoder& in, std::vector<ArrivedPage>& arrivals) {
  arrivals.resize(Count(in, 4));
  uint64_t word = 0;
  for (ArrivedPage& arrival : arrivals) {
    const uint64_t step = in.Varint();
    if ((step == 0 && &arrival != &arrivals.front()) || word + step < word) in.Fail();
    word += step;
    arrival.page = ReadPage(in, word);
    const uint32_t flags = in.Byte();
    arrival.done = (flags & 1) != 0;
    const uint32_t low = in.Byte();
    const uint32_t bits = (flags >> 1) << 16 | uint32_t{in.Byte()} << 8 | low;
    if (!cash::Cell::IsValid(bits)) in.Fail();
    arrival.cash = cash::Cell::FromBits(in.ok() ? bits : 0);
  }
}

void ReadMoves(base::Decoder& in, JournalRecord& record) {
  record.departures.resize(Count(in, 3));
  for (Departure& departure : record.departures) {
    departure.shard = ReadShard(in);
    departure.pages = in.Varint();
    departure.cash = in.Varint128();
  }
  ReadArrivals(in, record.arrivals);
  if (!record.moves()) in.Fail();  // there is one way to write a record
}

void AppendBalances(std::string& out, const Balances& after, importance::Method method) {
  AppendAmount(out, after.virtual_page, method);
  base::AppendVarint128(out, after.clock);
  if (method == importance::Method::kPush) {
    base::AppendVarint128(out, after.history);
    base::AppendVarint128(out, after.kept);
  } else {
    base::AppendVarint128(out, after.fetch_clock);
    base::AppendVarint128(out, after.origin);
    base::AppendFixed64(out, std::bit_cast<uint64_t>(after.newcomer_importance));
  }
  base::AppendVarint(out, after.pages);
  base::AppendVarint128(out, after.received);
  base::AppendVarint128(out, after.sealed);
  for (uint64_t count : after.by_kind) base::AppendVarint(out, count);
  base::AppendVarint(out, after.shards.size());
  for (const auto& [shard, sum] : after.shards) {
    base::AppendVarint(out, shard.value);
    base::AppendVarint128(out, sum);
  }
}

void ReadBalances(base::Decoder& in, Balances& after, importance::Method method) {
  after.virtual_page = ReadBalance(in, method);
  after.clock = in.Varint128();
  if (method == importance::Method::kPush) {
    after.history = in.Varint128();
    after.kept = in.Varint128();
  } else {
    after.fetch_clock = in.Varint128();
    after.origin = in.Varint128();
    after.newcomer_importance = std::bit_cast<double>(in.Fixed64());
  }
  after.pages = in.Varint();
  after.received = in.Varint128();
  after.sealed = in.Varint128();
  for (uint64_t& count : after.by_kind) count = in.Varint();
  after.shards.resize(Count(in, 2));
  for (auto& [shard, sum] : after.shards) {
    shard = ReadShard(in);
    sum = in.Varint128();
  }
}

}  // namespace

std::string Encode(const JournalRecord& record) {
  std::string out;
  out.reserve(64 + 18 * record.visits.size() + 10 * record.credits.size());
  const bool push = record.method == importance::Method::kPush;
  out.push_back(static_cast<char>(static_cast<uint8_t>(record.rounding) |
                                  (record.moves() ? kMoves : 0) | (push ? kPush : 0) | kNumbered));
  AppendVisits(out, record.visits, record.method);
  AppendCredits(out, record.credits, record.method);
  AppendInstalments(out, record.instalments);
  base::AppendVarint(out, record.reopened.size());
  for (PageId page : record.reopened) base::AppendFixed64(out, page.word());
  if (record.moves()) AppendMoves(out, record);
  AppendBalances(out, record.after, record.method);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<JournalRecord> DecodeJournalRecord(std::string_view bytes) {
  base::Decoder in(bytes);
  JournalRecord record;
  const uint8_t first = in.Byte();
  record.rounding = static_cast<Rounding>(first & ~(kMoves | kPush | kNumbered));
  record.method = (first & kPush) != 0 ? importance::Method::kPush : importance::Method::kWindow;
  ReadVisits(in, record.visits, record.method);
  ReadCredits(in, record.credits, record.method, (first & kNumbered) != 0);
  ReadInstalments(in, record.instalments);
  record.reopened.resize(Count(in, 8));
  for (PageId& page : record.reopened) page = ReadPage(in, in.Fixed64());
  if ((first & kMoves) != 0) ReadMoves(in, record);
  ReadBalances(in, record.after, record.method);
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done() || record.rounding > Rounding::kDown) {
    return absl::DataLossError("a journal record is damaged");
  }
  return record;
}

}  // namespace opic::ledger
