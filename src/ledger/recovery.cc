#include "ledger/recovery.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::ledger {

absl::Status Recovery::Genesis() {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kCharterKey, parts_.charter.Encode());
  const bool successor = !parts_.charter.lost.empty();
  Balances balances;
  if (successor) balances = TakeOver(batch);
  RETURN_IF_ERROR(
      base::WithContext(parts_.store.Write(batch, store::Sync::kYes), "writing the charter"));
  if (successor) parts_.persistence.Appended(std::move(balances));
  parts_.peers.Committed();
  parts_.restating.Committed();
  return absl::OkStatus();
}

Balances Recovery::TakeOver(store::Batch& batch) {
  cash::Sum received = 0, sealed = 0, clock = 0;
  for (const LostChannel& lost : parts_.charter.lost) {
    OPIC_CHECK(parts_.peers.Has(lost.peer)) << "a lost folder had a channel to no peer";
    parts_.peers.TakeOver(lost);
    received += lost.received;
    sealed += lost.sealed;
    clock = std::max(clock, lost.clock);
  }
  Books& books = parts_.books;
  books.SetPassed(received, sealed);
  books.SetBalances(cash::Amount(static_cast<int64_t>(books.Due())), clock);
  JournalRecord record;
  record.method = parts_.charter.method;
  record.after = books.BalancesAfter(record);
  parts_.accounting.AddTo(record.after);
  parts_.persistence.Append(record, batch);
  parts_.peers.WriteTo(batch);
  parts_.restating.RecordsWereLost();
  parts_.restating.WriteTo(batch);
  parts_.accounting.Recovered(record.after);
  return std::move(record.after);
}

absl::StatusOr<RecoveryReport> Recovery::Recover() {
  Books& books = parts_.books;
  ASSIGN_OR_RETURN(const RecoveryReport report, parts_.persistence.Load(books));
  const Balances& last = parts_.persistence.balances();
  books.SetBalances(last.virtual_page, last.clock);
  books.SetPassed(last.received, last.sealed);
  RETURN_IF_ERROR(parts_.peers.Load(parts_.store));
  RETURN_IF_ERROR(parts_.moves.Load());
  RETURN_IF_ERROR(parts_.held.Load(parts_.store));
  RETURN_IF_ERROR(parts_.restating.Load());
  RETURN_IF_ERROR(CheckBooks());
  books.by_kind() = last.by_kind;
  parts_.accounting.Recovered(last);
  if (const auto reference = parts_.accounting.BetterReference())
    books.table().SetReference(*reference);
  return report;
}

// The table, the virtual page and the books of the peers tell one story with the journal.
absl::Status Recovery::CheckBooks() const {
  const Books& books = parts_.books;
  if (!books.Balanced()) {
    return base::DamagedFolder(absl::StrCat(
        "table ", cash::ToString(books.table().totals().cash), " + virtual page ",
        books.virtual_page().units(), " is not genesis ", books.genesis().units(), " + received ",
        cash::ToString(books.received()), " - sealed ", cash::ToString(books.sealed())));
  }
  const Passed passed = parts_.peers.EverPassed();
  if (passed.received != books.received() || passed.sealed != books.sealed()) {
    return base::DamagedFolder("the books of the peers do not have the sums of the journal");
  }
  const uint64_t pages = books.table().totals().pages;
  if (pages != parts_.persistence.balances().pages) {
    return base::DamagedFolder(absl::StrFormat("the table has %d pages, the journal says %d", pages,
                                               parts_.persistence.balances().pages));
  }
  return absl::OkStatus();
}

}  // namespace opic::ledger
