// What nodes tell each other of what they would read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class DemandTest : public ExchangePair {};

// What it would read again: told to each peer when it changes, and once in every session.
TEST_F(DemandTest, ADemandIsToldOnceAndKeptForAWhile) {
  Meet();
  EXPECT_THAT(exchange(1).Demands(now_), ElementsAre(schedule::RefreshDemand{}));
  schedule::RefreshDemand demand;
  demand.rate = 5;
  exchange(0).Tell(demand);
  sent(0).clear();
  now_ = exchange(0).next_wake();
  Commit(0);
  ASSERT_THAT(Acknowledged(0), SizeIs(1));
  EXPECT_EQ(Acknowledged(0)[0].demand, demand);
  Exchange10();
  now_ += exchange_options_.same_sums_every;
  Commit(0);
  ASSERT_FALSE(Acknowledged(0).empty());
  EXPECT_EQ(Acknowledged(0).back().demand, std::nullopt) << "it is known";
  Exchange10();
  EXPECT_THAT(exchange(1).Demands(now_), ElementsAre(demand));

  exchange(1).OnDisconnected(NodeId{0});
  now_ += exchange_options_.demands_kept;
  EXPECT_THAT(exchange(1).Demands(now_), ElementsAre(demand));
  now_ += absl::Seconds(1);
  EXPECT_THAT(exchange(1).Demands(now_), IsEmpty());
  Open(1);
  Meet();
  EXPECT_THAT(exchange(1).Demands(now_), ElementsAre(demand)) << "to a new process";
}

// The peer has nothing to send, and is owed no acknowledgement that could tell it.
TEST_F(DemandTest, ADemandIsToldBesideBatchesThatDoNotEnd) {
  Meet();
  schedule::RefreshDemand demand;
  demand.rate = 5;
  exchange(0).Tell(demand);
  for (int batch = 0; batch < 4; ++batch) {
    now_ += exchange_options_.sums_every / 2;
    PayAcross();
  }
  EXPECT_THAT(SentOf<Sealed>(0), SizeIs(4));
  ASSERT_THAT(Acknowledged(0), SizeIs(testing::Ge(1)));
  EXPECT_EQ(Acknowledged(0)[0].demand, demand);
}

// It may be an older program, or count its pages for long.
TEST_F(DemandTest, ADemandOfAnEarlierProcessDoesNotHold) {
  Meet();
  schedule::RefreshDemand demand;
  demand.rate = 5;
  exchange(0).Tell(demand);
  now_ = exchange(0).next_wake();
  Commit(0);
  Exchange10();
  ASSERT_THAT(exchange(1).Demands(now_), ElementsAre(demand));
  Open(0);
  Meet();
  EXPECT_THAT(exchange(1).Demands(now_), ElementsAre(schedule::RefreshDemand{}));
}

}  // namespace
}  // namespace opic::cluster
