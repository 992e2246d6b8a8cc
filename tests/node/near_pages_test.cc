// Which page is the first to say something, and which ones are its near duplicates or similar to
// it, as pages are read, change, go and move.
#include "node/near_pages.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/encoding.h"
#include "base/rng.h"
#include "node/near_duplicates.h"
#include "refresh/content_hash.h"
#include "tests/node/judged_pages_fixture.h"

namespace opic::node {
namespace {

class NearPagesTest : public JudgedPagesTest {
 protected:
  static constexpr int kKnownPages = 24;

  NearPagesTest() {
    Restart(DuplicateUse::kMerge);
    SeedPages(kKnownPages);
  }
  void Restart(DuplicateUse near_use) { a_.Restart(DuplicateUse::kMerge, near_use); }

  // A text of its own for each subject; of its edits those of one version are near duplicates of
  // each other, and the others are similar.
  static desk::NearText TextOf(uint64_t subject, uint64_t edit, uint64_t version = 0) {
    base::Rng rng(subject);
    std::string words;
    for (int word = 0; word < 300; ++word) words += "w" + std::to_string(rng.Below(5'000)) + " ";
    words += "version" + std::to_string(version) + " read " + std::to_string(edit);
    desk::NearText text;
    text.content_hash = refresh::HashOfText(2 * (100'000 * version + 1'000 * subject + edit));
    text.site = 5;
    text.sketch = links::SketchOf(words);
    return text;
  }
  ledger::Visit Reading(int page, uint64_t subject, uint64_t edit = 0, uint64_t version = 0) {
    const desk::NearText text = TextOf(subject, edit, version);
    ledger::Visit visit = ReadingOf(page, text.content_hash, (page + 1) % kKnownPages);
    visit.near_text = desk::Encode(text);
    return visit;
  }
  ledger::Visit Gone(int page) { return Ended(page, VisitKind::kGone, 404); }
  // The page that it pays alone; -1: its own links.
  int Paid(int page) {
    const std::optional<ledger::HistoryRow> row = RowOf(page);
    if (!row || !desk::LeftOutInRow(row->http_status).duplicate) return -1;
    EXPECT_EQ(row->links.size(), 1u);
    return NumberOf(row->links.front());
  }
  int NumberOf(std::optional<PageId> id) const {
    for (int page = 0; page < kKnownPages; ++page)
      if (id == PageOf(page)) return page;
    return -1;
  }
  // The page that it is known to be a near duplicate of, or similar to; -1: none.
  int NearTo(int page) { return AlikeTo(page, true); }
  int SimilarTo(int page) { return AlikeTo(page, false); }
  int AlikeTo(int page, bool near_duplicate) {
    const std::optional<ledger::HistoryRow> row = RowOf(page);
    if (!row) return -1;
    const auto alike = AlikeFirstPage(PageOf(page), row->content_hash, *a_.store).value();
    return alike && alike->near_duplicate == near_duplicate ? NumberOf(alike->first) : -1;
  }
  size_t Rows(const std::string& prefix) {
    size_t rows = 0;
    for (auto row = a_.store->Scan(store::Table::kMeta, prefix);
         row->Valid() && row->key().starts_with(prefix); row->Next())
      ++rows;
    return rows;
  }
  uint64_t found() const { return a_.pages->near_duplicates(); }

  // Rows of a page that may have near duplicates and similar ones.
  static constexpr size_t kRowsOfPage = links::TextSketch::kBands + 1;
};

TEST_F(NearPagesTest, ANearDuplicatePaysTheFirstPageAlone) {
  Group({Reading(0, 1), Reading(1, 2)});
  Group({Reading(2, 1, 1)});
  EXPECT_EQ(Paid(0), -1);
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(Paid(2), 0);
  EXPECT_EQ(NearTo(2), 0);
  EXPECT_EQ(NearTo(0), -1);
  EXPECT_EQ(found(), 1u);
}

TEST_F(NearPagesTest, TheFirstOfAGroupCountsInIt) {
  Group({Reading(0, 1), Reading(1, 1, 1), Reading(2, 2), Reading(3, 1, 2)});
  EXPECT_EQ(Paid(1), 0);
  EXPECT_EQ(Paid(2), -1);
  EXPECT_EQ(Paid(3), 0);
}

TEST_F(NearPagesTest, ShownTheyAreKnownAndPayTheirLinks) {
  Restart(DuplicateUse::kShow);
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(NearTo(1), 0);
  EXPECT_EQ(found(), 1u);
}

TEST_F(NearPagesTest, ASimilarPagePaysItsLinksAndMayHaveNearDuplicates) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 0, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(SimilarTo(1), 0);
  EXPECT_EQ(NearTo(1), -1);
  Group({Reading(2, 1, 1, 1), Reading(3, 1, 1)});
  EXPECT_EQ(Paid(2), 1) << "and not page 0, to which it is only similar";
  EXPECT_EQ(Paid(3), 0);
  EXPECT_EQ(found(), 2u);
  EXPECT_EQ(a_.pages->similar(), 1u);
  // A near duplicate of a similar page counts as what that one is similar to.
  NearDuplicates told(*a_.store, std::nullopt);
  std::map<PageId, uint64_t> hashes;
  for (const int page : {0, 1, 2, 3}) hashes[PageOf(page)] = RowOf(page)->content_hash;
  for (const auto& [id, hash] : hashes)
    EXPECT_EQ(told.FirstHash(id, hash).value(), id == PageOf(0) ? 0 : hashes[PageOf(0)]);
}

TEST_F(NearPagesTest, WhereItIsAskedForSimilarPagesAreMergedToo) {
  Restart(DuplicateUse::kMergeSimilar);
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 0, 1), Reading(2, 1, 1, 1), Reading(3, 1, 1)});
  for (const int page : {1, 2, 3}) {
    EXPECT_EQ(Paid(page), 0);
    EXPECT_EQ(NearTo(page), 0);
    EXPECT_EQ(SimilarTo(page), -1);
  }
  EXPECT_EQ(found(), 3u);
  EXPECT_EQ(a_.pages->similar(), 0u);
  EXPECT_EQ(Rows("near/"), kRowsOfPage) << "of page 0 alone, so they make no circle";
  Group({Reading(0, 2)});
  Group({Reading(1, 1, 0, 1), Reading(2, 1, 1, 1)});
  EXPECT_EQ(Paid(1), -1) << "the first that is left";
  EXPECT_EQ(Paid(2), 1);
}

TEST_F(NearPagesTest, ASimilarPageThatGoesLeavesNoRow) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 0, 1)});
  EXPECT_EQ(Rows("near/"), kRowsOfPage + 1);
  Group({Gone(1)});
  EXPECT_EQ(Rows("near/"), kRowsOfPage);
  Group({Reading(2, 1, 1, 1)});
  EXPECT_EQ(SimilarTo(2), 0);
}

// Kept by a release that did not know what lasts.
TEST_F(NearPagesTest, AnEarlierTextIsSimilarOnly) {
  Group({Reading(0, 1)});
  desk::NearText text = TextOf(1, 0);
  text.sketch.lasting = 0;
  std::string row;
  base::AppendBytes(row, desk::Encode(text).substr(0, desk::Encode(text).size() - 8));
  store::Batch batch;
  batch.Put(store::Table::kMeta, "text/" + ledger::KeyOf(PageOf(0)), row);
  ASSERT_TRUE(a_.store->Write(batch, store::Sync::kNo).ok());
  Restart(DuplicateUse::kMerge);
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(SimilarTo(1), 0);
  Group({Reading(0, 1)});
  EXPECT_EQ(Paid(0), 1) << "read again it is known what lasts of it";
}

TEST_F(NearPagesTest, WhoReadsAllPagesIsToldWhatTheyAreNearTo) {
  Group({Reading(0, 1), Reading(1, 1, 1), Reading(2, 2), Reading(3, 1, 3), Reading(4, 1, 4)});
  std::vector<PageId> ids;
  for (int page = 0; page < kKnownPages; ++page) ids.push_back(PageOf(page));
  std::sort(ids.begin(), ids.end());
  for (const std::optional<PageId> after : {std::optional<PageId>(), std::optional(ids[5])}) {
    NearDuplicates told(*a_.store, after);
    for (const PageId id : ids) {
      if (after && id <= *after) continue;
      const int page = NumberOf(id);
      const bool changed = page == 3;
      const uint64_t hash = TextOf(page == 2 ? 2 : 1, changed ? 9 : page).content_hash;
      const bool near = page == 1 || page == 4;
      EXPECT_EQ(told.FirstHash(id, hash).value(), near ? TextOf(1, 0).content_hash : 0) << page;
    }
  }
}

TEST_F(NearPagesTest, SwitchedOffNothingIsKept) {
  Restart(DuplicateUse::kOff);
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), -1);
  EXPECT_EQ(Rows("text/") + Rows("near/"), 0u);
}

TEST_F(NearPagesTest, AnExactDuplicateIsNoNearOne) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1)});
  EXPECT_EQ(Paid(1), 0);
  EXPECT_EQ(NearTo(1), -1);
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(Rows("text/"), 1u);
}

// A crowd of alike pages leaves the bands as they are with one.
TEST_F(NearPagesTest, NearDuplicatesTakeNoRoomInTheBands) {
  Group({Reading(0, 1)});
  EXPECT_EQ(Rows("near/"), kRowsOfPage);
  for (int page = 1; page < 20; ++page) Group({Reading(page, 1, page)});
  EXPECT_EQ(Rows("near/"), kRowsOfPage);
  EXPECT_EQ(Rows("text/"), 20u);
}

TEST_F(NearPagesTest, ReadAgainAllStaysAsItIs) {
  for (int round = 0; round < 3; ++round) {
    Group({Reading(0, 1)});
    Group({Reading(1, 1, 1)});
    EXPECT_EQ(Paid(0), -1);
    EXPECT_EQ(Paid(1), 0);
  }
  EXPECT_EQ(Rows("near/"), kRowsOfPage);
}

TEST_F(NearPagesTest, WhenTheFirstPageChangesAnotherTakesItsPlace) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 1)});
  Group({Reading(0, 2)});
  Group({Reading(2, 1, 2)});
  EXPECT_EQ(Paid(2), -1);
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), 2);
  EXPECT_EQ(Rows("near/"), 2 * kRowsOfPage);
}

TEST_F(NearPagesTest, WhenTheFirstPageIsGoneAnotherTakesItsPlace) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 1)});
  Group({Gone(0)});
  EXPECT_EQ(Rows("near/"), 0u);
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), -1);
  Group({Gone(1)});
  EXPECT_EQ(Rows("text/") + Rows("near/"), 0u);
}

// A crawl without texts has read the first page since.
TEST_F(NearPagesTest, ATextThatIsOutOfDateStandsForNothing) {
  Group({Reading(0, 1)});
  Restart(DuplicateUse::kOff);
  Group({Reading(0, 2)});
  Restart(DuplicateUse::kMerge);
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), -1);
  Group({Reading(2, 1, 2)});
  EXPECT_EQ(Paid(2), 1);
}

TEST_F(NearPagesTest, ItOutlivesTheProcessAndWhatIsNotCommittedDoesNot) {
  std::vector<ledger::Visit> lost = {Reading(0, 1)};
  ASSERT_TRUE(a_.pages->Judge(absl::MakeSpan(lost)).ok());
  EXPECT_EQ(Rows("text/"), 0u);
  Restart(DuplicateUse::kMerge);
  Group({Reading(0, 1)});
  Restart(DuplicateUse::kMerge);
  Group({Reading(1, 1, 1)});
  EXPECT_EQ(Paid(1), 0);
}

// Pages of one template: their bands are the same, and they say other things.
TEST_F(NearPagesTest, ARowThatIsFullIsLeftAlone) {
  const auto alike = [&](int page) {
    ledger::Visit visit = Reading(page, 100 + page);
    desk::NearText text = *desk::DecodeNearText(visit.near_text);
    text.sketch.bands = {1, 2, 3, 4}, text.sketch.lasting = 5;
    visit.near_text = desk::Encode(text);
    return visit;
  };
  for (int page = 0; page < 20; ++page) Group({alike(page)});
  EXPECT_EQ(found(), 0u);
  EXPECT_EQ(Rows("near/"), kRowsOfPage);
  const auto row = a_.store->Get(store::Table::kMeta, std::string("near/") + base::Big64(1));
  EXPECT_EQ((*row)->size(), 8 * NearPages::kPagesOfRow);
  Group({Gone(0)});
  Group({alike(20)});
  EXPECT_EQ((*a_.store->Get(store::Table::kMeta, std::string("near/") + base::Big64(1)))->size(),
            8 * NearPages::kPagesOfRow)
      << "the room of one that is gone is taken";
}

TEST_F(NearPagesTest, DamagedRowsSayNothing) {
  Group({Reading(0, 1)});
  for (const std::string junk : {"", "x", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}) {
    store::Batch batch;
    batch.Put(store::Table::kMeta, "text/" + ledger::KeyOf(PageOf(0)), junk);
    ASSERT_TRUE(a_.store->Write(batch, store::Sync::kNo).ok());
    Group({Reading(1, 1, 1)});
    EXPECT_EQ(Paid(1), -1);
    Group({Gone(1)});
  }
}

// Any pages, texts and exact copies, in groups of any size: what they pay never comes back to them.
TEST_F(NearPagesTest, NearDuplicatesMakeNoCircle) {
  base::Rng rng(5);
  for (int step = 0; step < 1'500; ++step) {
    std::map<int, ledger::Visit> visits;
    for (uint64_t left = 1 + rng.Below(4); left > 0; --left) {
      const int page = static_cast<int>(rng.Below(8));
      visits[page] = rng.Below(10) == 0
                         ? Gone(page)
                         : Reading(page, 1 + rng.Below(2), rng.Below(3), rng.Below(2));
    }
    std::vector<ledger::Visit> group;
    for (auto& [page, visit] : visits) group.push_back(visit);
    if (rng.Below(2) == 0) std::reverse(group.begin(), group.end());
    Group(std::move(group));
    for (int page = 0; page < 8; ++page) {
      int at = page, hops = 0;
      while (Paid(at) >= 0 && hops <= 8) at = Paid(at), ++hops;
      ASSERT_LE(hops, 8) << "step " << step << ": page " << page;
    }
    ASSERT_LE(Rows("near/"), 8 * kRowsOfPage);
  }
  EXPECT_GT(found(), 100u);
}

TEST_F(NearPagesTest, TheyLeaveWithTheirShard) {
  Group({Reading(0, 1)});
  Group({Reading(1, 1, 1), Reading(2, 2)});
  ASSERT_TRUE(a_.ledger->moves().Depart(PageOf(0).shard(), kB, "").ok());
  a_.Commit();
  EXPECT_EQ(Rows("text/") + Rows("near/"), 0u);
}

}  // namespace
}  // namespace opic::node
