#include "page_table/checkpoint.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "page_table/page_table.h"
#include "page_table/shard_copies.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

constexpr ShardId kShard{5};

std::string Saved(const ShardCopies& copies, size_t index) {
  std::string bytes;
  copies.Save(index, [&](std::string_view piece) { bytes.append(piece); });
  return bytes;
}

class CheckpointTest : public testing::Test {
 protected:
  // Pages with cash, some done, some ordered.
  static void Fill(PageTable& table, int pages) {
    base::Rng rng(1);
    for (int i = 0; i < pages; ++i) {
      const PageId page(kShard, rng.Below(kPageIdCount));
      const Credit credit{page, cash::Amount(rng.Below(1'000'000))};
      table.Apply(absl::MakeConstSpan(&credit, 1), 1, cash::kSupply);
      if (i % 3 == 0) table.SetDone(page, true);
      if (i % 5 == 0) table.SetOrdered(page, true);
    }
  }

  // Refused, and the shard is as empty as before.
  static void ExpectRefused(std::string_view bytes) {
    PageTable table(16);
    const absl::Status status = Load(bytes, kShard, table);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_EQ(table.totals().pages, 0u);
    EXPECT_EQ(table.totals().cash, 0u);
    EXPECT_EQ(table.totals(kShard).bytes, 0u);
    EXPECT_TRUE(table.Add(PageId(kShard, 1)));
  }

  PageTable table_{16};
};

// The worked example of docs/formats/checkpoint.md.
TEST_F(CheckpointTest, ExampleIsWhatIsWritten) {
  std::string out;
  const auto append = [&](std::string_view piece) { out += piece; };
  CheckpointWriter writer({kShard, 2, 1, 2003}, append);
  writer.Add(3, {cash::Cell::FromBits(3), true});
  writer.Add(300, {cash::Cell::FromBits(2000), false});
  writer.Finish();
  std::string hex;
  for (const char byte : out) {
    hex += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  EXPECT_EQ(hex,
            "4f50494350414745"
            "01000000"
            "05000000"
            "0200000000000000"
            "0100000000000000"
            "d3070000000000000000000000000000"
            "5eb15d7d58b81d6c"
            "07000000"
            "070300"
            "d004d007"
            "3c7cca1361c9e4a5");
}

TEST_F(CheckpointTest, KeepsPagesCashAndDoneButNotOrdered) {
  Fill(table_, 50'000);
  PageTable loaded(16);
  ASSERT_TRUE(Load(Saved(table_, kShard), kShard, loaded).ok());
  table_.ClearOrdered();
  EXPECT_TRUE(PagesOf(loaded) == PagesOf(table_));
  EXPECT_EQ(loaded.totals().cash, table_.totals().cash);
  EXPECT_EQ(loaded.totals(kShard).done, table_.totals(kShard).done);
}

// Counted for the shard as a whole; Drop takes them off page by page.
TEST_F(CheckpointTest, ALoadedShardCountsInTheSumsOfTheTable) {
  Fill(table_, 50'000);
  const Credit debt{PageId(kShard, 1), cash::Amount(-5'000)};
  table_.Apply(absl::MakeConstSpan(&debt, 1), 1, cash::kSupply);
  table_.SetDone(debt.page, true);
  table_.SetReference(cash::Amount(1'000));
  PageTable loaded(16);
  loaded.SetReference(cash::Amount(1'000));
  ASSERT_TRUE(Load(Saved(table_, kShard), kShard, loaded).ok());
  const Totals was = table_.totals(), is = loaded.totals();
  EXPECT_EQ(is.pages, was.pages);
  EXPECT_EQ(is.done, was.done);
  EXPECT_EQ(is.in_debt, 1u);
  EXPECT_EQ(is.done_cash, was.done_cash);
  EXPECT_EQ(is.done_magnitude, was.done_magnitude);
  EXPECT_EQ(is.done_deviation, was.done_deviation);
  EXPECT_EQ(is.bytes, loaded.totals(kShard).bytes);
  loaded.Drop(kShard);
  EXPECT_EQ(loaded.totals().pages, 0u);
  EXPECT_EQ(loaded.totals().done_magnitude, 0);
  EXPECT_EQ(loaded.totals().done_deviation, 0);
}

TEST_F(CheckpointTest, SameContentsGiveTheSameBytesWhateverTheLayout) {
  Fill(table_, 10'000);
  PageTable loaded(16);
  ASSERT_TRUE(Load(Saved(table_, kShard), kShard, loaded).ok());
  EXPECT_EQ(Saved(loaded, kShard), Saved(table_, kShard));
}

TEST_F(CheckpointTest, ShardWithoutPagesLoadsAsOne) {
  PageTable loaded(16);
  ASSERT_TRUE(Load(Saved(table_, kShard), kShard, loaded).ok());
  EXPECT_EQ(loaded.totals().pages, 0u);
}

TEST_F(CheckpointTest, PiecesAreSmall) {
  Fill(table_, 50'000);
  table_.Save(kShard, [](std::string_view piece) { EXPECT_LE(piece.size(), kBlockBytesMax); });
}

// As a roster, and as a segment.
TEST_F(CheckpointTest, ACopyIsSavedAsTheTableWas) {
  for (int pages : {0, 1, 3'000, 50'000}) {
    PageTable table(16);
    Fill(table, pages);
    table.Add(PageId(ShardId{7}, 1));
    const std::string before = Saved(table, kShard), other = Saved(table, ShardId{7});
    table.BeginCopy({kShard, ShardId{7}});
    const std::unique_ptr<const ShardCopies> copies = table.CopySome(1 << 30);
    ASSERT_NE(copies, nullptr);
    Fill(table, 2 * pages + 10);
    ASSERT_NE(Saved(table, kShard), before);
    EXPECT_EQ(Saved(*copies, 0), before) << pages;
    EXPECT_EQ(Saved(*copies, 1), other);
  }
}

// Everything that changes pages, between the pieces of a copy.
TEST_F(CheckpointTest, ACopyInPiecesIsSavedAsTheTableWas) {
  constexpr ShardId kOther{7};
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    PageTable table(16);
    base::Rng rng(seed);
    const auto add = [&](uint64_t pages) {
      std::vector<Credit> credits;
      for (ShardId shard : {kShard, kOther}) {
        for (uint64_t i = 0; i < pages; ++i)
          credits.push_back({PageId(shard, rng.Below(kPageIdCount)), cash::Amount(rng.Below(999))});
      }
      table.Apply(credits, seed, cash::kSupply);
    };
    add(50'000 + rng.Below(50'000));
    std::vector<PageId> pages;
    for (const auto& [page, state] : PagesOf(table)) pages.push_back(page);
    const std::string before = Saved(table, kShard), other = Saved(table, kOther);
    table.BeginCopy({kShard, kOther});
    std::unique_ptr<const ShardCopies> copies;
    int pieces = 0;
    for (; (copies = table.CopySome(1)) == nullptr; ++pieces) {
      const PageId page = pages[rng.Below(pages.size())];
      const bool known = table.Find(page).has_value();  // its shard may have been dropped
      cash::Amount reserve{1'000'000'000};
      switch (rng.Below(100)) {
        case 0:
          add(rng.Below(3'000));  // a segment may grow
          break;
        case 1:
          table.PayRange(kShard, page.id(), page.id() + (uint64_t{1} << 38), false, cash::Amount(7),
                         5, &reserve);
          break;
        case 2:
          if (seed % 2 == 0) table.Drop(kOther);
          break;
        case 3:
          table.AddMoved({PageId(kShard, rng.Below(kPageIdCount)), cash::Cell(), true});
          break;
        default:
          if (known && rng.Below(2) == 0) table.Take(page);
          if (known) table.SetDone(page, rng.Below(2) == 0);
      }
    }
    EXPECT_GT(pieces, 20);
    ASSERT_NE(Saved(table, kShard), before);
    EXPECT_EQ(Saved(*copies, 0), before) << seed;
    EXPECT_EQ(Saved(*copies, 1), other) << seed;
  }
}

// 64 blocks of a segment at least, of which one is copied: what pages are paid copies theirs.
TEST_F(CheckpointTest, WhatIsPaidWhileACopyIsMadeIsCopiedBefore) {
  Fill(table_, 200'000);
  std::vector<Credit> credits;
  for (const auto& [page, state] : PagesOf(table_)) credits.push_back({page, cash::Amount(1000)});
  const std::string before = Saved(table_, kShard);
  table_.BeginCopy({kShard});
  ASSERT_EQ(table_.CopySome(1), nullptr);
  table_.Apply(credits, 1, cash::kSupply);
  const std::unique_ptr<const ShardCopies> copies = table_.CopySome(1);
  ASSERT_NE(copies, nullptr) << "nothing was left to copy";
  EXPECT_EQ(Saved(*copies, 0), before);
}

// A shard departs, and another one grows into the memory that it had.
TEST_F(CheckpointTest, WhatIsGivenBackWhileACopyIsMadeIsCopiedBefore) {
  constexpr ShardId kOther{7};
  Fill(table_, 50'000);
  for (uint64_t i = 0; i < 50'000; ++i) table_.Add(PageId(kOther, base::Mix64(i) % kPageIdCount));
  const std::string before = Saved(table_, kOther);
  table_.BeginCopy({kOther});
  ASSERT_EQ(table_.CopySome(1), nullptr);
  table_.Drop(kOther);
  Fill(table_, 200'000);
  const std::unique_ptr<const ShardCopies> copies = table_.CopySome(1);
  ASSERT_NE(copies, nullptr) << "nothing was left to copy";
  EXPECT_EQ(Saved(*copies, 0), before);
}

TEST_F(CheckpointTest, ACopyThatIsNotFinishedEndsWithItsTable) {
  PageTable table(16);
  Fill(table, 50'000);
  table.BeginCopy({kShard});
  EXPECT_EQ(table.CopySome(1), nullptr);
  EXPECT_DEATH(table.BeginCopy({kShard}), "two copies of a table at once");
}

TEST_F(CheckpointTest, EveryFlippedBitIsRefused) {
  Fill(table_, 40);
  std::string bytes = Saved(table_, kShard);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    ExpectRefused(bytes);
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

TEST_F(CheckpointTest, EveryShorterOrLongerFileIsRefused) {
  Fill(table_, 40);
  const std::string bytes = Saved(table_, kShard);
  for (size_t size = 0; size < bytes.size(); ++size) ExpectRefused(bytes.substr(0, size));
  ExpectRefused(bytes + '\0');
  ExpectRefused(bytes + bytes);
}

TEST_F(CheckpointTest, BlocksInAnotherOrderAreRefused) {
  Fill(table_, 30'000);
  const std::string bytes = Saved(table_, kShard);
  base::Decoder frame(std::string_view(bytes).substr(56));
  const size_t block = 4 + frame.Fixed32() + 8;
  ASSERT_GT(bytes.size(), 56 + 2 * block);
  ExpectRefused(bytes.substr(0, 56) + bytes.substr(56 + block, block) + bytes.substr(56, block) +
                bytes.substr(56 + 2 * block));
  ExpectRefused(bytes.substr(0, 56) + bytes.substr(56 + block));
}

TEST_F(CheckpointTest, CheckpointOfAnotherShardIsRefused) {
  PageTable other(16);
  other.Add(PageId(ShardId{6}, 1));
  ExpectRefused(Saved(other, ShardId{6}));
}

// The checkpoint of one page, id 3 with 3 units, whose header says something else, with right
// checksums. `at` is where the header says it.
std::string Forged(size_t at, char says) {
  std::string out;
  const auto append = [&](std::string_view piece) { out += piece; };
  CheckpointWriter writer({kShard, 1, 0, 3}, append);
  writer.Add(3, {cash::Cell::FromBits(3), false});
  writer.Finish();
  const std::string block = out.substr(60, out.size() - 68);
  out[at] = says;
  const uint64_t header_sum = base::Hash64(out.substr(0, 48));
  std::string forged = out.substr(0, 48);
  base::AppendFixed64(forged, header_sum);
  forged += out.substr(56, 4) + block;
  base::AppendFixed64(forged, base::Hash64(block, header_sum));
  return forged;
}

// Sums that do not match are a forgery with right checksums; it may not get in.
TEST_F(CheckpointTest, PagesThatDoNotAddUpToTheHeaderAreRefused) {
  constexpr size_t kPages = 16, kDone = 24, kCash = 32;
  EXPECT_TRUE(Load(Forged(kCash, 3), kShard, table_).ok());
  table_.Drop(kShard);
  ExpectRefused(Forged(kPages, 2));
  ExpectRefused(Forged(kDone, 1));
  ExpectRefused(Forged(kCash, 4));
}

// A bit of memory turned, and a cell with it: the file was published, the journal behind it
// trimmed, and the folder could never be opened again.
TEST_F(CheckpointTest, ACellThatChangedByItselfIsNeverSaved) {
  for (const CheckpointHeader& header :
       {CheckpointHeader{kShard, 2, 0, 3}, CheckpointHeader{kShard, 1, 1, 3},
        CheckpointHeader{kShard, 1, 0, 4}}) {
    const auto drop = [](std::string_view) {};
    CheckpointWriter writer(header, drop);
    writer.Add(3, {cash::Cell::FromBits(3), false});
    EXPECT_DEATH(writer.Finish(), "page table in memory is corrupt");
  }
}

TEST_F(CheckpointTest, CellAboveTheSupplyIsRefused) {
  const auto most = cash::Cell::TowardsZero(cash::kHoldingMax).Next();
  std::string out;
  const auto append = [&](std::string_view piece) { out += piece; };
  CheckpointWriter writer({kShard, 1, 0, most.value().units()}, append);
  writer.Add(3, {most, false});
  writer.Finish();
  ExpectRefused(out);
}

TEST_F(CheckpointTest, LoadingOverPagesIsABug) {
  table_.Add(PageId(kShard, 1));
  EXPECT_DEATH((void)Load(Saved(table_, kShard), kShard, table_), "loading over pages");
}

}  // namespace
}  // namespace opic::page_table
