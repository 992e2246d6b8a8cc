// A data folder that was copied, with a process on each: found out at the first contact with a peer
// that knows the other one, and the copy speaks with nobody from then on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class CopiesTest : public ExchangePair {
 protected:
  CopiesTest() { Start(0, {5, 55}), Start(1, {3, 33}); }
  void Start(uint16_t n, Incarnation incarnation) {
    exchange_options_.incarnation = incarnation;
    Open(n);
  }
};

TEST_F(CopiesTest, ARestartIsNoCopy) {
  Meet();
  Start(0, {6, 66});
  Meet();
  EXPECT_TRUE(status(0).connected && status(1).connected) << status(0).alarm << status(1).alarm;
  exchange(0).OnDisconnected(Other(0));
  Meet();
  EXPECT_TRUE(status(0).connected && status(1).connected);
}

TEST_F(CopiesTest, TheSecondOfTwoIsRefusedAndStopsAllItsChannels) {
  Meet();
  Start(0, {5, 77});  // the copy, whose folder has counted the same starts
  Meet();
  EXPECT_THAT(status(1).alarm, AllOf(HasSubstr("node a runs twice"), HasSubstr("stop both")));
  EXPECT_THAT(status(0).alarm, AllOf(HasSubstr("this node runs twice"), HasSubstr("node b has met"),
                                     HasSubstr("start 5")));
  Connect();
  EXPECT_THAT(sent(0), IsEmpty()) << "it speaks with nobody any more";
}

// As an operator starts it who knows of the lost disk and not of `declare-lost`.
TEST_F(CopiesTest, AnEmptyFolderInThePlaceOfALostOneIsNoCopy) {
  Meet();
  Start(0, {1, 77});
  Meet();
  EXPECT_THAT(status(0).alarm, AllOf(HasSubstr("the first start of the data folder"),
                                     HasSubstr("`opic cluster declare-lost a`")));
  Connect();
  EXPECT_THAT(sent(0), IsEmpty());
}

// The copy was met by the peer first; the folder that ran on comes back to it.
TEST_F(CopiesTest, AProcessStartedEarlierThanOneThatWasMetIsNotLetIn) {
  Start(0, {7, 77});
  Meet();
  Start(0, {5, 55});
  Meet();
  EXPECT_THAT(status(0).alarm, HasSubstr("this node runs twice"));
  EXPECT_FALSE(status(1).connected);
}

TEST_F(CopiesTest, WhenTheCopyIsPutAwayTheOtherGoesOn) {
  Meet();
  Start(0, {5, 77});
  Meet();
  Start(0, {6, 88});
  PayAcross();
  Meet();
  EXPECT_TRUE(status(0).connected && status(1).connected) << status(0).alarm << status(1).alarm;
  EXPECT_EQ(status(1).alarm, "");
  EXPECT_EQ(status(0).unacknowledged, 0u);
}

// A newer program beside an older one, which tells nothing of this.
TEST_F(CopiesTest, WhoTellsNoIncarnationIsTakenAtItsWord) {
  Meet();
  Start(0, {});
  Meet();
  EXPECT_TRUE(status(0).connected && status(1).connected) << status(0).alarm << status(1).alarm;
}

}  // namespace
}  // namespace opic::cluster
