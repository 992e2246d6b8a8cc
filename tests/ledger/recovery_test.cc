// Recovery from journal and checkpoints (src/ledger/recovery.h): all of it or a refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "base/file.h"
#include "tests/ledger/recovered_crawl.h"

namespace opic {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

using RecoveryTest = RecoveredCrawl;

TEST_F(RecoveryTest, FromTheJournalAloneGivesTheSameTable) {
  Crawl(20);
  const auto cells = Cells();
  const auto everything = EverythingIn(store()).bytes();
  Reopen();
  EXPECT_EQ(Cells(), cells);
  EXPECT_EQ(EverythingIn(store()).bytes(), everything);
  EXPECT_EQ(ledger().recovery().records_replayed, ledger().log_number());
  EXPECT_EQ(ledger().recovery().pages, books().pages().size());
}

TEST_F(RecoveryTest, OfCreditsThatTwoThreadsPaidNeedsOne) {
  options().credit_helper = true;
  Reopen();
  std::vector<uint64_t> linked(20'000);
  std::iota(linked.begin(), linked.end(), 100);
  const absl::Duration before = ledger().books().table().helper_cpu();
  for (int visits = 0; ledger().books().table().helper_cpu() <= before; ++visits) {
    ASSERT_LT(visits, 50) << "one thread has paid all";
    Fetch(0, linked);
    Commit();
  }
  const auto cells = Cells();
  const ledger::Balances balances = ledger().balances();
  options().credit_helper = false;
  Reopen();
  EXPECT_EQ(Cells(), cells);
  EXPECT_EQ(ledger().balances().virtual_page, balances.virtual_page);
}

TEST_F(RecoveryTest, KeepsTheBalances) {
  Crawl(10);
  const ledger::Balances before = ledger().balances();
  Reopen();
  const ledger::Balances& after = ledger().balances();
  EXPECT_EQ(after.virtual_page, before.virtual_page);
  EXPECT_TRUE(after.clock == before.clock && after.fetch_clock == before.fetch_clock);
  EXPECT_EQ(after.newcomer_importance, before.newcomer_importance);
  EXPECT_EQ(after.pages, before.pages);
  EXPECT_EQ(after.by_kind, before.by_kind);
}

TEST_F(RecoveryTest, GoesOnWhereItStopped) {
  for (int i = 0; i < 6; ++i) {
    Crawl(2);
    Reopen();
  }
}

TEST_F(RecoveryTest, ReopenedPagesStayReopened) {
  Fetch(0, {1});
  Commit();
  ReopenPages({0});
  Commit();
  Reopen();
  EXPECT_FALSE(ledger().books().table().Find(Page(0))->done);
}

// In a record visits come before reopening; here it was the other way round.
TEST_F(RecoveryTest, APageReopenedAndThenVisitedInOneGroupStaysDone) {
  Fetch(0, {1});
  Commit();
  ReopenPages({0});
  Fetch(0, {1});
  Commit();
  Reopen();
  EXPECT_TRUE(ledger().books().table().Find(Page(0))->done);
}

TEST_F(RecoveryTest, ForReadingWritesNothing) {
  Crawl(3);
  const uint64_t writes = store().writes();
  options().read_only = true;
  options().checkpoint_folder += "/absent";
  Reopen();
  EXPECT_EQ(store().writes(), writes);
  EXPECT_FALSE(fs::exists(options().checkpoint_folder));
}

TEST_F(RecoveryTest, AnEmptyStoreIsNotFoundUnlessAGenesisIsWanted) {
  CrashingStore empty;
  EXPECT_TRUE(absl::IsNotFound(ledger::Ledger::Open({}, empty, nullptr).status()));
  const ledger::Charter charter = Charter();
  EXPECT_TRUE(
      absl::IsNotFound(ledger::Ledger::Open({.read_only = true}, empty, &charter).status()));
  EXPECT_EQ(empty.writes(), 0u);
}

TEST_F(RecoveryTest, AnotherCharterIsRefused) {
  ledger::Charter other = Charter();
  other.shards = 8;
  const absl::Status opened = ledger::Ledger::Open({}, store(), &other).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(opened)) << opened;
  EXPECT_THAT(std::string(opened.message()), HasSubstr("shards"));
}

TEST_F(RecoveryTest, ACharterThatCannotBeIsRefusedBeforeAnythingIsWritten) {
  CrashingStore empty;
  ledger::Charter odd = Charter();
  odd.shards = 3;
  EXPECT_TRUE(absl::IsInvalidArgument(ledger::Ledger::Open({}, empty, &odd).status()));
  EXPECT_EQ(empty.writes(), 0u);
}

TEST_F(RecoveryTest, AStoreThatLostItsCharterIsNoPlaceForAGenesis) {
  Drop(store::Table::kMeta, "charter");
  ExpectRefused(absl::StatusCode::kDataLoss, "no charter");
}

TEST_F(RecoveryTest, CheckpointsWithoutACharterAreNoPlaceForAGenesis) {
  Crawl(1);
  Checkpoint(/*all=*/true);
  CrashingStore empty;
  const ledger::Charter charter = Charter();
  EXPECT_TRUE(absl::IsDataLoss(ledger::Ledger::Open(options(), empty, &charter).status()));
}

// All sums of an empty journal fit an empty table: it was a new beginning, with every page
// forgotten.
TEST_F(RecoveryTest, RowsWithoutAJournalAreRefused) {
  Crawl(2);
  for (uint64_t n = 1; n <= ledger().log_number(); ++n) {
    Drop(store::Table::kJournal, base::Big64(n));
  }
  ExpectRefused(absl::StatusCode::kDataLoss, "rows and no journal");
}

// The folder is as it was when it is refused.
TEST_F(RecoveryTest, ARefusedFolderHasNoCheckpointsMadeInIt) {
  Crawl(2);
  Checkpoint(/*all=*/true);
  fs::remove_all(options().checkpoint_folder);
  ExpectRefused(absl::StatusCode::kDataLoss, "");
  EXPECT_FALSE(fs::exists(options().checkpoint_folder));
}

// They were another cluster's, as the charter of a new beginning was drawn at random.
TEST_F(RecoveryTest, CheckpointsOfALostCharterAreDamageWhateverTheirCluster) {
  Crawl(1);
  Checkpoint(/*all=*/true);
  CrashingStore empty;
  ledger::Charter charter = Charter();
  charter.cluster_id += 1;
  const absl::Status opened = ledger::Ledger::Open(options(), empty, &charter).status();
  EXPECT_TRUE(absl::IsDataLoss(opened)) << opened;
}

TEST_F(RecoveryTest, AMissingJournalRecordIsRefused) {
  Crawl(5);
  Drop(store::Table::kJournal, base::Big64(3));
  ExpectRefused(absl::StatusCode::kDataLoss, "record 3 is missing");
}

TEST_F(RecoveryTest, AMissingFirstRecordIsRefused) {
  Crawl(2);
  Drop(store::Table::kJournal, base::Big64(1));
  ExpectRefused(absl::StatusCode::kDataLoss, "record 1 is missing");
}

TEST_F(RecoveryTest, AJournalThatIsGoneAfterTrimmingIsRefused) {
  Crawl(2);
  Checkpoint(/*all=*/true);
  Drop(store::Table::kJournal, base::Big64(ledger().log_number()));
  ExpectRefused(absl::StatusCode::kDataLoss, "");
}

TEST_F(RecoveryTest, ADamagedJournalRecordIsRefusedWhateverTheBit) {
  Crawl(1);
  const std::string sound = store().Get(store::Table::kJournal, base::Big64(2))->value();
  for (size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    Overwrite(store::Table::kJournal, base::Big64(2), damaged);
    EXPECT_TRUE(absl::IsDataLoss(Open())) << "byte " << at;
  }
}

TEST_F(RecoveryTest, JournalRecordsInAnotherOrderAreRefused) {
  Crawl(2);
  const std::string second = store().Get(store::Table::kJournal, base::Big64(2))->value();
  const std::string fourth = store().Get(store::Table::kJournal, base::Big64(4))->value();
  Overwrite(store::Table::kJournal, base::Big64(2), fourth);
  Overwrite(store::Table::kJournal, base::Big64(4), second);
  ExpectRefused(absl::StatusCode::kDataLoss, "journal record 2");
}

TEST_F(RecoveryTest, AMissingCheckpointIsRefusedWhenTheJournalWasTrimmed) {
  SaveOneShardACall();
  Crawl(2);
  Checkpoint(/*all=*/true);
  fs::remove(CheckpointOf(2));
  ExpectRefused(absl::StatusCode::kDataLoss, "checkpoint of shard 2 is missing");
}

TEST_F(RecoveryTest, ACheckpointTooOldIsRefusedWhenTheJournalWasTrimmed) {
  SaveOneShardACall();
  Crawl(2);
  Checkpoint(/*all=*/true);
  const std::string old = base::ReadFile(CheckpointOf(1)).value();
  Crawl(2);
  Checkpoint(/*all=*/true);
  ASSERT_TRUE(base::WriteFileDurably(CheckpointOf(1), old).ok());
  ExpectRefused(absl::StatusCode::kDataLoss, "checkpoint of shard 1");
}

// So that the release of before refuses its version, and does not take it for damaged.
TEST_F(RecoveryTest, AnOlderFolderIsOneOfThisVersionBeforeItHasNewCheckpoints) {
  Crawl(2);
  std::string charter = store().Get(store::Table::kMeta, "charter")->value();
  const std::string present = charter;
  charter[12] = 6;
  charter.resize(charter.size() - 8);
  base::AppendFixed64(charter, base::Hash64(charter));
  Overwrite(store::Table::kMeta, "charter", charter);
  Reopen();
  EXPECT_EQ(store().Get(store::Table::kMeta, "charter")->value(), charter);
  Checkpoint(/*all=*/false);
  EXPECT_EQ(store().Get(store::Table::kMeta, "charter")->value(), charter) << "none is due";
  Checkpoint(/*all=*/true);
  EXPECT_EQ(store().Get(store::Table::kMeta, "charter")->value(), present);
  EXPECT_FALSE(CheckpointOf(0).empty());
}

// Nothing was trimmed since: the journal still tells what the lost file told.
TEST_F(RecoveryTest, AMissingCheckpointIsReplacedByTheJournalWhereItIsWhole) {
  SaveOneShardACall();
  Crawl(3);
  Checkpoint(/*all=*/false);
  bool saved = false;
  for (uint32_t shard = 0; shard < kShards; ++shard) saved |= !CheckpointOf(shard).empty();
  ASSERT_TRUE(saved);
  fs::remove_all(options().checkpoint_folder);
  Reopen();
}

TEST_F(RecoveryTest, ACheckpointAheadOfTheJournalIsRefused) {
  Crawl(2);
  const store::Batch before = EverythingIn(store());
  Crawl(2);
  Checkpoint(/*all=*/true);
  CrashingStore older;
  ASSERT_TRUE(older.Write(before, store::Sync::kYes).ok());
  const absl::Status opened = ledger::Ledger::Open(options(), older, nullptr).status();
  EXPECT_TRUE(absl::IsDataLoss(opened)) << opened;
  EXPECT_THAT(std::string(opened.message()), HasSubstr("the journal ends at"));
}

TEST_F(RecoveryTest, ADamagedCheckpointIsRefusedWhateverTheByte) {
  Crawl(1);
  Checkpoint(/*all=*/true);
  const fs::path file = CheckpointOf(0);
  const std::string sound = base::ReadFile(file).value();
  for (size_t at = 0; at < sound.size(); at += 3) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_FALSE(Open().ok()) << "byte " << at;
  }
  for (size_t size : {size_t{0}, size_t{10}, sound.size() / 2, sound.size() - 1}) {
    std::ofstream(file, std::ios::binary) << sound.substr(0, size);
    EXPECT_TRUE(absl::IsDataLoss(Open())) << size << " bytes";
  }
}

TEST_F(RecoveryTest, ACheckpointOfAnotherShardIsNoneOfThisOne) {
  SaveOneShardACall();
  Crawl(1);
  Checkpoint(/*all=*/true);
  fs::copy_file(CheckpointOf(1), CheckpointOf(0), fs::copy_options::overwrite_existing);
  ExpectRefused(absl::StatusCode::kDataLoss, "checkpoint of shard 0 is missing");
}

TEST_F(RecoveryTest, ACheckpointOfAnotherClusterIsRefused) {
  Crawl(1);
  Checkpoint(/*all=*/true);
  CrashingStore other;
  ledger::Charter charter = Charter();
  charter.cluster_id = 43;
  ASSERT_TRUE(ledger::Ledger::Open({}, other, &charter).ok());
  const absl::Status opened = ledger::Ledger::Open(options(), other, nullptr).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(opened)) << opened;
  EXPECT_THAT(std::string(opened.message()), HasSubstr("another cluster"));
}

// A crash while a checkpoint was being written leaves a stump beside the old one.
TEST_F(RecoveryTest, AnUnpublishedCheckpointIsIgnored) {
  Crawl(2);
  Checkpoint(/*all=*/true);
  ASSERT_FALSE(CheckpointOf(0).empty());
  std::ofstream(CheckpointOf(0).string() + ".new") << "half of a checkp";
  Reopen();
}

TEST_F(RecoveryTest, ADamagedNoteOfTheTrimmingIsRefused) {
  Crawl(1);
  Checkpoint(/*all=*/true);
  std::string note = store().Get(store::Table::kMeta, "trim")->value();
  note[0] = static_cast<char>(note[0] ^ 1);
  Overwrite(store::Table::kMeta, "trim", note);
  ExpectRefused(absl::StatusCode::kDataLoss, "note of the trimmed journal");
}

TEST_F(RecoveryTest, AnUnreadableStoreIsAnErrorNotALoss) {
  Crawl(1);
  const uint64_t before = store().calls();
  ASSERT_TRUE(Open().ok());
  const uint64_t calls = store().calls() - before;
  for (uint64_t call = 1; call <= calls; ++call) {
    base::Rng rng(call);
    store().CrashAt(call, CrashingStore::When::kBefore);
    EXPECT_TRUE(absl::IsUnavailable(Open())) << "call " << call;
    store().Reboot(rng);
  }
  Reopen();
}

}  // namespace
}  // namespace opic
