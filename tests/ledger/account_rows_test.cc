// What visits write of a history row: all of it, or its account alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/escaping.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/small_crawl.h"

namespace opic {
namespace {

using store::Table;
using Kind = store::Batch::Operation::Kind;

// Keeps the last batch.
class NotingStore final : public ForwardingStore {
 public:
  absl::Status Write(const store::Batch& batch, store::Sync sync) override {
    last = batch;
    return ForwardingStore::Write(batch, sync);
  }
  store::Batch last;
};

// Page 0 was read, and has 40 links.
class AccountRowsTest : public testing::Test {
 protected:
  AccountRowsTest() {
    Open();
    for (uint64_t n = 1; n <= 40; ++n) links_.push_back(n);
    ledger_->Seed(SmallCrawl::Links({0}));
    Commit();
    Fetch();
    Commit();
  }
  void Open() {
    ledger::Charter charter = ledger::Charter::ForNewCrawl();
    charter.shards = SmallCrawl::kShards;
    ledger_.reset();
    ledger_ = ledger::Ledger::Open({}, store_, &charter).value();
  }
  void Fetch() { ASSERT_TRUE(ledger_->Record({SmallCrawl::Fetched(0, links_)}).ok()); }
  void Settle() { ASSERT_TRUE(ledger_->Settle({SmallCrawl::Page(0)}).ok()); }
  void Commit() { ASSERT_TRUE(ledger_->Commit().ok()); }
  std::string Key() const { return ledger::KeyOf(SmallCrawl::Page(0)); }
  std::string Bytes() { return **store_.Get(Table::kHistory, Key()); }
  ledger::HistoryRow Row() { return ledger::DecodeHistoryRow(Bytes(), ledger_->window()).value(); }
  // The one operation on histories of the last commit.
  store::Batch::Operation Written() const {
    std::vector<store::Batch::Operation> found;
    for (const auto& operation : store_.last.operations()) {
      if (operation.table == Table::kHistory) found.push_back(operation);
    }
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  }

  NotingStore store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::vector<uint64_t> links_;
};

TEST_F(AccountRowsTest, AFetchWritesTheRow) {
  EXPECT_EQ(Written().kind, Kind::kPut);
  Settle();
  Fetch();
  Settle();
  Commit();
  EXPECT_EQ(Written().kind, Kind::kPut);
  EXPECT_EQ(Row().visits, 4u);
}

TEST_F(AccountRowsTest, ASettledVisitWritesTheAccountAlone) {
  const ledger::HistoryRow before = Row();
  Settle();
  Settle();
  Commit();
  EXPECT_EQ(Written().kind, Kind::kReplaceTail);
  EXPECT_LT(Written().value.size(), 24u);
  EXPECT_EQ(Row().visits, 3u);
  EXPECT_EQ(Row().links, before.links);
  EXPECT_EQ(Row().fetched_at, before.fetched_at);
  EXPECT_TRUE(Row().history.sum == before.history.sum);  // its cash was 0
}

// A reader passes by so many accounts before it finds the row.
TEST_F(AccountRowsTest, OfManySettledVisitsOneWritesTheRowAgain) {
  int rows = 0, accounts = 0;
  for (int i = 0; i < 160; ++i) {
    Settle();
    Commit();
    (Written().kind == Kind::kPut ? rows : accounts) += 1;
  }
  EXPECT_EQ(rows, 10);
  EXPECT_EQ(accounts, 150);
  EXPECT_EQ(Row().visits, 161u);
}

// The same page as a release with format version 5 wrote it.
TEST_F(AccountRowsTest, ARowOfTheFormBeforeIsWrittenAnew) {
  links_ = {1, 2};
  Fetch();
  Commit();
  ledger::HistoryRow row = Row();
  std::string former(1, '\0');
  base::AppendVarint(former, row.http_status);
  base::AppendVarint(former, row.visits);
  base::AppendVarint(former, row.fetches);
  base::AppendVarint(former, static_cast<uint64_t>(row.fetched_at));
  base::AppendFixed64(former, row.content_hash);
  base::AppendBytes(former, row.etag);
  base::AppendBytes(former, row.last_modified);
  ledger_->window().Encode(row.history, former);
  base::AppendVarint(former, 2);
  base::AppendVarint(former, row.links[0].word());
  base::AppendVarint(former, row.links[1].word() - row.links[0].word());
  store::Batch batch;
  batch.Put(Table::kHistory, Key(), former);
  ASSERT_TRUE(store_.Write(batch, store::Sync::kYes).ok());
  EXPECT_FALSE(ledger::HasAccountAtItsEnd(Bytes()));
  Open();  // it has kept the row that it wrote
  EXPECT_EQ(Row().links, row.links);
  Settle();
  Commit();
  EXPECT_EQ(Written().kind, Kind::kPut);
  EXPECT_TRUE(ledger::HasAccountAtItsEnd(Bytes()));
  EXPECT_EQ(Row().visits, row.visits + 1);
  EXPECT_EQ(Row().links, row.links);
  Settle();
  Commit();
  EXPECT_EQ(Written().kind, Kind::kReplaceTail);
}

}  // namespace
}  // namespace opic
