// How visits move cash (src/ledger/ledger.cc). After every Commit the second bookkeeper compares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_crawl.h"

namespace opic {
namespace {

using ledger::VisitKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSupply = cash::kSupply.units();

class VisitTest : public testing::Test, protected SmallCrawl {
 protected:
  VisitTest() : SmallCrawl("") { EXPECT_TRUE(Open().ok()); }
  // Page 0 is known and has cash, pages 1 to 3 are its links.
  void BeginWithLinks() {
    Seed({0});
    Commit();
    Fetch(0, {1, 2, 3});
    Commit();
  }
};

TEST_F(VisitTest, AtGenesisTheWholeSupplyLiesOnTheVirtualPage) {
  EXPECT_EQ(VirtualPage(), kSupply);
  EXPECT_EQ(ledger().books().table().totals().pages, 0u);
  EXPECT_EQ(ledger().log_number(), 0u);
}

TEST_F(VisitTest, SeedsAreKnownNamedAndPaidInTheirOwnGroup) {
  Seed({1, 2});
  Commit();
  EXPECT_EQ(Row(1).url, UrlOf(1));
  EXPECT_EQ(Row(1).depth, 0u);
  EXPECT_NEAR(static_cast<double>(CashOf(1)), kSupply / 2.0, kSupply / 200.0);
  EXPECT_NEAR(static_cast<double>(CashOf(2)), kSupply / 2.0, kSupply / 200.0);
}

TEST_F(VisitTest, ASeedThatIsKnownStaysAsItIs) {
  BeginWithLinks();
  const uint64_t before = CashOf(1);
  Seed({1});
  Commit();
  EXPECT_EQ(Row(1).depth, 1u);
  EXPECT_GE(CashOf(1), before);
}

TEST_F(VisitTest, APageWithTheIdZeroCanBeSeeded) {
  const ledger::Link zero{PageId(), "http://zero/"};
  books().ExpectSeeds({zero});
  ledger().Seed({zero});
  Commit();
  EXPECT_TRUE(ledger().books().table().Find(PageId()).has_value());
}

// Paper section 2: the cash of a page is split over its links; 15% take the small edge.
TEST_F(VisitTest, AVisitSplitsAllCashToTheUnit) {
  Seed({0});
  Commit();
  const uint64_t cash = CashOf(0);
  Fetch(0, {1, 2, 3});
  Commit();
  const ledger::JournalRecord record = JournalRecord(2);
  const cash::Split split = cash::SplitCash(cash::Amount(cash), 3, cash::SmallEdge());
  ASSERT_EQ(record.credits.size(), 3u);
  for (const auto& credit : record.credits) EXPECT_EQ(credit.amount, split.per_link);
  EXPECT_EQ(record.visits[0].taken.units(), cash);
  EXPECT_EQ(3 * split.per_link.units() + split.virtual_share.units(), cash);
  EXPECT_TRUE(record.after.clock == cash);
}

TEST_F(VisitTest, LinksOfTheGroupAreSummedToOneCreditAPage) {
  BeginWithLinks();
  Fetch(1, {9, 3});
  Fetch(2, {3, 9});
  Commit();
  EXPECT_EQ(JournalRecord(3).credits.size(), 2u);
}

// A share of zero units is a discovery all the same.
TEST_F(VisitTest, AVisitWithoutCashDiscoversItsLinks) {
  BeginWithLinks();
  Fetch(1, {});
  Commit();
  Fetch(1, {7});
  Fetch(1, {8});
  Commit();
  EXPECT_EQ(JournalRecord(4).visits[1].taken.units(), 0u);
  EXPECT_TRUE(Knows(8));
  EXPECT_EQ(Row(8).url, UrlOf(8));
  EXPECT_EQ(Row(8).depth, 2u);
}

TEST_F(VisitTest, ADiscoveredPageIsOneLinkDeeper) {
  BeginWithLinks();
  Fetch(1, {5});
  Commit();
  EXPECT_EQ(Row(1).depth, 1u);
  EXPECT_EQ(Row(5).depth, 2u);
}

TEST_F(VisitTest, ALinkToThePageItselfIsDroppedAndRepeatedOnesCountOnce) {
  Seed({0});
  Commit();
  Fetch(0, {2, 0, 1});
  Commit();
  EXPECT_THAT(History(0).links, testing::UnorderedElementsAre(Page(1), Page(2)));
}

TEST_F(VisitTest, APageIsDoneAfterItsVisit) {
  BeginWithLinks();
  EXPECT_TRUE(ledger().books().table().Find(Page(0))->done);
  EXPECT_FALSE(ledger().books().table().Find(Page(1))->done);
}

TEST_F(VisitTest, HistoryTellsTheVisit) {
  BeginWithLinks();
  ledger::Visit visit = Fetched(1, {2});
  visit.etag = "\"v1\"";
  visit.last_modified = "Sat, 21 Nov 2026 00:00:00 GMT";
  visit.content_hash = 77;
  const uint64_t cash = CashOf(1);
  Record(visit);
  Commit();
  const ledger::HistoryRow row = History(1);
  EXPECT_EQ(row.etag, visit.etag);
  EXPECT_EQ(row.last_modified, visit.last_modified);
  EXPECT_EQ(row.content_hash, 77u);
  EXPECT_EQ(row.http_status, 200);
  EXPECT_EQ(row.fetched_at, visit.at);
  EXPECT_EQ(row.visits, 1u);
  EXPECT_EQ(row.fetches, 1u);
  EXPECT_TRUE(row.history.sum == cash);
}

TEST_F(VisitTest, ARedirectHasOneLinkItsTarget) {
  BeginWithLinks();
  ledger::Visit visit = Ended(1, VisitKind::kRedirect, 301);
  visit.links = Links({6});
  Record(visit);
  Commit();
  EXPECT_THAT(History(1).links, ElementsAre(Page(6)));
  EXPECT_EQ(History(1).kind, VisitKind::kRedirect);
  EXPECT_GT(CashOf(6), 0u);
}

// As the links of a page do that names another one as its canonical.
TEST_F(VisitTest, WhatIsDiscoveredIsKnownAndNotPaid) {
  BeginWithLinks();
  const uint64_t cash = CashOf(1);
  ledger::Visit visit = Fetched(1, {6});
  visit.discovered = Links({6, 7, 3, 1, 8});
  const uint64_t before = CashOf(3);
  Record(visit);
  Commit();
  const cash::Split split = cash::SplitCash(cash::Amount(cash), 1, cash::SmallEdge());
  const ledger::JournalRecord record = JournalRecord(3);
  ASSERT_EQ(record.credits.size(), 3u) << "6, and 7 and 8, which were not known";
  for (const auto& credit : record.credits)
    EXPECT_EQ(credit.amount, credit.page == Page(6) ? split.per_link : cash::Amount());
  EXPECT_THAT(History(1).links, ElementsAre(Page(6)));
  EXPECT_TRUE(Knows(7));
  EXPECT_EQ(Row(7).url, UrlOf(7));
  EXPECT_EQ(Row(8).depth, 2u);
  EXPECT_GE(CashOf(3), before) << "the virtual page pays it, at most";
  Reopen();
  EXPECT_TRUE(Knows(8));
}

TEST_F(VisitTest, AllCashOfAPageThatIsGoneGoesToTheVirtualPage) {
  BeginWithLinks();
  const uint64_t before = VirtualPage(), cash = CashOf(1);
  Record(Ended(1, VisitKind::kGone, 404));
  Commit();
  EXPECT_THAT(JournalRecord(3).credits, IsEmpty());
  uint64_t instalments = 0;
  for (const auto& instalment : JournalRecord(3).instalments) {
    instalments += instalment.each.units() * ledger().books().PayeesOf(instalment);
  }
  EXPECT_NEAR(static_cast<double>(VirtualPage() + instalments), static_cast<double>(before + cash),
              kSupply / 1000.0);
}

TEST_F(VisitTest, APageThatIsGoneForgetsItsLinksAndValidators) {
  BeginWithLinks();
  Record(Ended(0, VisitKind::kGone, 410));
  Commit();
  EXPECT_THAT(History(0).links, IsEmpty());
  EXPECT_EQ(History(0).http_status, 410);
}

TEST_F(VisitTest, NotModifiedPaysTheKeptLinks) {
  BeginWithLinks();
  Fetch(1, {0});  // gives page 0 cash
  Commit();
  ASSERT_GT(CashOf(0), 0u);
  Record(Ended(0, VisitKind::kNotModified, 304));
  Commit();
  EXPECT_EQ(JournalRecord(4).credits.size(), 3u);
  EXPECT_EQ(History(0).kind, VisitKind::kFetched);
  EXPECT_EQ(History(0).http_status, 304);
  EXPECT_EQ(History(0).fetches, 2u);
}

TEST_F(VisitTest, SettlingPaysTheKeptLinksWithoutAFetch) {
  BeginWithLinks();
  Fetch(1, {0});
  Commit();
  const cash::Sum clock = ledger().books().clock(), paid = CashOf(0);
  Settle({0});
  Commit();
  EXPECT_EQ(JournalRecord(4).credits.size(), 3u);
  EXPECT_TRUE(JournalRecord(4).visits[0].settled);
  EXPECT_TRUE(ledger().books().clock() == clock + paid);
  EXPECT_EQ(History(0).visits, 2u);
  EXPECT_EQ(History(0).fetches, 1u);
  EXPECT_EQ(ledger().counts().settled, 1u);
  EXPECT_TRUE(ledger().balances().fetch_clock < ledger().balances().clock);
}

// The first visit's history was lost: both copies of the row were read before either was paid.
TEST_F(VisitTest, APageSettledTwiceInAGroupPaysOnceAndKeepsBothVisits) {
  BeginWithLinks();
  Fetch(1, {0});
  Commit();
  const uint64_t cash = CashOf(0);
  Settle({0, 0});
  Settle({0});
  Commit();
  EXPECT_EQ(History(0).visits, 4u);
  EXPECT_GE(History(0).history.sum, cash::Sum{cash});
}

TEST_F(VisitTest, AReopenedPageIsUnreadAndVisitedAgain) {
  BeginWithLinks();
  ReopenPages({0});
  Commit();
  EXPECT_FALSE(ledger().books().table().Find(Page(0))->done);
  Fetch(0, {1});
  Commit();
  EXPECT_TRUE(ledger().books().table().Find(Page(0))->done);
  EXPECT_EQ(ledger().balances().by_kind[static_cast<int>(VisitKind::kFetched)], 1u);
}

TEST_F(VisitTest, PagesAreCountedByTheKindOfTheirLastVisit) {
  BeginWithLinks();
  Record(Ended(1, VisitKind::kGone, 404));
  Record(Ended(2, VisitKind::kForbidden, 0));
  Commit();
  Record(Ended(0, VisitKind::kGone, 404));
  Settle({1});
  Commit();
  EXPECT_THAT(ledger().balances().by_kind, ElementsAre(0, 0, 0, 2, 1, 0, 0));
}

TEST_F(VisitTest, ForgottenLinksArePaidOnceAndNeverAgain) {
  CrashingStore store;
  ledger::Charter charter = Charter();
  charter.keep_links = false;
  auto ledger = ledger::Ledger::Open({}, store, &charter).value();
  ledger->Seed(Links({0}));
  ASSERT_TRUE(ledger->Commit().ok());
  ASSERT_TRUE(ledger->Record({Fetched(0, {1, 2})}).ok());
  ASSERT_TRUE(ledger->Commit().ok());
  EXPECT_GT(ledger->books().table().Find(Page(1))->cash.value().units(), 0u);
  const auto row = store.Get(store::Table::kHistory, ledger::KeyOf(Page(0))).value().value();
  EXPECT_THAT(ledger::DecodeHistoryRow(row, ledger->window())->links, IsEmpty());
}

TEST_F(VisitTest, TwoUrlsWithOneIdAreACollision) {
  Seed({0});
  Commit();
  ledger::Visit visit = Fetched(0, {1});
  visit.links.push_back({Page(1), "http://other/"});
  ASSERT_TRUE(ledger().Record({visit}).ok());
  EXPECT_EQ(ledger().counts().collisions, 1u);
}

TEST_F(VisitTest, VisitingAnUnknownPageIsABug) {
  EXPECT_DEATH((void)ledger().Record({Fetched(1, {})}), "unknown page");
}

TEST_F(VisitTest, SettlingAPageThatIsNotDoneIsABug) {
  Seed({1});
  Commit();
  EXPECT_DEATH((void)ledger().Settle({Page(1)}), "not done");
}

// A hub far larger than its links, and links far larger than the hub: cells round, the sum does
// not.
TEST_F(VisitTest, ALongRandomCrawlAgreesWithTheSecondBookkeeper) {
  base::Rng rng(7);
  Seed({0, 1, 2});
  Commit();
  for (int group = 0; group < 60; ++group) {
    const std::vector<PageId> known = books().pages();
    for (int visit = 0; visit < 4; ++visit) {
      ledger::Visit fetched = Fetched(0, {rng.Below(80), 80 + rng.Below(9), 90});
      fetched.page = known[rng.Below(known.size())];
      Record(fetched);
    }
    Commit();
  }
  EXPECT_GT(books().pages().size(), 60u);
}

}  // namespace
}  // namespace opic
