// The worked examples of docs/formats/store.md and docs/formats/journal.md, byte for byte. When one
// of these fails, stored data folders can no longer be read: raise kFormatVersion.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/escaping.h"
#include "base/encoding.h"
#include "base/file.h"
#include "ledger/charter.h"
#include "ledger/checkpoint.h"
#include "ledger/journal.h"
#include "ledger/peer_book.h"
#include "ledger/placements.h"
#include "ledger/rows.h"
#include "ledger/transfer.h"
#include "ledger/trim_note.h"
#include "tests/support/own_path.h"

namespace opic::ledger {
namespace {

std::string Hex(std::string_view bytes) {
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

std::string FromHex(const std::string& hex) { return absl::HexStringToBytes(hex); }

const PageId kPage(ShardId{5}, 7);
const PageId kNear(ShardId{5}, 9), kFar(ShardId{6}, 1);

TEST(StoreFormat, Key) { EXPECT_EQ(Hex(KeyOf(kPage)), "0005000000000007"); }

TEST(StoreFormat, PageRow) {
  const ledger::PageRow row{.url = "http://a.example/", .depth = 2, .stamp = 1000, .prior = 0.25f};
  EXPECT_EQ(Hex(Encode(row)), "02e8070000803e687474703a2f2f612e6578616d706c652f");
}

TEST(StoreFormat, HistoryRow) {
  HistoryRow row;
  row.http_status = 200;
  row.visits = 3;
  row.fetches = 1;
  row.fetched_at = 1'700'000'000;
  row.content_hash = 0x0123456789abcdef;
  row.etag = "\"v1\"";
  row.history.h = 900;
  row.history.sum = 1000;
  row.history.stamp = 5000;
  row.links = {kNear, kFar};
  EXPECT_EQ(Hex(Encode(row, importance::Window(importance::WindowOptions()))),
            "20c8010180e2cfaa06efcdab8967452301042276312200"
            "02898080808080c002f8ffffffffff3f"
            "038407e80788270700");
}

// Folders of versions 2 to 5 hold this.
TEST(StoreFormat, HistoryRowOfTheVersionBefore) {
  const importance::Window window{importance::WindowOptions()};
  const auto row =
      DecodeHistoryRow(FromHex("00c801030180e2cfaa06efcdab89674523010422763122008407e8078827"
                               "02898080808080c002f8ffffffffff3f"),
                       window);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(Hex(Encode(*row, window)),
            "20c8010180e2cfaa06efcdab8967452301042276312200"
            "02898080808080c002f8ffffffffff3f"
            "038407e80788270700");
}

TEST(StoreFormat, HistoryRowWithAPlan) {
  HistoryRow row;
  row.plan = "abc";
  EXPECT_EQ(Hex(Encode(row, importance::Window({.kind = importance::WindowKind::kNone}))),
            "600000000000000000000000000003616263000000000300");
  const auto read = DecodeHistoryRow(Encode(row, importance::Window({})), importance::Window({}));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->plan, "abc");
}

TEST(StoreFormat, APlanThatIsEmptyOrTooLongIsRefused) {
  HistoryRow row;
  row.plan = std::string(kPlanBytesMax, 'x');
  EXPECT_TRUE(DecodeHistoryRow(Encode(row, importance::Window({})), importance::Window({})).ok());
  row.plan += 'x';
  EXPECT_TRUE(absl::IsDataLoss(
      DecodeHistoryRow(Encode(row, importance::Window({})), importance::Window({})).status()));
}

TEST(StoreFormat, Charter) {
  ledger::Charter charter;
  charter.cluster_id = 42;
  EXPECT_EQ(Hex(charter.Encode()),
            "6f7069632063686172746572080000002a00000000000000000064a7b3b6"
            "e00d00040000006666662604000000000000204008000000010000000001"
            "0000000000000000000000000064a7b3b6e00d0080969800000000003ce5"
            "98dd678653df");
}

// Folders of version 2 hold this; their first commit writes it anew.
TEST(StoreFormat, CharterOfTheVersionBefore) {
  const std::string bytes = FromHex(
      "6f7069632063686172746572020000002a00000000000000000064a7b3b6"
      "e00d00040000006666662604000000000000204008000000010000000001"
      "0000000000000000000000000064a7b3b6e00db299f834b2cba71b");
  const auto charter = ledger::Charter::Decode(bytes);
  ASSERT_TRUE(charter.ok()) << charter.status();
  EXPECT_EQ(charter->format_version, 2u);
  EXPECT_EQ(charter->cluster_id, 42u);
}

TEST(StoreFormat, ShardRow) {
  ShardRow row{NodeId{1}, 2, ShardRow::Arrival{NodeId{0}, 5}, std::nullopt};
  EXPECT_EQ(Hex(Encode(row)), "01020100056b8e40dd605425ad");
  EXPECT_EQ(*DecodeShardRow(Encode(row)), row);
  row = {NodeId{3}, 5, std::nullopt, "abc"};
  EXPECT_EQ(Hex(Encode(row)), "03050203616263ba2b7f9c5711e47d");
  EXPECT_EQ(*DecodeShardRow(Encode(row)), row);
}

TEST(StoreFormat, TrimNote) {
  const ledger::TrimNote note{.journal_begin = 7, .positions = {{ShardId{0}, 6}, {ShardId{3}, 8}}};
  EXPECT_EQ(Hex(Encode(note)), "070200060308db06e3c13837f95b");
}

JournalRecord RecordOfAVisit() {
  JournalRecord record;
  record.visits = {{kPage, VisitKind::kFetched, /*settled=*/false, cash::Amount(1000)}};
  record.credits = {{kNear, cash::Amount(425)}, {kFar, cash::Amount(425)}};
  record.instalments = {{ShardId{5}, 0, kPageIdCount, /*unread_only=*/false, cash::Amount(10)}};
  record.after.virtual_page = cash::Amount(130);
  record.after.clock = record.after.fetch_clock = 1000;
  record.after.newcomer_importance = 0.5;
  record.after.pages = 3;
  record.after.by_kind = {1};
  record.after.shards = {{ShardId{5}, 445}, {ShardId{6}, 425}};
  return record;
}

TEST(JournalFormat, Record) {
  EXPECT_EQ(Hex(Encode(RecordOfAVisit())),
            "0801070000000000050000e80702898080808080c00200a903f8ffffffff"
            "ff3f0101050080808080808008000a008201e807e80700000000000000e0"
            "3f030000010000000000000205bd0306a903d3b6111da79b48f7");
}

// Folders of versions 2 to 7 hold this.
TEST(JournalFormat, RecordOfTheVersionsBefore) {
  const auto read =
      DecodeJournalRecord(FromHex("0001070000000000050000e80702898080808080c002a903f8ffffffffff"
                                  "3fa90301050080808080808008000a008201e807e80700000000000000e0"
                                  "3f030000010000000000000205bd0306a903b9201f8acd2ca494"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Hex(Encode(*read)), Hex(Encode(RecordOfAVisit())));
}

TEST(StoreFormat, PeerBook) {
  PeerBook book;
  book.birth = 9;
  book.sealed = 3;
  book.acknowledged = 2;
  book.sealed_cash = 1000;
  book.acknowledged_cash = 600;
  book.applied = 5;
  book.applied_cash = 70;
  book.sums.clock = 300;
  book.sums.pages = 4;
  EXPECT_EQ(Hex(Encode(book)),
            "0109000000000000000302e807d80405460000ac0200000000040000d802"
            "770c017fab1c");
}

TEST(TransferFormat, Batch) {
  TransferBatch batch;
  batch.cluster_id = 42;
  batch.from = NodeId{0};
  batch.to = NodeId{1};
  batch.sequence = 3;
  batch.epoch = 2;
  batch.cash_before = 600;
  batch.cash_after = 1000;
  batch.to_virtual_page = cash::Amount(100);
  batch.sums.clock = 300;
  batch.sums.pages = 4;
  batch.transfers = {{kNear, cash::Amount(200)}, {kFar, cash::Amount(100), "http://b/", 2}};
  EXPECT_EQ(Hex(Encode(batch)),
            "6f70696354312a0000000000000000010302d804e80764ac020000000004"
            "000002898080808080c002c80100f8ffffffffff3f6409687474703a2f2f"
            "622f02e3ad74b1c164c59e");
}

TEST(JournalFormat, CheckpointFile) {
  const std::string folder = support::OwnPath("checkpoints");
  page_table::PageTable table(8);
  std::filesystem::remove_all(folder);
  Checkpoints checkpoints(folder, 42);
  ASSERT_TRUE(checkpoints.BeginWriting().ok());
  const auto save = [&](size_t, Checkpoints::Append append) { table.Save(ShardId{5}, append); };
  ASSERT_TRUE(checkpoints.Write({ShardId{5}}, 9, save).ok());
  const std::string file = base::ReadFile(folder + "/00000001.ckpt").value();
  std::string pages;
  table.Save(ShardId{5}, [&](std::string_view piece) { pages.append(piece); });
  const size_t header = 46, end = header + pages.size();
  EXPECT_EQ(Hex(file.substr(0, header)),
            "6f70696320636865636b706f696e7420310a2a0000000000000005000000"
            "0900000000000000c1c902a21a89f827");
  EXPECT_EQ(file.substr(header, pages.size()), pages);
  EXPECT_EQ(Hex(file.substr(end)),
            "0500000009000000000000000000000000000000660000000000000001000000d82186621f499cb26f70"
            "696320636865636b706f696e74730a");
}

// Shard 6 with its one page left; page (5, 9) came with 425 units, done.
TEST(JournalFormat, RecordOfMoves) {
  JournalRecord record;
  record.departures = {{ShardId{6}, 1, 425}};
  record.arrivals = {{PageId(ShardId{5}, 9), cash::Cell::TowardsZero(cash::Amount(425)), true}};
  record.after.virtual_page = cash::Amount(130);
  record.after.pages = 1;
  record.after.received = 425;
  record.after.sealed = 425;
  record.after.shards = {{ShardId{5}, 425}, {ShardId{6}, 0}};
  EXPECT_EQ(Hex(Encode(record)),
            "0a00000000010601a90301898080808080c00201a9018201000000000000"
            "000000000001a903a903000000000000000205a90306007af73f1aeeb66e"
            "53");
  EXPECT_EQ(Encode(*DecodeJournalRecord(Encode(record))), Encode(record));
}

TEST(TransferFormat, BatchOfAMove) {
  TransferBatch batch;
  batch.cluster_id = 42;
  batch.from = NodeId{0};
  batch.to = NodeId{1};
  batch.sequence = 4;
  batch.epoch = 2;
  batch.cash_before = 1000;
  batch.cash_after = 1425;
  batch.sums.clock = 300;
  batch.sums.pages = 4;
  const MovedPage page{PageId(ShardId{5}, 9), cash::Cell::TowardsZero(cash::Amount(425)), true,
                       Encode(PageRow{"http://a/", 2, 1000, 0.25f}), "history"};
  batch.chunk = ShardChunk{ShardId{5}, 1, {page}, /*last=*/true, "abc"};
  EXPECT_EQ(Hex(Encode(batch)),
            "6f70696354322a0000000000000000010402e807910b00ac020000000004"
            "00000005010113a9011002e8070000803e687474703a2f2f612f07686973"
            "746f727901036162638aed814941bfb573");
  EXPECT_EQ(*DecodeTransferBatch(Encode(batch))->chunk, *batch.chunk);
}

}  // namespace
}  // namespace opic::ledger
