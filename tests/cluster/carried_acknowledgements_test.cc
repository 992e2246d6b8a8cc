// Acknowledgements that travel in the message of a batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class CarriedAcknowledgementsTest : public ExchangePair {};

TEST_F(CarriedAcknowledgementsTest, AnAcknowledgementGoesWithABatchThatIsSentAnyway) {
  Meet();
  sent(1).clear();
  PayAcross();
  ASSERT_TRUE(Give(1, sent(0).front()).ok());
  ledger(1).Seed(SmallCrawl::Links({100, 102}));  // pages of node 0
  Commit(1);
  ASSERT_THAT(sent(1), SizeIs(1));
  const std::vector<Sealed> batches = SentOf<Sealed>(1);
  ASSERT_THAT(batches, SizeIs(1));
  ASSERT_TRUE(batches[0].acknowledgement.has_value());
  EXPECT_EQ(batches[0].acknowledgement->applied, 1u);
  Deliver(0);
  EXPECT_EQ(status(0).unacknowledged, 0u);
  EXPECT_EQ(status(0).batches_received, 1u);
}

TEST_F(CarriedAcknowledgementsTest, OfSeveralBatchesTheLastCarriesTheAcknowledgement) {
  Meet();
  for (int i = 0; i < 3; ++i) PayAcross();
  sent(0).clear();
  Connect();
  Deliver(0);  // owes the answer to a Hello, too
  const std::vector<Sealed> batches = SentOf<Sealed>(0);
  ASSERT_THAT(batches, SizeIs(3));
  EXPECT_THAT(SentOf<Acknowledgement>(0), IsEmpty());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(batches[i].sequence, i + 1);
    EXPECT_EQ(batches[i].acknowledgement.has_value(), i == 2);
  }
}

TEST_F(CarriedAcknowledgementsTest, AnOlderPeerGetsAcknowledgementsInMessagesOfTheirOwn) {
  Connect();
  for (Message& message : sent(0)) std::get<Hello>(message).batches_carry_acknowledgements = false;
  Exchange10();
  sent(1).clear();
  PayAcross();
  ASSERT_TRUE(Give(1, sent(0).front()).ok());
  ledger(1).Seed(SmallCrawl::Links({100, 102}));
  Commit(1);
  ASSERT_THAT(sent(1), SizeIs(2));
  EXPECT_FALSE(std::get<Sealed>(sent(1)[0]).acknowledgement.has_value());
  EXPECT_EQ(std::get<Acknowledgement>(sent(1)[1]).applied, 1u);
}

// The session ends with a batch after a gap; what the message says besides is told again.
TEST_F(CarriedAcknowledgementsTest, WhatABatchCarriesIsNotHeardWhenItEndsTheSession) {
  Meet();
  PayAcross();
  auto batch = ledger::DecodeTransferBatch(SentOf<Sealed>(0).at(0).bytes).value();
  batch.sequence = 7;
  ASSERT_TRUE(Give(1, Sealed{7, Encode(batch), Acknowledgement{.applied = 100}}).ok());
  EXPECT_FALSE(status(1).connected);
  EXPECT_EQ(status(1).alarm, "") << "nothing was sealed there that could be acknowledged";
}

}  // namespace
}  // namespace opic::cluster
