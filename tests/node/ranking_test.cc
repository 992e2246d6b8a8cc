// The live ranking and the pools, over a ledger of a small random graph.
#include "node/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "node/pools.h"
#include "tests/node/ranking_fixture.h"
#include "tests/support/forwarding_store.h"

namespace opic::node {
namespace {

class RankingTest : public RankingFixture {
 protected:
  // What a filter gives is what it lets through of all pages, counted whole however few are wanted.
  void ExpectFiltered(const PageFilter& filter,
                      const std::function<bool(const PageImportance&)>& matches) {
    std::vector<PageImportance> all = SortOfAll();
    std::erase_if(all, [&](const PageImportance& page) { return !matches(page); });
    ASSERT_GE(all.size(), 2u) << "this would show nothing";
    const Answers::TopPages top = TopOf({kPages, filter});
    EXPECT_EQ(UrlsOf(top.pages, kPages), UrlsOf(all, kPages));
    EXPECT_EQ(top.matching, all.size());
    EXPECT_EQ(top.known, known());
    if (filter.state == kUnreadState && !filter.names_site()) return;  // a few are looked at
    const Answers::TopPages best = TopOf({1, filter});
    EXPECT_EQ(UrlsOf(best.pages, 1), UrlsOf(all, 1));
    EXPECT_EQ(best.matching, all.size());
  }
};

TEST_F(RankingTest, TheTopIsTheSortOfAllUnreadPagesIncluded) {
  FetchPages(20);
  SettleAll(5);
  ASSERT_GT(known(), static_cast<uint64_t>(done()));
  EXPECT_EQ(UrlsOf(Top(kPages), kPages), UrlsOf(SortOfAll(), kPages));
}

TEST_F(RankingTest, AShortTopIsTheBeginningOfALongOne) {
  FetchPages(kPages);
  SettleAll(5);
  const std::vector<PageImportance> all = SortOfAll();
  for (const size_t count : {1u, 2u, 10u}) {
    EXPECT_EQ(UrlsOf(Top(count), count), UrlsOf(all, count)) << count;
  }
  EXPECT_TRUE(Top(0).empty());
}

TEST_F(RankingTest, ImportanceIsAShareOfOne) {
  FetchPages(kPages);
  SettleAll(100);
  double sum = 0;
  for (const PageImportance& page : SortOfAll()) {
    sum += page.importance;
    EXPECT_NEAR(page.relative, page.importance * static_cast<double>(known()), 1e-9);
  }
  EXPECT_NEAR(sum, 1, 0.1);
}

TEST_F(RankingTest, AFetchedPageTellsItsVisit) {
  Fetch(0);
  SettleAll(2);
  const PageImportance page = Ask(UrlOf(0));
  EXPECT_TRUE(page.known);
  EXPECT_EQ(page.url, UrlOf(0));
  EXPECT_EQ(page.state, "fetched");
  EXPECT_EQ(page.fetches, 1u);
  EXPECT_EQ(page.visits, 3u);
  EXPECT_EQ(page.http_status, 200);
  EXPECT_EQ(page.fetched_at, 1'700'000'000);
  EXPECT_GT(page.links, 0u);
}

TEST_F(RankingTest, AnUnreadPageHasAnEstimateToo) {
  Fetch(0);
  const PageImportance page = Ask(UrlOf(1));
  EXPECT_TRUE(page.known);
  EXPECT_EQ(page.state, "unread");
  EXPECT_EQ(page.fetches, 0u);
  EXPECT_GT(page.importance, 0);
}

TEST_F(RankingTest, AUrlThatNobodyLinksToIsUnknown) {
  const PageImportance page = Ask("http://elsewhere.test/A/../b");
  EXPECT_FALSE(page.known);
  EXPECT_EQ(page.url, "http://elsewhere.test/b");  // as it would be known
}

TEST_F(RankingTest, WhatIsNoUrlIsAnInvalidArgument) {
  for (const std::string typed : {"", "mailto:a@b.test", "http://"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ImportanceOf(*ledger_, *store_, hash_, typed).status()))
        << typed;
  }
}

TEST_F(RankingTest, AnotherUrlWithTheSameIdIsAnotherPage) {
  const url::Url taken = *url::Parse("http://a.test/mine");
  ledger_->Seed({{hash_.PageOf(taken), "http://a.test/other"}});
  Commit();
  EXPECT_FALSE(Ask("http://a.test/mine").known);
}

TEST_F(RankingTest, TheTopOfAHostIsOfItsPagesAlone) {
  FetchPages(20);
  SettleAll(5);
  ExpectFiltered({.host = "host3.test"}, [](const PageImportance& page) {
    return page.url.starts_with("http://host3.test/");
  });
  EXPECT_TRUE(TopOf({10, {.host = "elsewhere.test"}}).pages.empty());
  EXPECT_EQ(TopOf({10, {.host = "elsewhere.test"}}).matching, 0u);
}

TEST_F(RankingTest, TheTopOfADomainIsOfAllItsHosts) {
  FetchPages(20);
  SettleAll(5);
  ExpectFiltered({.domain = "host3.test"}, [](const PageImportance& page) {
    return page.url.find("host3.test/") != std::string::npos;
  });
}

TEST_F(RankingTest, TheTopOfAStateIsOfItsPagesAlone) {
  FetchPages(20);
  SettleAll(5);
  for (const std::string state : {"fetched", "unread"}) {
    ExpectFiltered({.state = state},
                   [&](const PageImportance& page) { return page.state == state; });
    ExpectFiltered({.domain = "host1.test", .state = state}, [&](const PageImportance& page) {
      return page.state == state && page.url.find("host1.test/") != std::string::npos;
    });
  }
  EXPECT_EQ(TopOf({10, {.state = "gone"}}).matching, 0u);
}

// There were more of them than are looked at, and each was richer than all unread pages.
TEST_F(RankingTest, PagesThatAreReadAgainTakeNoUnreadPagesPlace) {
  const auto fetch = [this](int page, const std::vector<int>& links) {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.http_status = 200;
    visit.at = 1'700'000'000;
    for (const int link : links) visit.links.push_back(LinkTo(link));
    ASSERT_TRUE(ledger_->Record({visit}).ok());
    Commit();
  };
  fetch(0, {1, 2, 3, 4});
  fetch(1, {0, 2, 3, 4});
  fetch(2, {0, 1, 3, 4});
  fetch(3, {0, 1, 2, 4});
  fetch(4, {0, 1, 2, 3, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59});
  fetch(0, {1, 2, 3, 4});
  ledger_->Reopen({PageOf(0), PageOf(1), PageOf(2), PageOf(3), PageOf(4)});
  Commit();
  ASSERT_EQ(done(), 0);
  for (int rich = 1; rich <= 4; ++rich) {
    for (int unread = 50; unread < 60; ++unread)
      ASSERT_GT(Ask(UrlOf(rich)).cash, Ask(UrlOf(unread)).cash) << rich << " " << unread;
  }
  for (const size_t count : {1u, 5u, 10u, 20u}) {
    const Answers::TopPages top = TopOf({count, {.state = "unread"}});
    EXPECT_EQ(top.pages.size(), std::min<size_t>(count, 10)) << count;
    for (const PageImportance& page : top.pages) EXPECT_EQ(page.state, "unread") << page.url;
    EXPECT_EQ(top.matching, 10u);
  }
  EXPECT_EQ(UrlsOf(Top(kPages), kPages), UrlsOf(SortOfAll(), kPages));
}

// Counts the rows of visits that are looked up one by one.
class CountingStore final : public ForwardingStore {
 public:
  absl::StatusOr<std::optional<std::string>> Get(store::Table table,
                                                 std::string_view key) override {
    if (table == store::Table::kHistory) ++lookups;
    return ForwardingStore::Get(table, key);
  }
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    if (table == store::Table::kHistory) lookups += keys.size();
    return ForwardingStore::MultiGet(table, keys, values);
  }
  size_t lookups = 0;
};

// Nearly all pages were visited and are to be read again.
class ReopenedTest : public RankingFixture {
 protected:
  static constexpr size_t kAll = 2'000;

  ReopenedTest() {
    auto store = std::make_unique<CountingStore>();
    counting_ = store.get();
    store_ = std::move(store);
  }
  void SetUp() override {
    RankingFixture::SetUp();
    std::vector<ledger::Link> links;
    absl::flat_hash_map<PageId, int> pages;
    for (int page = 0; page < static_cast<int>(kAll); ++page) {
      links.push_back(LinkTo(page));
      pages[PageOf(page)] = page;
    }
    ledger_->Seed(links);
    Commit();
    page_table::Cursor cursor;
    ledger_->books().table().Walk(cursor, ~uint64_t{0}, [&](const page_table::Page& page) {
      walked_.push_back(pages.at(page.page));
    });
    ASSERT_EQ(walked_.size(), kAll);
  }
  // All pages but these.
  void VisitAndReopen(const std::vector<int>& unread) {
    std::vector<ledger::Visit> visits;
    std::vector<PageId> pages;
    for (const int page : walked_) {
      if (std::count(unread.begin(), unread.end(), page) > 0) continue;
      ledger::Visit visit;
      visit.page = PageOf(page);
      visit.http_status = 200;
      visit.at = 1'700'000'000;
      visits.push_back(visit);
      pages.push_back(visit.page);
    }
    ASSERT_TRUE(ledger_->Record(visits).ok());
    Commit();
    ledger_->Reopen(pages);
    Commit();
    ASSERT_EQ(done(), 0);
    counting_->lookups = 0;
  }

  CountingStore* counting_ = nullptr;
  std::vector<int> walked_;  // all pages, as a walk through the table meets them
};

TEST_F(ReopenedTest, WhereEveryPageWasVisitedNoneIsLookedUpInVain) {
  VisitAndReopen({});
  const Answers::TopPages unread = TopOf({10, {.state = "unread"}});
  EXPECT_TRUE(unread.pages.empty());
  EXPECT_EQ(unread.matching, 0u);
  EXPECT_EQ(counting_->lookups, 0u);
  EXPECT_EQ(Top(10).size(), 10u);
  EXPECT_EQ(counting_->lookups, 10u) << "to describe them";
}

TEST_F(ReopenedTest, WithTheLastUnreadPageTheLookupsEnd) {
  VisitAndReopen({walked_[0], walked_[1], walked_[2]});
  const Answers::TopPages unread = TopOf({10, {.state = "unread"}});
  EXPECT_EQ(unread.pages.size(), 3u);
  EXPECT_EQ(unread.matching, 3u);
  EXPECT_LT(counting_->lookups, kAll / 2);
}

// There are fewer unread pages then, but not fewer that it has not met.
TEST_F(ReopenedTest, APageThatIsVisitedMeanwhileHidesNoOther) {
  VisitAndReopen({walked_.front(), walked_.back()});
  TopScan scan(*ledger_, *store_, 10, {.state = "unread"});
  ASSERT_FALSE(scan.Step().value());
  ASSERT_GT(counting_->lookups, 0u);
  ASSERT_LT(counting_->lookups, kAll) << "not the last page yet";
  Fetch(walked_.front());
  while (!scan.Step().value()) {
  }
  EXPECT_EQ(UrlsOf(scan.TakeResult(), kAll), std::vector{UrlOf(walked_.back())});
  EXPECT_EQ(scan.matching(), 1u);
}

// What must be read of all pages holds nobody up: the ledger's thread is left after every step.
TEST_F(RankingTest, TheLedgerIsAskedForShortStepsOnly) {
  FetchPages(20);
  int steps = 0;
  const auto top =
      AnswerTop(*ledger_, *store_, {10, {.domain = "host3.test"}},
                [&](absl::FunctionRef<absl::Status()> step) { return ++steps, step(); });
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_GE(steps, 2);
  const auto stopped =
      AnswerTop(*ledger_, *store_, {10, {.domain = "host3.test"}},
                [](absl::FunctionRef<absl::Status()>) { return absl::UnavailableError("stops"); });
  EXPECT_TRUE(absl::IsUnavailable(stopped.status()));
}

TEST_F(RankingTest, NobodyLooksForPagesOfAWrongFilter) {
  for (const PageFilter& filter :
       {PageFilter{.domain = "co.uk"}, PageFilter{.host = "a.test", .domain = "b.test"}}) {
    const auto top = AnswerTop(*ledger_, *store_, {10, filter},
                               [](absl::FunctionRef<absl::Status()>) -> absl::Status {
                                 ADD_FAILURE() << "asked the ledger";
                                 return absl::OkStatus();
                               });
    EXPECT_TRUE(absl::IsInvalidArgument(top.status())) << top.status();
  }
}

TEST_F(RankingTest, ASearchThatIsGivenUpEnds) {
  FetchPages(20);
  int asked = 0;
  TopQuery query{.count = 10, .filter = {.host = "host3.test"}};
  query.given_up = [&] { return ++asked == 2; };
  const auto top = AnswerTop(*ledger_, *store_, query,
                             [](absl::FunctionRef<absl::Status()> step) { return step(); });
  EXPECT_TRUE(absl::IsCancelled(top.status())) << top.status();
}

// The canonical stands for it.
TEST_F(RankingTest, APageThatPaysItsCanonicalNamesItAndIsNotAtTheTop) {
  FetchPages(kPages);
  SettleAll(5);
  EXPECT_EQ(Ask(UrlOf(0)).canonical, "");
  FetchForCanonical(0, 1);
  const PageImportance page = Ask(UrlOf(0));
  EXPECT_EQ(page.canonical, UrlOf(1));
  EXPECT_EQ(page.http_status, 200);
  EXPECT_EQ(page.links, 1u);
  EXPECT_NE(page.left_out, "");
  EXPECT_GT(page.importance, 0) << "what the links to it give";
  std::vector<PageImportance> others = SortOfAll();
  std::erase_if(others, [](const PageImportance& one) { return one.url == UrlOf(0); });
  EXPECT_EQ(UrlsOf(Top(kPages), kPages), UrlsOf(others, kPages));
}

TEST_F(RankingTest, AuditCountsEveryUnit) {
  FetchPages(20);
  const Audit audit = AuditOf(*ledger_);
  EXPECT_TRUE(audit.difference() == 0);
  EXPECT_TRUE(audit.expected == cash::kSupply.units());
  EXPECT_EQ(audit.pages, known());
  EXPECT_EQ(audit.unread, known() - 20);
}

class PoolsTest : public RankingTest {
 protected:
  ClosedShards closed_{kShards};
  static std::vector<PageId> Walk(TablePool& pool) {
    std::vector<PageId> pages;
    for (bool around = false; !around;) {
      around = pool.Walk(10, [&](const schedule::Candidate& page) { pages.push_back(page.page); });
    }
    std::sort(pages.begin(), pages.end());
    pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
    return pages;
  }
};

TEST_F(PoolsTest, UnreadPagesAreEligibleUntilTheyAreOrdered) {
  UnreadPool pool(ledger_->books().table(), closed_);
  EXPECT_EQ(Walk(pool).size(), 5u);
  ledger_->table().SetOrdered(PageOf(3), true);
  EXPECT_EQ(pool.eligible(), 4u);
  const std::vector<PageId> pages = Walk(pool);
  EXPECT_EQ(pages.size(), 4u);
  EXPECT_EQ(std::count(pages.begin(), pages.end(), PageOf(3)), 0);
}

TEST_F(PoolsTest, PagesOfAClosedShardAreLeftAlone) {
  UnreadPool pool(ledger_->books().table(), closed_);
  const ShardId shard = PageOf(3).shard();
  const uint64_t pages = ledger_->books().table().totals(shard).pages;
  closed_.Add(shard);
  EXPECT_EQ(pool.eligible(), 5 - pages);
  for (const PageId page : Walk(pool)) EXPECT_NE(page.shard(), shard);
  closed_.Clear();
  EXPECT_EQ(pool.eligible(), 5u);
}

TEST_F(PoolsTest, DonePagesWithCashAreSettled) {
  FetchPages(20);
  SettlePool pool(ledger_->books().table(), closed_);
  EXPECT_EQ(pool.eligible(), 20u);
  for (const PageId page : Walk(pool)) {
    const auto cell = ledger_->books().table().Find(page);
    EXPECT_TRUE(cell->done);
    EXPECT_GT(cell->cash.value().units(), 0u);
  }
}

TEST_F(PoolsTest, AWalkEndsAtTheEndAndTheNextBeginsAnew) {
  UnreadPool pool(ledger_->books().table(), closed_);
  uint64_t met = 0;
  for (const uint64_t all : {5, 10}) {
    EXPECT_TRUE(pool.Walk(~uint64_t{0}, [&](const schedule::Candidate&) { ++met; }));
    EXPECT_EQ(met, all);
  }
}

}  // namespace
}  // namespace opic::node
