// Shards that move over the wire, and what nodes tell each other of moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Shard 0 has the pages 0, 4, 8, ...
class ExchangeMovesTest : public ExchangePair {};

TEST_F(ExchangeMovesTest, AShardMovesOverTheWireAndItsNewOwnerTells) {
  Meet();
  FetchAcross();
  ASSERT_TRUE(ledger(0).moves().Depart(ShardId{0}, NodeId{1}, "hosts").ok());
  Commit(0);
  Deliver(1);
  EXPECT_EQ(ledger(1).placements().OwnerOf(ShardId{0}), NodeId{1});
  ASSERT_FALSE(Acknowledged(1).empty());
  EXPECT_THAT(Acknowledged(1).back().placements,
              ElementsAre(ledger::Placement{ShardId{0}, NodeId{1}, 1}));
  Exchange10();
  EXPECT_EQ(status(0).unacknowledged, 0u);
  EXPECT_TRUE(ledger(1).books().table().Find(SmallCrawl::Page(0)).has_value());
  EXPECT_TRUE(Held(0) + Held(1) == cash::kSupply.units());
  sent(1).clear();
  now_ += exchange_options_.same_sums_every;
  Commit(1);
  ASSERT_FALSE(Acknowledged(1).empty());
  EXPECT_THAT(Acknowledged(1).back().placements, IsEmpty()) << "told once a session";
}

TEST_F(ExchangeMovesTest, HelloTellsEveryMoveThatIsComplete) {
  Meet();
  FetchAcross();
  ASSERT_TRUE(ledger(0).moves().Depart(ShardId{0}, NodeId{1}, "").ok());
  Commit(0);
  Connect();
  EXPECT_THAT(SentOf<Hello>(0).at(0).placements, IsEmpty()) << "its end mark is under way";
  Exchange10();
  Connect();
  for (uint16_t n = 0; n < 2; ++n) {
    EXPECT_THAT(SentOf<Hello>(n).at(0).placements,
                ElementsAre(ledger::Placement{ShardId{0}, NodeId{1}, 1}));
  }
}

TEST_F(ExchangeMovesTest, ANewPlacementIsLearntAfterThePresentGroup) {
  Meet();
  ledger(0).Seed(SmallCrawl::Links({0}));
  Acknowledgement acknowledgement{0, 0, {}, {{ShardId{1}, NodeId{1}, 7}}};
  ASSERT_TRUE(Give(0, acknowledgement).ok());
  Commit(0);
  EXPECT_EQ(ledger(0).placements().move(ShardId{1}), 7u);
  EXPECT_EQ(status(0).alarm, "");
  Open(0);
  EXPECT_EQ(ledger(0).placements().move(ShardId{1}), 7u);
}

TEST_F(ExchangeMovesTest, ImpossiblePlacementsStopTheChannel) {
  const ledger::Placement strange[] = {{ShardId{99}, NodeId{1}, 1}, {ShardId{1}, NodeId{1}, 0}};
  for (const ledger::Placement& placement : strange) {
    Open(0), Open(1);
    Meet();
    ASSERT_TRUE(Give(0, Acknowledgement{0, 0, {}, {placement}}).ok());
    EXPECT_THAT(status(0).alarm, HasSubstr("which is impossible"));
    EXPECT_EQ(ledger(0).placements().move(ShardId{1}), 0u);
  }
}

// Its cluster file is newer; with the same file the channel works again.
TEST_F(ExchangeMovesTest, APlacementAtANodeThatTheClusterFileLacksAsksForTheNewestFile) {
  Meet();
  ASSERT_TRUE(Give(0, Acknowledgement{0, 0, {}, {{ShardId{1}, NodeId{9}, 1}}}).ok());
  EXPECT_THAT(status(0).alarm, HasSubstr("shard 1 is said to be at node 9"));
  EXPECT_THAT(status(0).alarm, HasSubstr("restart this node with the newest cluster file"));
  EXPECT_THAT(status(0).alarm, Not(HasSubstr("damaged disk")));
  Connect();
  Hello hello = SentOf<Hello>(1).at(0);
  hello.placements = {{ShardId{1}, NodeId{9}, 1}};
  ASSERT_TRUE(Give(0, hello).ok());
  EXPECT_THAT(status(0).alarm, HasSubstr("restart this node with the newest cluster file"));
  Meet();
  EXPECT_EQ(status(0).alarm, "");
}

}  // namespace
}  // namespace opic::cluster
