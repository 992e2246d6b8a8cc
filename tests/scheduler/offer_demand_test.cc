// When the scheduler asks the node for more pages.
#include "scheduler/offer_demand.h"

#include <gtest/gtest.h>

namespace opic::scheduler {
namespace {

constexpr uint64_t kLowWater = 2'000, kQueuedMax = 4'000'000;
constexpr uint32_t kFetches = 64;

class OfferDemandTest : public testing::Test {
 protected:
  void SetUp() override { demand_.BeginSession(); }
  // What an answer brings at `now_`.
  void Answer(bool exhausted, bool new_host) {
    demand_.Close(demand_.Open(), exhausted, new_host, now_);
  }
  // How long until it asks.
  absl::Duration Wait(uint64_t queued, uint64_t hosts, bool starved = true) const {
    return demand_.When({queued, hosts, kFetches, starved}) - now_;
  }

  OfferDemand demand_{kLowWater, kQueuedMax};
  absl::Time now_ = absl::FromUnixSeconds(1'000);
};

constexpr absl::Duration kNever = absl::InfiniteDuration();

TEST_F(OfferDemandTest, AQueueThatIsNearlyEmptyIsFilledAtOnce) {
  EXPECT_EQ(Wait(kLowWater - 1, 1'000, /*starved=*/false), -kNever);
  EXPECT_EQ(Wait(kLowWater, 1'000, /*starved=*/false), kNever);
  Answer(/*exhausted=*/true, /*new_host=*/true);
  EXPECT_EQ(Wait(0, 0), kNever) << "the node had nothing, and nothing has happened since";
  demand_.SomethingHappened();
  EXPECT_LE(Wait(0, 0), absl::ZeroDuration());
}

TEST_F(OfferDemandTest, OneQuestionIsOpenAtATime) {
  const uint64_t id = demand_.Open();
  EXPECT_EQ(Wait(0, 0), kNever);
  demand_.Close(id + 1, false, true, now_);
  EXPECT_EQ(Wait(0, 0), kNever) << "of an earlier session";
  demand_.Close(id, false, true, now_);
  EXPECT_EQ(Wait(0, 0), -kNever);
}

// However many hosts pause: while fetches are free, others are asked for.
TEST_F(OfferDemandTest, HostsThatPauseDoNotKeepOthersWaiting) {
  Answer(/*exhausted=*/false, /*new_host=*/true);
  const absl::Duration few = Wait(10'000, 100), many = Wait(10'000, 5'000);
  EXPECT_GT(few, absl::ZeroDuration());
  EXPECT_GT(many, few);
  EXPECT_LT(many, absl::Seconds(1));
  EXPECT_EQ(Wait(10'000, 5'000, /*starved=*/false), kNever);
}

TEST_F(OfferDemandTest, TheQueueIsNotWidenedForEver) {
  Answer(/*exhausted=*/false, /*new_host=*/true);
  EXPECT_LT(Wait(kQueuedMax - 1, 100), kNever) << "a few hosts with many pages";
  EXPECT_EQ(Wait(kQueuedMax, 100), kNever);
  EXPECT_LT(Wait(1'000 * 64 - 1, 1'000), kNever);
  EXPECT_EQ(Wait(1'000 * 64, 1'000), kNever) << "many hosts with many pages";
  EXPECT_LT(Wait(100'000, 256 * kFetches - 1), kNever);
  EXPECT_EQ(Wait(100'000, 256 * kFetches), kNever);
}

TEST_F(OfferDemandTest, AnswersWithoutANewHostSlowTheAskingDown) {
  absl::Duration last = absl::ZeroDuration();
  for (int answer = 0; answer < 60; ++answer) {
    Answer(/*exhausted=*/false, /*new_host=*/false);
    const absl::Duration wait = Wait(10'000, 1);
    EXPECT_GE(wait, last) << answer;
    last = wait;
  }
  EXPECT_EQ(last, absl::Minutes(1));
  Answer(/*exhausted=*/false, /*new_host=*/true);
  EXPECT_LT(Wait(10'000, 1), absl::Seconds(1));
}

}  // namespace
}  // namespace opic::scheduler
