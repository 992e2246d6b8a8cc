// Peers that disagree, and peers that talk nonsense: the channel stops with an alarm that says what
// to do, and nothing else happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/log.h"
#include "base/rng.h"
#include "cluster/exchange.h"
#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class RefusalTest : public ExchangePair {
 protected:
  // What node 0 says of node 1's Hello after `change`.
  std::string AlarmAfter(const std::function<void(Hello&)>& change) {
    Connect();
    Hello hello = SentOf<Hello>(1).at(0);
    change(hello);
    EXPECT_TRUE(Give(0, hello).ok());
    EXPECT_EQ(status(0).connected, status(0).alarm.empty());
    return status(0).alarm;
  }
  // What node 1 says of node 0's next batch after `change`.
  std::string AlarmAfterBatch(const std::function<void(ledger::TransferBatch&)>& change) {
    Open(0), Open(1);
    Meet();
    PayAcross();
    auto batch = ledger::DecodeTransferBatch(SentOf<Sealed>(0).at(0).bytes).value();
    sent(0).clear();
    const uint64_t sequence = batch.sequence;
    change(batch);
    EXPECT_TRUE(Give(1, Sealed{sequence, Encode(batch)}).ok());
    Commit(1);
    EXPECT_EQ(status(1).connected, status(1).alarm.empty());
    return status(1).alarm;
  }
};

TEST_F(RefusalTest, ARightHelloRaisesNoAlarm) {
  EXPECT_EQ(AlarmAfter([](Hello&) {}), "");
}

TEST_F(RefusalTest, AnotherClusterIsRefused) {
  EXPECT_THAT(
      AlarmAfter([](Hello& hello) { hello.cluster_id = 43; }),
      AllOf(HasSubstr("node b is of cluster 000000000000002b"), HasSubstr("000000000000002a")));
  EXPECT_EQ(ends_[0].disconnects, 1);
}

TEST_F(RefusalTest, AnotherFormatIsRefused) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) {
                hello.format_version = 1 + ledger::kReferrersExchangeVersion;
              }),
              HasSubstr("run the same release"));
}

TEST_F(RefusalTest, AnEarlierFormatIsRefused) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { --hello.format_version; }),
              HasSubstr("run the same release"));
}

// It keeps referrers, and this one may not.
TEST_F(RefusalTest, ThePresentFormatWithReferrersIsNot) {
  EXPECT_EQ(
      AlarmAfter([](Hello& hello) { hello.format_version = ledger::kReferrersExchangeVersion; }),
      "");
}

TEST_F(RefusalTest, AnotherNodeAtTheAddressIsRefused) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.from = NodeId{7}; }),
              HasSubstr("answers node 7"));
}

TEST_F(RefusalTest, AnotherFolderThanTheOneMetIsRefused) {
  Meet();
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.birth = 5; }),
              AllOf(HasSubstr("a different data folder"), HasSubstr("declare-lost b")));
}

TEST_F(RefusalTest, TheFolderMetIsRememberedAcrossRestarts) {
  Meet();
  Open(0);
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.birth = 5; }),
              HasSubstr("a different data folder"));
}

TEST_F(RefusalTest, GenerationsMustBeTheSame) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.generation = 2; }), HasSubstr("declare-lost"));
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.generation = 0; }),
              HasSubstr("declared lost: its place was taken"));
}

// A copy of the peer's folder from before our last one was declared lost. What it has applied of
// that one's batches it did not apply of ours, even when the sums are the same.
TEST_F(RefusalTest, WhoKnowsAnOlderFolderOfOursAcknowledgesNothing) {
  Meet();
  PayAcross();
  EXPECT_THAT(
      AlarmAfter([&](Hello& hello) {
        hello.known_generation = 0;
        hello.applied = 1;
        hello.applied_cash = ledger(0).peers().book(NodeId{1}).sealed_cash;
      }),
      AllOf(HasSubstr("generation 0 of our data folder"), HasSubstr("folder of node b is older")));
  EXPECT_EQ(status(0).unacknowledged, 1u);
}

// Its watermarks begin anew then, which must not look as if its own folder were old.
TEST_F(RefusalTest, WhoKnowsANewerFolderOfOursTellsThatThisOneWasDeclaredLost) {
  Meet();
  PayAcross();
  Exchange10();
  EXPECT_THAT(AlarmAfter([](Hello& hello) {
                hello.known_generation = 2;
                hello.applied = 0, hello.applied_cash = 0;
              }),
              AllOf(HasSubstr("this node runs on its data folder of generation 1, which was "
                              "declared lost"),
                    HasSubstr("taken by generation 2")));
}

TEST_F(RefusalTest, WhoHasAppliedMoreThanWeSealedTellsThatOurDiskIsOld) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.applied = 3; }),
              AllOf(HasSubstr("applied our batches up to 3"), HasSubstr("sealed here is 0"),
                    HasSubstr("data folder of this node is older")));
}

TEST_F(RefusalTest, WhoHasAppliedLessThanItAcknowledgedHasAnOldDisk) {
  Meet();
  PayAcross();
  Exchange10();
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.applied = 0, hello.applied_cash = 0; }),
              AllOf(HasSubstr("it had acknowledged 1"), HasSubstr("folder of node b is older")));
}

TEST_F(RefusalTest, WhoHasSealedLessThanWeAppliedHasAnOldDisk) {
  Meet();
  ledger(1).Seed(SmallCrawl::Links({0}));
  Commit(1);
  Exchange10();
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.sealed = 0, hello.sealed_cash = 0; }),
              AllOf(HasSubstr("batch 1 is applied"), HasSubstr("folder of node b is older")));
}

TEST_F(RefusalTest, WhoHasDroppedWhatWeLackTellsThatOurDiskIsOld) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.acknowledged = hello.sealed = 2; }),
              AllOf(HasSubstr("we had acknowledged batch 2"), HasSubstr("folder of this node")));
}

TEST_F(RefusalTest, SumsThatDifferAreRefused) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.applied_cash = 5; }),
              AllOf(HasSubstr("our batches up to 0"), HasSubstr("5 there, 0 here")));
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.sealed_cash = 6; }),
              AllOf(HasSubstr("its batches up to 0"), HasSubstr("6 there, 0 here")));
}

// A copy from before the loss of a node that it had never met has no watermark to contradict it.
TEST_F(RefusalTest, SumsOfLostFoldersThatDifferAreRefused) {
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.closed_sealed_cash = 7; }),
              AllOf(HasSubstr("disagree about what passed data folders that were lost"),
                    HasSubstr("7 and 0 units there, 0 and 0 here")));
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.closed_applied_cash = -7; }),
              HasSubstr("0 and -7 units there"));
}

// Page 0 of node 0 pays page 1 of node 1; node 1 has the batch, its acknowledgement was lost.
TEST_F(RefusalTest, SumsOfWhatIsUnderWayCount) {
  Meet();
  FetchAcross();
  Deliver(1);
  EXPECT_EQ(AlarmAfter([](Hello&) {}), "");
  EXPECT_THAT(AlarmAfter([](Hello& hello) { hello.applied_cash -= 1; }), HasSubstr("disagree"));
}

TEST_F(RefusalTest, ARefusedPeerThatWasMendedIsLetIn) {
  EXPECT_NE(AlarmAfter([](Hello& hello) { hello.cluster_id = 43; }), "");
  EXPECT_EQ(AlarmAfter([](Hello&) {}), "");
  EXPECT_TRUE(status(0).connected);
}

TEST_F(RefusalTest, ARolledBackDiskIsNoticedAtBothEnds) {
  Meet();
  const store::Batch old = EverythingIn(store(1).rows());
  PayAcross();
  Exchange10();
  store::Batch rollback;
  for (int table = 0; table < store::kTableCount; ++table) {
    rollback.DeleteRange(static_cast<store::Table>(table), "", std::string(32, '\xff'));
  }
  ASSERT_TRUE(store(1).Write(rollback, store::Sync::kYes).ok());
  ASSERT_TRUE(store(1).Write(old, store::Sync::kYes).ok());
  Open(1);
  Connect();
  Deliver(1);
  Connect();
  Deliver(0);
  EXPECT_THAT(status(0).alarm, HasSubstr("data folder of node b is older"));
  EXPECT_THAT(status(1).alarm, HasSubstr("data folder of this node is older"));
}

// Batches.

TEST_F(RefusalTest, AChangedBatchIsRefusedForGood) {
  Meet();
  PayAcross();
  Sealed batch = SentOf<Sealed>(0).at(0);
  const Sealed right = batch;
  batch.bytes[batch.bytes.size() / 2] ^= 1;
  ASSERT_TRUE(Give(1, batch).ok());
  EXPECT_THAT(status(1).alarm, HasSubstr("batch 1 of node a is damaged"));
  EXPECT_EQ(ends_[1].disconnects, 1);
  Connect();
  EXPECT_THAT(sent(1), IsEmpty()) << "it is not spoken with any more";
  ASSERT_TRUE(Give(1, right).ok());
  Commit(1);
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 0u);
}

TEST_F(RefusalTest, BatchesThatCannotBeAreRefused) {
  using Batch = ledger::TransferBatch;
  EXPECT_EQ(AlarmAfterBatch([](Batch&) {}), "");
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { batch.from = NodeId{1}; }),
              HasSubstr("has sender 1, receiver 1; expected 0 and 1"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { ++batch.sequence; }), HasSubstr("is damaged"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { ++batch.cluster_id; }),
              HasSubstr("another cluster"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { ++batch.cash_before, ++batch.cash_after; }),
              HasSubstr("begins at the sum"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { ++batch.cash_after; }),
              HasSubstr("another sum than it says"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { batch.epoch = ~uint64_t{0}; }),
              HasSubstr("is impossibly far past 0"));
  EXPECT_THAT(AlarmAfterBatch([](Batch& batch) { batch.sums.unread = 1u << 20; }),
              HasSubstr("1048576 are unread"));
  EXPECT_THAT(
      AlarmAfterBatch([](Batch& batch) { batch.transfers[0].url = std::string(70'000, 'u'); }),
      HasSubstr("more than 64 KB"));
}

TEST_F(RefusalTest, MoreCashThanThereIsIsRefused) {
  EXPECT_THAT(AlarmAfterBatch([](ledger::TransferBatch& batch) {
                batch.to_virtual_page = cash::Amount(std::numeric_limits<int64_t>::max());
                batch.cash_after = batch.cash_before + batch.Carried();
              }),
              HasSubstr("more than there can be"));
}

TEST_F(RefusalTest, AnAcknowledgementOfWhatWasNeverSealedIsRefused) {
  Meet();
  ASSERT_TRUE(Give(0, Acknowledgement{9, 0, {}}).ok());
  EXPECT_THAT(status(0).alarm, AllOf(HasSubstr("acknowledges batch 9"), HasSubstr("here is 0")));
}

TEST_F(RefusalTest, AlarmsOfOneChannelLeaveTheNodeWorking) {
  Meet();
  ASSERT_TRUE(Give(0, Sealed{1, "garbage"}).ok());
  EXPECT_NE(status(0).alarm, "");
  PayAcross();
  EXPECT_EQ(status(0).unacknowledged, 1u);
  EXPECT_TRUE(exchange(0).TakeCut(1).ok());
}

// Random damage to a whole conversation: an alarm or nothing, never the end of the process.
TEST_F(RefusalTest, DamagedMessagesNeverEndTheProcess) {
  base::StartLog("/dev/null", base::LogLevel::kError);
  base::Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    Open(0), Open(1);
    Meet();
    PayAcross();
    Sealed batch = SentOf<Sealed>(0).at(0);
    for (uint64_t edits = 1 + rng.Below(4); edits > 0; --edits) {
      batch.bytes[rng.Below(batch.bytes.size())] = static_cast<char>(rng());
    }
    if (rng.Below(4) == 0) batch.bytes.resize(rng.Below(batch.bytes.size()));
    // With a right checksum as well, so that what is behind it is reached.
    if (batch.bytes.size() > 8 && rng.Below(2) == 0) {
      batch.bytes.resize(batch.bytes.size() - 8);
      base::AppendFixed64(batch.bytes, base::Hash64(batch.bytes));
    }
    ASSERT_TRUE(Give(1, batch).ok());
    Commit(1);
    Acknowledgement strange{rng.Below(3), rng(), {}};
    strange.sums.pages = rng() >> rng.Below(64);
    strange.sums.virtual_page = cash::Amount(rng() >> rng.Below(64));
    ASSERT_TRUE(Give(1, strange).ok());
    now_ += absl::Seconds(1);
    Commit(1);
  }
}

}  // namespace
}  // namespace opic::cluster
