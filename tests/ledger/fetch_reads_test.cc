// What the ledger reads for a fetch.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/forwarding_store.h"
#include "tests/support/small_crawl.h"

namespace opic::ledger {
namespace {

// Counts the rows that are looked for.
class LookedAtStore final : public ForwardingStore {
 public:
  absl::StatusOr<std::optional<std::string>> Get(store::Table table,
                                                 std::string_view key) override {
    ++rows;
    return ForwardingStore::Get(table, key);
  }
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    rows += keys.size();
    return ForwardingStore::MultiGet(table, keys, values);
  }
  std::unique_ptr<store::Cursor> Scan(store::Table table, std::string_view from) override {
    ++scans;
    return ForwardingStore::Scan(table, from);
  }
  size_t rows = 0, scans = 0;
};

TEST(FetchReadsTest, AreTwoRowsHoweverManyLinksThePageHas) {
  LookedAtStore store;
  Options options;
  options.kept_rows_bytes = 0;
  const Charter charter = SmallCrawl::Charter();
  const auto ledger = Ledger::Open(options, store, &charter).value();
  ledger->Seed(SmallCrawl::Links({0}));
  ASSERT_TRUE(ledger->Commit().ok());
  for (const size_t count : {0, 1, 60, 1000}) {  // the first finds no history
    std::vector<uint64_t> links(count);
    std::iota(links.begin(), links.end(), 1);
    store.rows = store.scans = 0;
    ASSERT_TRUE(ledger->Record({SmallCrawl::Fetched(0, links)}).ok());
    ASSERT_TRUE(ledger->Commit().ok());
    EXPECT_EQ(store.rows, 2u) << count << " links";
    EXPECT_EQ(store.scans, 0u);
  }
}

}  // namespace
}  // namespace opic::ledger
