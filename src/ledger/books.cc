#include "ledger/books.h"

#include <algorithm>

#include "base/check.h"

namespace opic::ledger {
namespace {

// Lent to a shard's rounding when the account can pay for any draw; larger than any draw can take.
constexpr cash::Amount kLoan = cash::kSupply;

cash::Amount LoanFor(Rounding rounding) {
  return rounding == Rounding::kUnbiased ? kLoan : cash::Amount();
}

// Rounding one cell up takes less than a step, at most value/1024 + 1.
cash::Sum RoundingBound(cash::Sum cash, uint64_t pages) {
  return cash / 1024 + static_cast<cash::Sum>(pages);
}

std::vector<ShardId> ShardsOf(const JournalRecord& record) {
  std::vector<ShardId> shards;
  const auto touch = [&](ShardId shard) {
    if (shards.empty() || shards.back() != shard) shards.push_back(shard);
  };
  for (const page_table::Credit& credit : record.credits) touch(credit.page.shard());
  for (const JournalVisit& visit : record.visits) touch(visit.page.shard());
  for (const Instalment& instalment : record.instalments) touch(instalment.shard);
  for (PageId page : record.reopened) touch(page.shard());
  for (const Departure& departure : record.departures) touch(departure.shard);
  for (const ArrivedPage& arrival : record.arrivals) touch(arrival.page.shard());
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  return shards;
}

}  // namespace

cash::Amount Books::TakeForVisit(PageId page) {
  const cash::Amount paid = table_.Take(page);
  clock_ += paid.units();
  return paid;
}

uint64_t Books::reread() const {
  uint64_t visited = 0;
  for (uint64_t count : by_kind_) visited += count;
  OPIC_CHECK(visited >= table_.totals().done) << "pages are done that were never visited";
  return visited - table_.totals().done;
}

uint64_t Books::PayeesOf(const Instalment& instalment) const {
  return table_.CountRange(instalment.shard, instalment.first, instalment.last,
                           instalment.unread_only);
}

Rounding Books::RoundingFor(absl::Span<const page_table::Credit> credits,
                            absl::Span<const Instalment> instalments) const {
  // No cell will hold more than all pages have then.
  cash::Sum cash = table_.totals().cash;
  for (const page_table::Credit& credit : credits) cash += credit.amount.units();
  cash::Sum bound = RoundingBound(cash, credits.size());
  cash::Sum paid_to_shard = 0;
  for (size_t i = 0; i < instalments.size(); ++i) {
    const page_table::ShardTotals shard = table_.totals(instalments[i].shard);
    const cash::Sum paid =
        cash::Sum{instalments[i].each.units()} * static_cast<cash::Sum>(PayeesOf(instalments[i]));
    if (i > 0 && instalments[i].shard != instalments[i - 1].shard) paid_to_shard = 0;
    paid_to_shard += paid;
    bound += paid + RoundingBound(shard.cash + paid_to_shard, shard.pages);
  }
  return virtual_page_.units() >= bound ? Rounding::kUnbiased : Rounding::kDown;
}

void Books::PayCredits(absl::Span<const page_table::Credit> credits, Rounding rounding,
                       uint64_t log_number, ShardFilter wanted) {
  const cash::Amount loan = LoanFor(rounding);
  size_t begin = 0;  // of wanted credits not yet paid: of all shards at once, where all are wanted
  const auto pay = [&](size_t end, size_t next) {
    const cash::Sum left = table_.Apply(credits.subspan(begin, end - begin), log_number, loan);
    virtual_page_ += cash::Amount(static_cast<int64_t>(left));
    begin = next;
  };
  for (size_t at = 0; at < credits.size();) {
    const ShardId shard = credits[at].page.shard();
    size_t end = at;
    while (end < credits.size() && credits[end].page.shard() == shard) ++end;
    OPIC_CHECK(end == credits.size() || credits[end].page.shard().value > shard.value)
        << "credits that do not ascend";
    if (!wanted(shard)) pay(at, end);
    at = end;
  }
  pay(credits.size(), credits.size());
}

void Books::PayInstalment(const Instalment& instalment, size_t nth, Rounding rounding,
                          uint64_t log_number) {
  const cash::Amount owed(instalment.each.units() * static_cast<int64_t>(PayeesOf(instalment)));
  // Another draw than that of the record's credits, and of its other instalments.
  const uint64_t draws = log_number << 16 | (nth + 1);
  cash::Amount reserve = owed + LoanFor(rounding);
  table_.PayRange(instalment.shard, instalment.first, instalment.last, instalment.unread_only,
                  instalment.each, draws, &reserve);
  virtual_page_ += reserve;
  virtual_page_ -= LoanFor(rounding);
  virtual_page_ -= owed;
}

Balances Books::BalancesAfter(const JournalRecord& record) const {
  Balances after;
  after.virtual_page = virtual_page_;
  after.clock = clock_;
  after.pages = table_.totals().pages;
  after.by_kind = by_kind_;
  after.received = received_;
  after.sealed = sealed_;
  for (ShardId shard : ShardsOf(record)) {
    after.shards.emplace_back(shard, table_.totals(shard).cash);
  }
  return after;
}

}  // namespace opic::ledger
