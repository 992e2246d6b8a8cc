// A running ledger's pages, handed out in pages of rows as they were at one moment.
#include "node/export_desk.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "base/clock.h"
#include "node/cell_copy.h"
#include "node/crawl_memory.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

constexpr int kPages = 40;

PageId Page(int n) { return PageId(ShardAt(n % 4), static_cast<uint64_t>(100 - n)); }
ledger::Link Link(int n) { return {Page(n), "http://host/" + std::to_string(n)}; }

class ExportDeskTest : public testing::Test {
 protected:
  explicit ExportDeskTest(ledger::Charter charter = ledger::Charter::ForNewCrawl()) {
    charter.cluster_id = 7;
    charter.shards = 4;
    ledger_ = ledger::Ledger::Open({}, *store_, &charter).value();
    for (int n = 0; n < kPages; ++n) ledger_->Seed({Link(n)});
    Commit();
    for (int n = 0; n < kPages; ++n) Fetch(n, {(n + 1) % kPages, (n * n) % kPages});
  }

  void Commit() { ASSERT_TRUE(ledger_->Commit().ok()); }
  void Fetch(int n, const std::vector<int>& links) {
    ledger::Visit visit{Page(n), ledger::VisitKind::kFetched, 200};
    absl::flat_hash_map<PageId, std::string> distinct;
    for (int link : links) distinct.emplace(Page(link), Link(link).url);
    distinct.erase(Page(n));
    for (const auto& [page, url] : distinct) visit.links.push_back({page, url});
    visit.at = 1'000'000'000;
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    Commit();
  }
  // All done pages are visited again, without a fetch: every cell and history changes.
  void SettleAll() {
    std::vector<PageId> pages;
    for (int n = 0; n < kPages; ++n) pages.push_back(Page(n));
    ASSERT_TRUE(ledger_->Settle(pages).ok());
    Commit();
  }

  std::unique_ptr<ExportDesk> Desk(ExportLimits limits = {.rows_max = 7}) {
    return std::make_unique<ExportDesk>(
        *ledger_, *store_, clock_, testing::TempDir(),
        [this](std::function<void()> ask) {
          if (ledger_away_) return absl::UnavailableError("the node is stopping");
          ask();
          return absl::OkStatus();
        },
        limits);
  }
  using Pages = std::map<uint64_t, PageRecord>;  // by word
  // `between` happens before each further question.
  Pages ReadAll(
      ExportDesk& desk, const std::function<void()>& between = [] {}) {
    Pages pages;
    ExportPosition position;
    for (bool last = false; !last; between()) {
      const auto rows = desk.Read(position);
      EXPECT_TRUE(rows.ok()) << rows.status();
      if (!rows.ok()) break;
      EXPECT_TRUE(position.cut == 0 || rows->cut == position.cut);
      position.cut = rows->cut;
      for (const PageRecord& page : rows->pages) {
        EXPECT_TRUE(!position.after || *position.after < page.page);
        position.after = page.page;
        pages[page.page.word()] = page;
      }
      last = rows->last;
    }
    return pages;
  }
  static std::map<uint64_t, std::string> Encoded(const Pages& pages) {
    std::map<uint64_t, std::string> encoded;
    for (auto& [word, page] : pages) encoded[word] = Encode(page);
    return encoded;
  }
  void ExpectOneMoment() {
    const auto desk = Desk();
    const Pages before = ReadAll(*desk);
    const Pages during = ReadAll(*desk, [this] { SettleAll(); });
    EXPECT_EQ(Encoded(before), Encoded(during));
    EXPECT_NE(Encoded(before), Encoded(ReadAll(*desk)));
  }

  base::ManualClock clock_;
  bool ledger_away_ = false;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<ledger::Ledger> ledger_;
};

TEST_F(ExportDeskTest, GivesEveryPageWithItsRowsCashAndImportance) {
  const auto desk = Desk();
  const Pages pages = ReadAll(*desk);
  ASSERT_EQ(pages.size(), size_t{kPages});
  double sum = 0;
  for (const auto& [word, page] : pages) {
    EXPECT_EQ(page.cash, ledger_->books().table().Find(page.page)->cash.value());
    EXPECT_EQ(page.state, "fetched");
    EXPECT_FALSE(page.url.empty());
    sum += page.importance;
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_EQ(desk->Read({})->head.totals.pages, uint64_t{kPages});
}

// Were rows and cells of different moments, a page visited in between would have its cash twice or
// not at all.
// Else a crawl from an export's unread pages would spread over all sites that they are on.
TEST_F(ExportDeskTest, UnreadPagesThatTheCrawlMayNotFetchAreOutOfScope) {
  CrawlMemory crawl;
  crawl.seeds = {"http://host/0"};
  ASSERT_TRUE(RememberCrawl(*store_, crawl).ok());
  const PageId within(ShardAt(0), 1'000), elsewhere(ShardAt(1), 1'001);
  ledger_->Seed({{within, "http://host/new"}, {elsewhere, "http://elsewhere/"}});
  Commit();
  const auto desk = Desk();
  Pages pages = ReadAll(*desk);
  EXPECT_EQ(pages[within.word()].state, "unread");
  EXPECT_EQ(pages[elsewhere.word()].state, "out_of_scope");
}

TEST_F(ExportDeskTest, AllRowsAreOfTheMomentOfTheCut) { ExpectOneMoment(); }

// Their estimates go down with the clock.
class WindowsExportDeskTest : public ExportDeskTest {
 protected:
  WindowsExportDeskTest() : ExportDeskTest(ledger::Charter()) {}
};
TEST_F(WindowsExportDeskTest, AllRowsAreOfTheMomentOfTheCut) { ExpectOneMoment(); }

TEST_F(ExportDeskTest, TheSameQuestionHasTheSameAnswer) {
  const auto desk = Desk();
  const ExportedRows first = *desk->Read({});
  const ExportPosition next{first.cut, first.pages.back().page};
  const ExportedRows second = *desk->Read(next);
  SettleAll();
  const ExportedRows again = *desk->Read(next);
  ASSERT_EQ(again.pages.size(), second.pages.size());
  EXPECT_EQ(again.cut, first.cut);
  for (size_t i = 0; i < again.pages.size(); ++i) {
    EXPECT_EQ(Encode(again.pages[i]), Encode(second.pages[i]));
  }
}

// A reader that stopped inside an answer, and goes on later: it got pages of another moment.
TEST_F(ExportDeskTest, AnyPageOfTheLastAnswerCanBeContinuedAfter) {
  const auto desk = Desk();
  const ExportedRows first = *desk->Read({});
  const ExportedRows second = *desk->Read({first.cut, first.pages.back().page});
  ASSERT_EQ(second.pages.size(), 7u);
  SettleAll();
  for (size_t taken = 1; taken < second.pages.size(); ++taken) {
    const ExportedRows rest = *desk->Read({first.cut, second.pages[taken - 1].page});
    EXPECT_EQ(rest.cut, first.cut);
    EXPECT_FALSE(rest.last);
    ASSERT_EQ(rest.pages.size(), second.pages.size() - taken);
    for (size_t i = 0; i < rest.pages.size(); ++i)
      EXPECT_EQ(Encode(rest.pages[i]), Encode(second.pages[taken + i]));
  }
  const ExportedRows third = *desk->Read({first.cut, second.pages.back().page});
  EXPECT_EQ(third.cut, first.cut);
  EXPECT_GT(third.pages.front().page, second.pages.back().page);
  EXPECT_NE(desk->Read({first.cut, first.pages.front().page})->cut, first.cut)
      << "an answer before the last is not kept";
}

TEST_F(ExportDeskTest, TheRestOfTheLastAnswerIsStillTheEnd) {
  const auto desk = Desk({.rows_max = 2 * kPages});
  const ExportedRows all = *desk->Read({});
  const ExportedRows rest = *desk->Read({all.cut, all.pages[29].page});
  EXPECT_EQ(rest.cut, all.cut);
  EXPECT_EQ(rest.pages.size(), size_t{kPages - 30});
  EXPECT_TRUE(rest.last);
}

// A reader that has the last page and asks once more: the node crashed.
TEST_F(ExportDeskTest, NothingFollowsTheLastPage) {
  const auto desk = Desk({.rows_max = 2 * kPages});
  const ExportedRows all = *desk->Read({});
  ASSERT_TRUE(all.last);
  for (int again = 0; again < 2; ++again) {
    const ExportedRows rest = *desk->Read({all.cut, all.pages.back().page});
    EXPECT_EQ(rest.cut, all.cut);
    EXPECT_TRUE(rest.pages.empty());
    EXPECT_TRUE(rest.last);
  }
}

// A node that was restarted knows nothing of the cut; it goes on behind the page that was read.
TEST_F(ExportDeskTest, AnUnknownCutIsReplacedFromThereOn) {
  const ExportedRows first = *Desk()->Read({});
  const auto desk = Desk();
  const ExportedRows next = *desk->Read({first.cut, first.pages.back().page});
  EXPECT_NE(next.cut, first.cut);
  EXPECT_GT(next.pages.front().page, first.pages.back().page);
}

TEST_F(ExportDeskTest, ACutNeedsTheLedgerNoMore) {
  const auto desk = Desk();
  const ExportedRows first = *desk->Read({});
  ledger_away_ = true;
  const auto next = desk->Read({first.cut, first.pages.back().page});
  ASSERT_TRUE(next.ok()) << next.status();
  for (const PageRecord& page : next->pages) EXPECT_GT(page.importance, 0);
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status()));
}

TEST_F(ExportDeskTest, TooManyCutsAreRefusedUntilOneIsRead) {
  const auto desk = Desk({.cuts_max = 2, .rows_max = 7});
  const ExportedRows first = *desk->Read({});
  ASSERT_TRUE(desk->Read({}).ok());
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status()));
  ExportPosition position{first.cut, first.pages.back().page};
  for (bool last = false; !last;) {
    const ExportedRows rows = *desk->Read(position);
    if (!rows.pages.empty()) position.after = rows.pages.back().page;
    last = rows.last;
  }
  EXPECT_TRUE(desk->Read({}).ok());
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status()));
}

// Readers that have gone without a word keep nobody out; who comes back goes on from another cut.
TEST_F(ExportDeskTest, ACutWhoseReaderIsSilentGivesWay) {
  const auto desk = Desk({.cuts_max = 2, .rows_max = 7});
  const ExportedRows silent = *desk->Read({});
  clock_.Advance(absl::Seconds(15));
  const ExportedRows reading = *desk->Read({});
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status()));
  clock_.Advance(absl::Seconds(10));
  EXPECT_TRUE(desk->Read({}).ok());
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status())) << "both readers were heard lately";
  EXPECT_EQ(desk->Read({reading.cut, reading.pages.back().page})->cut, reading.cut);
  clock_.Advance(absl::Seconds(25));
  const ExportedRows back = *desk->Read({silent.cut, silent.pages.back().page});
  EXPECT_NE(back.cut, silent.cut);
  EXPECT_GT(back.pages.front().page, silent.pages.back().page);
}

TEST_F(ExportDeskTest, ACutThatNobodyAsksForIsGivenUp) {
  const auto desk = Desk({.cuts_max = 1, .idle_max = absl::Milliseconds(4), .rows_max = 7});
  ASSERT_TRUE(desk->Read({}).ok());
  EXPECT_TRUE(absl::IsUnavailable(desk->Read({}).status()));
  clock_.Advance(absl::Seconds(1));
  while (!desk->Read({}).ok()) std::this_thread::yield();
}

TEST(CellCopyTest, KeepsTheCellsOfTheMoment) {
  page_table::PageTable table(4);
  std::vector<page_table::Credit> credits;
  for (int n = 0; n < kPages; ++n) credits.push_back({Page(n), cash::Amount(n - 10)});
  table.Apply(credits, 1, cash::Amount(1'000'000));
  CellCopy copy = CellCopy::Of(table, testing::TempDir()).value();
  for (int n = 0; n < kPages; ++n) table.Take(Page(n));
  for (int n = 0; n < kPages; ++n) {
    EXPECT_EQ(copy.Find(Page(n)).value(), std::optional(cash::Amount(n - 10))) << n;
  }
  EXPECT_EQ(copy.Find(PageId(ShardId{1}, 1'000)).value(), std::nullopt);
}

}  // namespace
}  // namespace opic::node
