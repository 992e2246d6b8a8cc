#include "tests/support/second_bookkeeper.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/encoding.h"

namespace opic {

using ledger::VisitKind;

void SecondBookkeeper::Expect(const ledger::Visit& visit) {
  Outcome outcome{visit.kind == VisitKind::kNotModified, {}, {}};
  for (const ledger::Link& link : visit.links) {
    if (link.page != visit.page) outcome.links.push_back(link.page);
  }
  std::sort(outcome.links.begin(), outcome.links.end());
  for (const ledger::Link& link : visit.discovered) {
    if (link.page != visit.page) outcome.discovered.push_back(link.page);
  }
  expected_[visit.page].push_back(std::move(outcome));
}

void SecondBookkeeper::ExpectSeeds(absl::Span<const ledger::Link> pages) {
  ++seedings_;
  for (const ledger::Link& link : pages) {
    if (!pages_.contains(link.page)) seeds_.try_emplace(link.page, seedings_);
  }
}

void SecondBookkeeper::ForgetGroup() {
  expected_.clear();
  seeds_.clear();
}

std::vector<PageId> SecondBookkeeper::pages() const {
  std::vector<PageId> pages;
  for (const auto& [page, account] : pages_) pages.push_back(page);
  return pages;
}

__int128 SecondBookkeeper::Total() const {
  __int128 total = virtual_page_;
  for (const auto& [page, account] : pages_) total += account.cell.value().units();
  return total;
}

std::map<PageId, uint64_t> SecondBookkeeper::PayVisits(const ledger::JournalRecord& record) {
  std::map<PageId, uint64_t> expected;
  for (const ledger::JournalVisit& visit : record.visits) {
    Account& account = pages_.at(visit.page);
    EXPECT_EQ(visit.taken, account.cell.value()) << "a visit pays all of the page's cash, no more";
    account.cell = cash::Cell();
    ++account.visits;
    account.history += visit.taken.units();
    clock_ += visit.taken.units();
    if (!visit.settled) {
      Outcome outcome = std::move(expected_.at(visit.page).front());
      expected_.at(visit.page).pop_front();
      if (!outcome.keep_links) account.links = std::move(outcome.links);
      for (const PageId page : outcome.discovered) {
        if (!pages_.contains(page)) expected.try_emplace(page, 0);
      }
      done_.insert(visit.page);
    }
    // The small edge takes floor(D * epsilon), each link an equal whole share of the rest.
    const uint64_t paid = visit.taken.units(), links = account.links.size();
    const auto small_edge =
        static_cast<uint64_t>(static_cast<unsigned __int128>(paid) * charter_.epsilon.parts >> 32);
    const uint64_t share = links == 0 ? 0 : (paid - small_edge) / links;
    for (PageId link : account.links) {
      if (share > 0 || !pages_.contains(link)) expected[link] += share;
    }
    virtual_page_ += paid - share * links;
    if (!charter_.keep_links) account.links.clear();
  }
  return expected;
}

void SecondBookkeeper::PayInstalments(uint64_t log_number, const ledger::JournalRecord& record) {
  for (size_t nth = 0; nth < record.instalments.size(); ++nth) {
    const ledger::Instalment& instalment = record.instalments[nth];
    for (auto& [page, account] : pages_) {
      if (page.shard() != instalment.shard) continue;
      if (page.id() < instalment.first || page.id() >= instalment.last) continue;
      if (instalment.unread_only && done_.contains(page)) continue;
      const bool unbiased = record.rounding == ledger::Rounding::kUnbiased;
      const uint64_t draw =
          unbiased ? cash::RoundingDraw(log_number << 16 | (nth + 1), page) : ~uint64_t{0};
      cash::Amount reserve = unbiased ? cash::kSupply : cash::Amount();
      const __int128 before = account.cell.value().units();
      account.cell = cash::AddRounded(account.cell, instalment.each, draw, &reserve);
      virtual_page_ -= account.cell.value().units() - before;
    }
  }
}

void SecondBookkeeper::PayCredits(uint64_t log_number, const ledger::JournalRecord& record,
                                  std::map<PageId, uint64_t> expected) {
  std::optional<ShardId> shard;
  std::map<int, uint64_t> seed_shares;  // by seeding
  cash::Amount reserve;
  for (const page_table::Credit& credit : record.credits) {
    const PageId page = credit.page;
    uint64_t amount = expected[page];
    expected.erase(page);
    if (seeds_.contains(page) && credit.amount.magnitude() >= amount) {
      const uint64_t extra = credit.amount.magnitude() - amount;
      // A page that a link of the group had discovered before is a seed no more.
      if (extra > 0) {
        const auto [share, first] = seed_shares.try_emplace(seeds_.at(page), extra);
        EXPECT_EQ(extra, share->second) << "seeds get the same";
      }
      virtual_page_ -= extra;
      amount += extra;
    }
    EXPECT_EQ(credit.amount.units(), amount) << "credit of page " << page.word();
    if (shard != page.shard()) {
      reserve = record.rounding == ledger::Rounding::kUnbiased ? cash::kSupply : cash::Amount();
    }
    shard = page.shard();
    cash::Cell& cell = pages_[page].cell;
    const __int128 before = cell.value().units();
    cell = cash::AddRounded(cell, credit.amount, cash::RoundingDraw(log_number, page), &reserve);
    virtual_page_ += credit.amount.units() - (cell.value().units() - before);
  }
  EXPECT_TRUE(expected.empty()) << expected.size() << " links were not paid or not discovered";
}

void SecondBookkeeper::Enter(uint64_t log_number, store::Store& store) {
  ASSERT_EQ(log_number, entered_ + 1);
  const auto value = store.Get(store::Table::kJournal, base::Big64(log_number));
  ASSERT_TRUE(value.ok() && value->has_value()) << "no journal record " << log_number;
  const auto record = ledger::DecodeJournalRecord(**value);
  ASSERT_TRUE(record.ok()) << record.status();
  std::map<PageId, uint64_t> expected = PayVisits(*record);
  for (PageId page : record->reopened) done_.erase(page);
  PayInstalments(log_number, *record);
  PayCredits(log_number, *record, std::move(expected));
  entered_ = log_number;
  ForgetGroup();
  EXPECT_TRUE(virtual_page_ == record->after.virtual_page.units()) << "virtual page";
  EXPECT_TRUE(clock_ == record->after.clock) << "clock";
  EXPECT_EQ(pages_.size(), record->after.pages);
  EXPECT_TRUE(Total() == charter_.supply.units()) << "the second bookkeeper lost cash";
}

void SecondBookkeeper::Compare(const ledger::Ledger& ledger, store::Store& store) const {
  EXPECT_EQ(ledger.log_number(), entered_);
  EXPECT_TRUE(virtual_page_ == ledger.books().virtual_page().units());
  EXPECT_TRUE(clock_ == ledger.books().clock());
  EXPECT_TRUE(Total() == charter_.supply.units());
  CompareTable(ledger);
  CompareRows(ledger, store);
}

void SecondBookkeeper::CompareTable(const ledger::Ledger& ledger) const {
  cash::Sum walked = 0;
  size_t pages = 0;
  page_table::Cursor cursor;
  ledger.books().table().Walk(cursor, ~uint64_t{0} >> 1, [&](const page_table::Page& page) {
    ++pages;
    walked += page.cash.value().units();
    const auto account = pages_.find(page.page);
    ASSERT_NE(account, pages_.end()) << "page " << page.page.word() << " from nowhere";
    EXPECT_EQ(page.cash, account->second.cell) << "cash of page " << page.page.word();
    EXPECT_EQ(page.done, done_.contains(page.page)) << "page " << page.page.word();
  });
  EXPECT_EQ(pages, pages_.size()) << "pages were lost or are there twice";
  EXPECT_TRUE(walked + ledger.books().virtual_page().units() == charter_.supply.units())
      << "audit: the difference is not 0";
}

void SecondBookkeeper::CompareRows(const ledger::Ledger& ledger, store::Store& store) const {
  size_t named = 0, visited = 0;
  for (const auto& [page, account] : pages_) visited += account.visits > 0;
  const auto names = store.Scan(store::Table::kPage, "");
  for (; names->Valid(); names->Next(), ++named) {
    const auto page = ledger::PageOfKey(names->key());
    ASSERT_TRUE(page.ok() && pages_.contains(*page)) << "a row of a page that nobody discovered";
  }
  EXPECT_EQ(named, pages_.size()) << "rows of pages";
  const auto rows = store.Scan(store::Table::kHistory, "");
  for (; rows->Valid(); rows->Next(), --visited) {
    const auto page = ledger::PageOfKey(rows->key());
    ASSERT_TRUE(page.ok() && pages_.contains(*page)) << "history of an unknown page";
    const auto row = ledger::DecodeHistoryRow(rows->value(), ledger.window());
    ASSERT_TRUE(row.ok()) << row.status();
    const Account& account = pages_.at(*page);
    EXPECT_EQ(row->visits, account.visits) << "visits of page " << page->word();
    EXPECT_TRUE(row->history.sum == account.history) << "history of page " << page->word();
    EXPECT_EQ(row->links, account.links) << "links of page " << page->word();
  }
  EXPECT_EQ(visited, 0u) << "pages whose visits are not in history";
}

}  // namespace opic
