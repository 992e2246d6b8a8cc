// Rows that are kept in memory, and that a ledger which keeps them is the same as one that does
// not.
#include "ledger/kept_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "tests/ledger/moving_ledgers.h"
#include "tests/support/forwarding_store.h"

namespace opic::ledger {
namespace {

PageId Page(uint64_t n) { return SmallCrawl::Page(n); }

HistoryRow RowWith(size_t links) {
  HistoryRow row;
  for (size_t n = 0; n < links; ++n) row.links.push_back(Page(n));
  row.visits = static_cast<uint32_t>(links);
  return row;
}

void Keep(KeptRows& rows, PageId page, const HistoryRow& row) {
  KeptRows::Handle handle = KeptRows::NewRow(page);
  handle.front().row = row;
  rows.Keep(std::move(handle));
}

TEST(KeptRows, GivesARowOnce) {
  KeptRows rows(1 << 20);
  EXPECT_TRUE(rows.Take(Page(1)).empty());
  Keep(rows, Page(1), RowWith(3));
  Keep(rows, Page(2), RowWith(4));
  Keep(rows, Page(1), RowWith(5));
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.Take(Page(1)).front().row.links, RowWith(5).links);
  EXPECT_TRUE(rows.Take(Page(1)).empty());
  EXPECT_EQ(rows.Take(Page(2)).front().row.visits, 4u);
  EXPECT_EQ(rows.bytes(), 0u);
}

TEST(KeptRows, ARowStaysInItsPlace) {
  KeptRows rows(1 << 20);
  Keep(rows, Page(1), RowWith(3));
  Keep(rows, Page(2), RowWith(4));
  KeptRows::Handle taken = rows.Take(Page(1));
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(rows.size(), 1u);
  EXPECT_EQ(taken.front().page, Page(1));
  const KeptRows::Row* const place = &taken.front();
  taken.front().row.visits = 7;
  rows.Keep(std::move(taken));
  EXPECT_EQ(rows.size(), 2u);
  taken = rows.Take(Page(1));
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(&taken.front(), place);
  EXPECT_EQ(taken.front().row.visits, 7u);
}

TEST(KeptRows, ThoseKeptLongestMakeRoom) {
  KeptRows rows(64 << 10);
  for (uint64_t n = 0; n < 1000; ++n) {
    Keep(rows, Page(n), RowWith(n % 60));
    ASSERT_LE(rows.bytes(), 64u << 10);
    ASSERT_TRUE(n < 2 || !rows.Take(Page(0)).empty()) << "what was kept again is the latest";
    Keep(rows, Page(0), RowWith(1));
  }
  const size_t kept = rows.size();
  EXPECT_GT(kept, 50u);
  for (uint64_t n = 1000 - kept + 1; n < 1000; ++n) EXPECT_FALSE(rows.Take(Page(n)).empty());
  EXPECT_TRUE(rows.Take(Page(1000 - kept)).empty());
}

TEST(KeptRows, CountsWhatARowHasElsewhere) {
  KeptRows rows(1 << 20);
  HistoryRow row = RowWith(10);
  row.etag = std::string(1000, 'e');
  row.last_modified = std::string(1000, 'l');
  row.plan = std::string(100, 'p');
  row.history.measures.resize(10);
  Keep(rows, Page(1), row);
  EXPECT_GE(rows.bytes(), sizeof(HistoryRow) + 80 + 2100 + 320);
  EXPECT_LE(rows.bytes(), sizeof(HistoryRow) + 80 + 2100 + 320 + 200);
}

TEST(KeptRows, ARowThatIsLargerThanAllIsNotKept) {
  KeptRows rows(4 << 10), none(0);
  Keep(rows, Page(1), RowWith(2));
  Keep(rows, Page(2), RowWith(2000));
  EXPECT_TRUE(rows.Take(Page(2)).empty());
  EXPECT_FALSE(rows.Take(Page(1)).empty());
  Keep(none, Page(1), HistoryRow());
  EXPECT_EQ(none.size(), 0u);
}

TEST(KeptRows, AreForgotten) {
  KeptRows rows(1 << 20);
  Keep(rows, Page(1), RowWith(2));
  rows.Forget();
  EXPECT_TRUE(rows.Take(Page(1)).empty());
  EXPECT_EQ(rows.bytes(), 0u);
}

// Counts the histories that are read.
class CountingStore final : public ForwardingStore {
 public:
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    if (broken && !keys.empty()) return absl::UnavailableError("broken");
    if (table == store::Table::kHistory) read += keys.size();
    return ForwardingStore::MultiGet(table, keys, values);
  }
  size_t read = 0;
  bool broken = false;
};

constexpr uint64_t kPages = 40;

struct Crawl {
  std::map<std::string, std::string> rows;  // of all tables, by table and key
  size_t read;
};

// Readings, settled visits and pages that are gone, of pages drawn by `seed`.
Crawl CrawlKeeping(size_t bytes, uint64_t seed, importance::Method method) {
  CountingStore store;
  Options options;
  options.kept_rows_bytes = bytes;
  Charter charter = SmallCrawl::Charter();
  charter.method = method;
  if (method == importance::Method::kPush) charter.window.kind = importance::WindowKind::kNone;
  const auto ledger = Ledger::Open(options, store, &charter).value();
  base::Rng rng(seed);
  std::vector<uint64_t> all(kPages);
  std::iota(all.begin(), all.end(), 0);
  ledger->Seed(SmallCrawl::Links(all));
  EXPECT_TRUE(ledger->Commit().ok());
  for (int step = 0; step < 300; ++step) {
    const uint64_t n = rng.Below(kPages);
    if (ledger->table().Find(Page(n))->done && rng.Below(4) != 0) {
      EXPECT_TRUE(ledger->Settle({Page(n)}).ok());
    } else if (rng.Below(8) == 0) {
      EXPECT_TRUE(ledger->Record({SmallCrawl::Ended(n, VisitKind::kGone, 404)}).ok());
    } else {
      std::vector<uint64_t> links;
      for (uint64_t count = rng.Below(6); count > 0; --count) links.push_back(rng.Below(kPages));
      Visit visit = SmallCrawl::Fetched(n, links);
      visit.etag = std::to_string(rng.Below(1000));
      EXPECT_TRUE(ledger->Record({visit}).ok());
    }
    if (rng.Below(3) == 0) {
      EXPECT_TRUE(ledger->Commit().ok());
    }
  }
  EXPECT_TRUE(ledger->Commit().ok());
  Crawl crawl{.rows = {}, .read = store.read};
  for (int table = 0; table < store::kTableCount; ++table) {
    for (auto row = store.Scan(store::Table(table), ""); row->Valid(); row->Next()) {
      crawl.rows[std::to_string(table) + "/" + std::string(row->key())] = row->value();
    }
  }
  return crawl;
}

TEST(LedgerWithKeptRows, WritesWhatItWouldWriteWithoutThem) {
  for (const auto method : {importance::Method::kPush, importance::Method::kWindow}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      const Crawl none = CrawlKeeping(0, seed, method);
      const Crawl some = CrawlKeeping(4 << 10, seed, method);
      const Crawl all = CrawlKeeping(1 << 20, seed, method);
      EXPECT_TRUE(some.rows == none.rows);
      EXPECT_TRUE(all.rows == none.rows);
      EXPECT_LT(some.read, none.read);
      EXPECT_EQ(all.read, kPages) << "each page at its first visit alone";
    }
  }
}

TEST(LedgerWithKeptRows, AFailedReadRecordsNothingOfARowThatIsKept) {
  CountingStore store;
  Options options;
  options.kept_rows_bytes = sizeof(HistoryRow) + 200;  // one row
  const Charter charter = SmallCrawl::Charter();
  const auto ledger = Ledger::Open(options, store, &charter).value();
  ledger->Seed(SmallCrawl::Links({0, 1}));
  ASSERT_TRUE(ledger->Commit().ok());
  for (uint64_t n : {0, 1}) {
    ASSERT_TRUE(ledger->Record({SmallCrawl::Fetched(n, {1 - n})}).ok());
    ASSERT_TRUE(ledger->Commit().ok());
  }
  store.broken = true;
  EXPECT_FALSE(ledger->Settle({Page(1), Page(0)}).ok());
  EXPECT_FALSE(ledger->RecordedImportance(Page(1)).has_value());
  store.broken = false;
  store.read = 0;
  ASSERT_TRUE(ledger->Settle({Page(0), Page(1)}).ok());
  EXPECT_TRUE(ledger->RecordedImportance(Page(1)).has_value());
  EXPECT_EQ(store.read, 2u) << "it is not kept any longer";
}

class KeptRowsOfMovesTest : public MovingLedgers {};

TEST_F(KeptRowsOfMovesTest, AShardThatCameBackIsNotAsItWasWhenItLeft) {
  Crawl();
  Move(kA, kB);
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(0, {8})}).ok());
  Commit(kB);
  ASSERT_TRUE(at(kB).Settle({Page(0), Page(4)}).ok());
  Commit(kB);
  Move(kB, kA);
  DeliverAll();
  const auto row = [&](uint64_t n) {
    return DecodeHistoryRow(Row(kA, store::Table::kHistory, Page(n)), at(kA).window()).value();
  };
  const HistoryRow came = row(0);
  ASSERT_EQ(came.links.size(), 1u);
  ASSERT_TRUE(at(kA).Settle({Page(0)}).ok());
  Commit(kA);
  EXPECT_EQ(row(0).links, came.links);
  EXPECT_EQ(row(0).visits, came.visits + 1);
}

}  // namespace
}  // namespace opic::ledger
