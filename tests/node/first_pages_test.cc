// Which page is the first with a content, as pages are read, change, go and move.
#include "node/first_pages.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/rng.h"
#include "refresh/content_hash.h"
#include "tests/node/judged_pages_fixture.h"

namespace opic::node {
namespace {

class FirstPagesTest : public JudgedPagesTest {
 protected:
  FirstPagesTest() { SeedPages(8); }

  // A page of the same site that is in another shard than all others.
  static constexpr int kOther = 8;
  static std::string HostOf(int page) {
    const url::UrlHash hash(url::ShardBy::kHost, kFourShards);
    std::string host = "a.test";
    for (int i = 0; page == kOther && hash.ShardOfHost(host) == hash.ShardOfHost("a.test"); ++i)
      host = "www" + std::to_string(i) + ".a.test";
    return host;
  }
  std::string UrlOf(int page) const override {
    return "http://" + HostOf(page) + "/" + std::to_string(page);
  }
  static uint64_t HashOf(uint64_t content) { return refresh::HashOfText(2 * content); }
  uint64_t KeyOf(uint64_t content) const { return KeyOfHash(HashOf(content)); }
  // A reading of the page, which links to the next one.
  ledger::Visit Reading(int page, uint64_t content) {
    return ReadingOf(page, HashOf(content), (page + 1) % 8);
  }
  bool IsDuplicate(int page) { return desk::LeftOutInRow(RowOf(page)->http_status).duplicate; }
  // The page that it pays alone as its duplicate; -1: none.
  int Paid(int page) {
    const std::optional<ledger::HistoryRow> row = RowOf(page);
    if (!row || !desk::LeftOutInRow(row->http_status).duplicate) return -1;
    EXPECT_EQ(row->links.size(), 1u);
    for (int other = 0; other < 8; ++other)
      if (row->links == std::vector{PageOf(other)}) return other;
    return -1;
  }
  size_t RowsOfContents() {
    size_t rows = 0;
    for (auto row = a_.store->Scan(store::Table::kMeta, "first/");
         row->Valid() && row->key().starts_with("first/"); row->Next())
      ++rows;
    return rows;
  }
  std::optional<PageId> First(uint64_t content) {
    return FirstPageWith(KeyOf(content), HashOf(content), *a_.ledger, *a_.store).value();
  }

  void SeedOther() {
    a_.ledger->Seed({{PageOf(kOther), UrlOf(kOther)}});
    a_.Commit();
    ASSERT_NE(PageOf(kOther).shard(), PageOf(0).shard());
  }
  static void Depart(Member& from, NodeId to, ShardId shard) {
    ASSERT_TRUE(from.ledger->moves().Depart(shard, to, "").ok());
    from.Commit();
  }
  // All that the one has for the other is delivered: the shard is there then, and workable.
  static void Arrive(Member& from, NodeId sender, Member& to, NodeId receiver, ShardId shard) {
    const uint64_t sealed = from.ledger->peers().book(receiver).sealed;
    for (uint64_t next = to.ledger->peers().book(sender).applied + 1; next <= sealed; ++next) {
      const std::string bytes = from.ledger->SealedBytes(receiver, next).value();
      ASSERT_EQ(to.ledger->Receive(ledger::DecodeTransferBatch(bytes).value()).value(),
                ledger::Receipt::kTaken);
      to.Commit();
    }
    ASSERT_EQ(to.ledger->moves().TakeArrived().size(), 1u);
    to.ledger->moves().HostsApplied(shard);
    to.Commit();
  }
};

TEST_F(FirstPagesTest, ADuplicatePaysTheFirstPageAloneAndItsLinksAreKnown) {
  Group({Reading(0, 1)});
  ledger::Visit visit = Reading(3, 1);
  visit.links = {{hash_.PageOf(*url::Parse("http://new.test/")), "http://new.test/"}};
  Group({visit});
  EXPECT_EQ(Paid(0), -1);
  EXPECT_EQ(RowOf(0)->links, std::vector{PageOf(1)});
  EXPECT_EQ(Paid(3), 0);
  EXPECT_EQ(RowOf(3)->http_status % 1000, 200);
  EXPECT_TRUE(a_.ledger->books().table().Find(visit.links[0].page));
  EXPECT_EQ(a_.pages->counts().duplicates, 1u);
  EXPECT_EQ(First(1), PageOf(0));
  Group({Reading(4, 2)});
  EXPECT_EQ(Paid(4), -1);
}

TEST_F(FirstPagesTest, TheFirstOfAGroupCountsInIt) {
  Group({Reading(0, 1), Reading(1, 1), Reading(2, 2), Reading(3, 1)});
  EXPECT_EQ(Paid(0), -1);
  EXPECT_EQ(Paid(1), 0);
  EXPECT_EQ(Paid(2), -1);
  EXPECT_EQ(Paid(3), 0);
  EXPECT_EQ(RowsOfContents(), 2u);
}

TEST_F(FirstPagesTest, TheFirstPageReadAgainStaysTheFirst) {
  Group({Reading(0, 1)});
  Group({Reading(0, 1)});
  EXPECT_EQ(Paid(0), -1);
  Group({Reading(1, 1)});
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 0);
  EXPECT_EQ(RowsOfContents(), 1u);
}

TEST_F(FirstPagesTest, ADuplicateWithAnotherContentPaysItsLinksAgain) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1)});
  Group({Reading(1, 2)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(RowOf(1)->links, std::vector{PageOf(2)});
  EXPECT_EQ(First(1), PageOf(0));
  EXPECT_EQ(First(2), PageOf(1));
}

TEST_F(FirstPagesTest, WhenTheFirstPageChangesTheNextTakesItsPlace) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1)});
  Group({Reading(0, 2)});
  EXPECT_EQ(RowsOfContents(), 1u) << "no page is the first of the old content";
  Group({Reading(2, 1)});
  EXPECT_EQ(Paid(2), -1);
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 2);
  EXPECT_EQ(Paid(0), -1);
}

TEST_F(FirstPagesTest, WhenTheFirstPageIsGoneTheNextTakesItsPlace) {
  for (const VisitKind kind : {VisitKind::kGone, VisitKind::kFailed}) {
    Group({Reading(0, 1)});
    Group({Reading(1, 1)});
    EXPECT_EQ(Paid(1), 0);
    Group({Ended(0, kind, 404)});
    Group({Reading(1, 1)});
    EXPECT_EQ(Paid(1), -1);
    Group({Reading(0, 1)});
    EXPECT_EQ(Paid(0), 1) << "who comes back is the next";
    Group({Ended(1, kind, 404)});
    Group({Ended(0, kind, 404)});
  }
}

// What a row says is held against the page that it names: an older release may have read it since.
TEST_F(FirstPagesTest, ARowThatIsOutOfDateNamesNoFirstPage) {
  Group({Reading(0, 1)});
  a_.Restart(DuplicateUse::kOff);
  Group({Reading(0, 2)});
  EXPECT_EQ(RowsOfContents(), 1u);
  EXPECT_EQ(First(1), std::nullopt);
  a_.Restart(DuplicateUse::kMerge);
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(a_.pages->counts().taken_over, 1u);
  Group({Reading(2, 1)});
  EXPECT_EQ(Paid(2), 1);
}

TEST_F(FirstPagesTest, TwoThatSwapTheirContentsDoNotPayEachOther) {
  Group({Reading(0, 1)});
  Group({Reading(1, 2)});
  Group({Reading(0, 2), Reading(1, 1)});
  EXPECT_FALSE(IsDuplicate(0) && IsDuplicate(1));
  Group({Reading(0, 1), Reading(1, 2)});
  EXPECT_FALSE(IsDuplicate(0) && IsDuplicate(1));
}

TEST_F(FirstPagesTest, ItOutlivesTheProcess) {
  Group({Reading(0, 1)});
  a_.Restart(DuplicateUse::kMerge);
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 0);
}

// Its visit was not written either.
TEST_F(FirstPagesTest, WhatWasNotCommittedIsNotKnown) {
  std::vector<ledger::Visit> lost = {Reading(0, 1)};
  ASSERT_TRUE(a_.pages->Judge(absl::MakeSpan(lost)).ok());
  EXPECT_EQ(RowsOfContents(), 0u);
}

TEST_F(FirstPagesTest, ShownTheyAreCountedAndPayTheirLinks) {
  a_.Restart(DuplicateUse::kShow);
  Group({Reading(0, 1)});
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(RowOf(1)->http_status, 200);
  EXPECT_EQ(RowOf(1)->links, std::vector{PageOf(2)});
  EXPECT_EQ(a_.pages->counts().duplicates, 1u);
  EXPECT_EQ(First(1), PageOf(0));
}

TEST_F(FirstPagesTest, SwitchedOffNothingIsLookedFor) {
  a_.Restart(DuplicateUse::kOff);
  Group({Reading(0, 1)});
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(RowsOfContents(), 0u);
}

TEST_F(FirstPagesTest, A304LeavesAllAsItIs) {
  Group({Reading(0, 1)});
  Group({Ended(0, VisitKind::kNotModified, 304)});
  EXPECT_EQ(First(1), PageOf(0));
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 0);
}

// Any pages, any contents, in groups of any size: what duplicates pay never comes back to them.
TEST_F(FirstPagesTest, DuplicatesMakeNoCircle) {
  base::Rng rng(5);
  for (int step = 0; step < 2'000; ++step) {
    std::map<int, ledger::Visit> visits;
    for (uint64_t left = 1 + rng.Below(4); left > 0; --left) {
      const int page = static_cast<int>(rng.Below(8));
      visits[page] =
          rng.Below(10) == 0 ? Ended(page, VisitKind::kGone, 404) : Reading(page, 1 + rng.Below(3));
    }
    std::vector<ledger::Visit> group;
    for (auto& [page, visit] : visits) group.push_back(visit);
    if (rng.Below(2) == 0) std::reverse(group.begin(), group.end());
    Group(std::move(group));
    for (int page = 0; page < 8; ++page) {
      int at = page, hops = 0;
      while (RowOf(at) && Paid(at) >= 0 && hops <= 8) at = Paid(at), ++hops;
      ASSERT_LE(hops, 8) << "step " << step << ": page " << page;
    }
    ASSERT_LE(RowsOfContents(), 3u);
  }
  EXPECT_GT(a_.pages->counts().duplicates, 100u);
}

TEST_F(FirstPagesTest, TheyMoveWithTheirShard) {
  Member b(kB);
  Group({Reading(0, 1)});
  Group({Reading(1, 1), Reading(2, 2)});
  EXPECT_EQ(RowsOfContents(), 2u);
  const ShardId shard = PageOf(0).shard();
  Depart(a_, kB, shard);
  EXPECT_EQ(RowsOfContents(), 0u);
  EXPECT_EQ(First(1), std::nullopt);
  Arrive(a_, kA, b, kB, shard);
  const auto first = FirstPageWith(KeyOf(1), HashOf(1), *b.ledger, *b.store);
  EXPECT_EQ(first.value(), PageOf(0));
  EXPECT_EQ(FirstPageWith(KeyOf(2), HashOf(2), *b.ledger, *b.store).value(), PageOf(2));
}

// Shown, both may be the first. They arrive in one group, and come back in groups of one page.
TEST_F(FirstPagesTest, OfPagesThatMoveTogetherTheFirstStaysTheFirst) {
  Member b(kB, /*batch_bytes_max=*/60);
  a_.Restart(DuplicateUse::kShow);
  b.Restart(DuplicateUse::kShow);
  const int low = PageOf(0) < PageOf(1) ? 0 : 1, high = 1 - low;
  Group({Reading(low, 1)});
  Group({Reading(high, 1)});
  ASSERT_EQ(First(1), PageOf(low));
  ASSERT_EQ(Paid(high), -1);
  const ShardId shard = PageOf(low).shard();
  Depart(a_, kB, shard);
  Arrive(a_, kA, b, kB, shard);
  EXPECT_EQ(FirstPageWith(KeyOf(1), HashOf(1), *b.ledger, *b.store).value(), PageOf(low));
  Depart(b, kA, shard);
  ASSERT_GE(b.ledger->peers().book(kA).sealed, 8u) << "not a page at a time";
  Arrive(b, kB, a_, kA, shard);
  EXPECT_EQ(First(1), PageOf(low));
}

// The first page stays here, and so does its row.
TEST_F(FirstPagesTest, ADuplicateThatLeavesTakesNoOtherPagesRowAway) {
  a_.Restart(DuplicateUse::kShow);
  SeedOther();
  Group({Reading(0, 1)});
  Group({Reading(kOther, 1), Reading(1, 2)});
  EXPECT_EQ(a_.pages->counts().duplicates, 1u);
  Depart(a_, kB, PageOf(kOther).shard());
  EXPECT_EQ(First(1), PageOf(0));
  EXPECT_EQ(First(2), PageOf(1));
}

// Both were read while neither node knew of the other's.
TEST_F(FirstPagesTest, APageThatComesAndGoesLeavesTheFirstPageHereTheFirst) {
  Member b(kB);
  SeedOther();
  const ShardId shard = PageOf(kOther).shard();
  Group({Reading(kOther, 1)});
  Depart(a_, kB, shard);
  Arrive(a_, kA, b, kB, shard);
  Group({Reading(0, 1)});
  EXPECT_EQ(First(1), PageOf(0));
  Depart(b, kA, shard);
  Arrive(b, kB, a_, kA, shard);
  EXPECT_EQ(First(1), PageOf(0));
  Depart(a_, kB, shard);
  EXPECT_EQ(First(1), PageOf(0));
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 0);
}

}  // namespace
}  // namespace opic::node
