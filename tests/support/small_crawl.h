// A small crawl for tests of the ledger: pages by number, a store that can crash, checkpoints in a
// temporary folder, and the second bookkeeper who checks every commit.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "base/rng.h"
#include "tests/support/crashing_store.h"
#include "tests/support/own_path.h"
#include "tests/support/second_bookkeeper.h"

namespace opic {

// A folder of its own for the running test, not there at first.
inline std::string FreshCheckpointFolder() {
  const std::string folder = support::OwnPath("checkpoints");
  std::filesystem::remove_all(folder);
  return folder;
}

class SmallCrawl {
 public:
  static constexpr uint32_t kShards = 4;

  explicit SmallCrawl(const std::string& checkpoint_folder) : books_(Charter()) {
    options_.checkpoint_folder = checkpoint_folder;
    options_.shard_journal_bytes_min = 1 << 20;
  }

  static ledger::Charter Charter() {
    ledger::Charter charter;
    charter.cluster_id = 42;
    charter.shards = kShards;
    return charter;
  }
  // The n-th page: numbers go round the shards, ids are spread over the whole range.
  static PageId Page(uint64_t n) {
    return PageId(ShardAt(n % kShards), base::Mix64(n) % kPageIdCount);
  }
  static std::string UrlOf(uint64_t n) { return "http://host/" + std::to_string(n); }
  static std::vector<ledger::Link> Links(const std::vector<uint64_t>& numbers) {
    std::vector<ledger::Link> links;
    for (uint64_t n : numbers) links.push_back({Page(n), UrlOf(n)});
    return links;
  }
  static ledger::Visit Fetched(uint64_t n, const std::vector<uint64_t>& links) {
    ledger::Visit visit{Page(n), ledger::VisitKind::kFetched, 200, Links(links)};
    visit.at = 1'000'000'000;
    return visit;
  }
  static ledger::Visit Ended(uint64_t n, ledger::VisitKind kind, uint16_t http_status) {
    ledger::Visit visit{Page(n), kind, http_status};
    visit.at = 1'000'000'000;
    return visit;
  }

  // Opens the ledger, making the genesis in an empty store.
  absl::Status Open() {
    ledger_.reset();
    const ledger::Charter charter = Charter();
    auto opened = ledger::Ledger::Open(options_, store_, &charter);
    if (opened.ok()) ledger_ = *std::move(opened);
    return opened.status();
  }
  // Forgets everything in memory and recovers; what was recovered must be what was.
  void Reopen() {
    const absl::Status opened = Open();
    ASSERT_TRUE(opened.ok()) << opened;
    books_.Compare(*ledger_, store_);
  }

  void Seed(const std::vector<uint64_t>& numbers) {
    books_.ExpectSeeds(Links(numbers));
    ledger_->Seed(Links(numbers));
  }
  void Record(const ledger::Visit& visit) {
    books_.Expect(visit);
    ASSERT_TRUE(ledger_->Record({visit}).ok());
  }
  void Fetch(uint64_t n, const std::vector<uint64_t>& links) { Record(Fetched(n, links)); }
  void Settle(const std::vector<uint64_t>& numbers) {
    std::vector<PageId> pages;
    for (uint64_t n : numbers) pages.push_back(Page(n));
    ASSERT_TRUE(ledger_->Settle(pages).ok());
  }
  void ReopenPages(const std::vector<uint64_t>& numbers) {
    std::vector<PageId> pages;
    for (uint64_t n : numbers) pages.push_back(Page(n));
    ledger_->Reopen(pages);
  }
  // Ends the group; the second bookkeeper checks it.
  void Commit() {
    const auto log_number = ledger_->Commit();
    ASSERT_TRUE(log_number.ok()) << log_number.status();
    if (*log_number != books_.entered()) books_.Enter(*log_number, store_);
    books_.Compare(*ledger_, store_);
  }

  ledger::Ledger& ledger() { return *ledger_; }
  CrashingStore& store() { return store_; }
  SecondBookkeeper& books() { return books_; }
  ledger::Options& options() { return options_; }

  uint64_t CashOf(uint64_t n) const {
    const auto page = ledger_->books().table().Find(Page(n));
    return page ? page->cash.value().units() : 0;
  }
  bool Knows(uint64_t n) const { return ledger_->books().table().Find(Page(n)).has_value(); }
  uint64_t VirtualPage() const { return ledger_->books().virtual_page().units(); }
  ledger::HistoryRow History(uint64_t n) {
    const auto value = store_.Get(store::Table::kHistory, ledger::KeyOf(Page(n)));
    if (!value.ok() || !value->has_value()) return {};
    return ledger::DecodeHistoryRow(**value, ledger_->window()).value();
  }
  ledger::PageRow Row(uint64_t n) {
    const auto value = store_.Get(store::Table::kPage, ledger::KeyOf(Page(n)));
    return ledger::DecodePageRow(value->value()).value();
  }
  ledger::JournalRecord JournalRecord(uint64_t log_number) {
    const auto value = store_.Get(store::Table::kJournal, base::Big64(log_number));
    return ledger::DecodeJournalRecord(value->value()).value();
  }

 private:
  ledger::Options options_;
  CrashingStore store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  SecondBookkeeper books_;
};

}  // namespace opic
