#include "ledger/replay.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the data folder is damaged: ", std::string(what),
                                          "; restore it from a backup"));
}

absl::Status NamesNoShard(uint64_t log_number) {
  return Damaged(absl::StrCat("journal record ", log_number, " names a shard that there is not"));
}

}  // namespace

absl::Status Replay::Apply(uint64_t log_number, const JournalRecord& record) {
  const auto behind = [&](ShardId shard) { return backlog_.position(shard) < log_number; };
  const auto known = [&](ShardId shard) { return shard.value < shards_; };
  RETURN_IF_ERROR(ReplayMoves(log_number, record));
  RETURN_IF_ERROR(ReplayVisits(log_number, record));
  for (size_t i = 0; i < record.instalments.size(); ++i) {
    const Instalment& instalment = record.instalments[i];
    if (!known(instalment.shard)) return NamesNoShard(log_number);
    if (!behind(instalment.shard)) continue;
    // The balance that pays is settled by the record's end; here the account only has to bear it.
    books_.SetBalances(books_.supply(), books_.clock());
    books_.PayInstalment(instalment, i, record.rounding, log_number);
  }
  if (!record.credits.empty() && !known(record.credits.back().page.shard())) {
    return NamesNoShard(log_number);
  }
  books_.SetBalances(books_.supply(), books_.clock());
  books_.PayCredits(record.credits, record.rounding, log_number, behind);
  for (const auto& [shard, sum] : record.after.shards) {
    if (!known(shard)) return NamesNoShard(log_number);
    if (behind(shard) && books_.table().totals(shard).cash != sum) {
      return Damaged(absl::StrFormat("shard %d does not have the sum of journal record %d",
                                     shard.value, log_number));
    }
  }
  return absl::OkStatus();
}

absl::Status Replay::ReplayMoves(uint64_t log_number, const JournalRecord& record) {
  const auto refuse = [&](std::string_view why) {
    return Damaged(absl::StrCat("journal record ", log_number, " ", std::string(why)));
  };
  for (const Departure& departure : record.departures) {
    if (departure.shard.value >= shards_) return NamesNoShard(log_number);
    if (backlog_.position(departure.shard) >= log_number) continue;
    const page_table::ShardTotals totals = books_.table().totals(departure.shard);
    if (totals.pages != departure.pages || totals.cash != departure.cash) {
      return refuse("lets another shard depart than there is");
    }
    books_.table().Drop(departure.shard);
  }
  for (const ArrivedPage& arrival : record.arrivals) {
    if (arrival.page.shard().value >= shards_) return NamesNoShard(log_number);
    if (backlog_.position(arrival.page.shard()) >= log_number) continue;
    if (!books_.table().AddMoved({arrival.page, arrival.cash, arrival.done})) {
      return refuse("brings a page that is known");
    }
  }
  return absl::OkStatus();
}

absl::Status Replay::ReplayVisits(uint64_t log_number, const JournalRecord& record) {
  const auto refuse = [&](std::string_view why) {
    return Damaged(absl::StrCat("journal record ", log_number, " ", std::string(why)));
  };
  for (const JournalVisit& visit : record.visits) {
    if (visit.page.shard().value >= shards_) return NamesNoShard(log_number);
    if (backlog_.position(visit.page.shard()) >= log_number) continue;
    if (!books_.table().Find(visit.page)) return refuse("visits an unknown page");
    if (books_.TakeForVisit(visit.page) != visit.taken) return refuse("took another amount");
    if (!visit.settled) books_.table().SetDone(visit.page, true);
  }
  for (PageId page : record.reopened) {
    if (page.shard().value >= shards_) return NamesNoShard(log_number);
    if (backlog_.position(page.shard()) >= log_number) continue;
    if (!books_.table().Find(page)) return refuse("reopens an unknown page");
    books_.table().SetDone(page, false);
  }
  return absl::OkStatus();
}

}  // namespace opic::ledger
