// The naive second ledger of tests: std::map, one page after the other, no batches, no recovery.
//
// It is told what the crawl does, reads each journal record that the ledger wrote, works out by
// itself what the record should say and what it does to every page, and compares. It shares with
// the ledger the formats and the rounding of one cell, nothing else.
//
// Failures are told through GoogleTest. Copyable: a copy is the state before what follows.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace opic {

class SecondBookkeeper {
 public:
  explicit SecondBookkeeper(const ledger::Charter& charter)
      : charter_(charter), virtual_page_(charter.supply.units()) {}

  // What is about to be recorded in the present group.
  void Expect(const ledger::Visit& visit);
  void ExpectSeeds(absl::Span<const ledger::Link> pages);
  // The group was lost in a crash.
  void ForgetGroup();

  // Reads record `log_number` of `store` and enters it. REQUIRES: all before it were entered.
  void Enter(uint64_t log_number, store::Store& store);
  uint64_t entered() const { return entered_; }

  // Compares balances, every page of the table, every row of the store.
  void Compare(const ledger::Ledger& ledger, store::Store& store) const;

  const std::set<PageId>& done() const { return done_; }
  std::vector<PageId> pages() const;
  cash::Amount cash(PageId page) const { return pages_.at(page).cell.value(); }
  // Cash of all pages and the virtual page.
  __int128 Total() const;

 private:
  struct Account {
    cash::Cell cell;
    uint32_t visits = 0;
    cash::Sum history = 0;
    std::vector<PageId> links;  // kept
  };
  struct Outcome {
    bool keep_links;
    std::vector<PageId> links;
    std::vector<PageId> discovered;
  };

  // The credits that follow from the visits of a record; moves their cash.
  std::map<PageId, uint64_t> PayVisits(const ledger::JournalRecord& record);
  void PayInstalments(uint64_t log_number, const ledger::JournalRecord& record);
  void PayCredits(uint64_t log_number, const ledger::JournalRecord& record,
                  std::map<PageId, uint64_t> expected);
  void CompareTable(const ledger::Ledger& ledger) const;
  void CompareRows(const ledger::Ledger& ledger, store::Store& store) const;

  ledger::Charter charter_;
  std::map<PageId, Account> pages_;
  std::set<PageId> done_;
  __int128 virtual_page_;
  cash::Sum clock_ = 0;
  uint64_t entered_ = 0;

  std::map<PageId, std::deque<Outcome>> expected_;  // of the present group
  std::map<PageId, int> seeds_;                     // of the present group, by seeding
  int seedings_ = 0;
};

}  // namespace opic
