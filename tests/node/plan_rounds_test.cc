// The rounds of a plan that several nodes make (src/node/plan_rounds.h): all go through them
// together or each goes on by itself, whatever becomes of the others.
#include "node/plan_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

namespace opic::node {
namespace {

using Heard = PlanRounds::Heard;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

constexpr uint16_t kNodes = 3;

class PlanRoundsTest : public testing::Test {
 protected:
  PlanRoundsTest() {
    for (uint16_t n = 0; n < kNodes; ++n) Restart(n);
  }
  void Restart(uint16_t n) {
    rounds_[n] = PlanRounds();
    rounds_[n].Start(NodeId{n}, kNodes,
                     {.plans_together = [this](NodeId peer) { return !gone_[peer.value]; },
                      .say =
                          [this, n](NodeId peer, cluster::PlanPart part) {
                            sent_.push_back({NodeId{n}, peer, std::move(part)});
                          }});
  }
  // All that is under way arrives. The numbers of the parts whose payments counted.
  std::vector<size_t> Deliver() {
    std::vector<size_t> counted;
    for (size_t i = 0; !sent_.empty(); ++i) {
      const auto [from, to, part] = std::move(sent_.front());
      sent_.pop_front();
      if (!gone_[to.value] && rounds_[to.value].Take(from, part, now_)) counted.push_back(i);
    }
    return counted;
  }
  void BeginAll() {
    for (PlanRounds& rounds : rounds_) rounds.Begin(now_);
    Deliver();
  }
  void SayAll() {
    for (uint16_t n = 0; n < kNodes; ++n) rounds_[n].Say({10.0 + n, 1.0 + n}, now_);
    Deliver();
  }
  std::vector<Heard> ListenAll() {
    std::vector<Heard> heard;
    for (PlanRounds& rounds : rounds_) heard.push_back(rounds.Listen(now_));
    return heard;
  }

  struct Sent {
    NodeId from, to;
    cluster::PlanPart part;
  };
  PlanRounds rounds_[kNodes];
  bool gone_[kNodes] = {};
  std::deque<Sent> sent_;
  absl::Time now_ = absl::UnixEpoch();
};

TEST_F(PlanRoundsTest, AllGoThroughTheRoundsTogetherAndKnowTheSameSums) {
  BeginAll();
  for (uint32_t round = 1; round <= 5; ++round) {
    SayAll();
    EXPECT_THAT(ListenAll(), Each(Heard::kAll));
    for (const PlanRounds& rounds : rounds_) {
      EXPECT_EQ(rounds.round(), round);
      EXPECT_EQ(rounds.sums().left, 33);
      EXPECT_EQ(rounds.sums().may_be_left, 6);
    }
  }
}

TEST_F(PlanRoundsTest, NobodyGoesOnBeforeTheLastHasSaidItsPart) {
  BeginAll();
  rounds_[0].Say({1, 1}, now_);
  rounds_[1].Say({2, 1}, now_);
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet);
  rounds_[2].Say({4, 1}, now_);
  // Node 1 is a round ahead by then, for one of the others.
  EXPECT_EQ(rounds_[2].Listen(now_), Heard::kAll);
  rounds_[2].Say({100, 1}, now_);
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kAll);
  EXPECT_EQ(rounds_[0].sums().left, 7) << "of this round";
  EXPECT_EQ(rounds_[1].sums().left, 7);
}

TEST_F(PlanRoundsTest, PaymentsCountInRoundsThatHaveSome) {
  BeginAll();
  const std::vector<std::vector<cluster::PlannedPayment>> payments = {
      {}, {{PageId(ShardAt(1), 7), 5}}, {}};
  for (uint32_t round = 1; round < PlanRounds::kFirstPayments; ++round) {
    rounds_[0].Say({}, now_, payments);
    EXPECT_TRUE(Deliver().empty()) << round;
    rounds_[1].Say({}, now_);
    rounds_[2].Say({}, now_);
    Deliver();
    EXPECT_THAT(ListenAll(), Each(Heard::kAll));
  }
  rounds_[0].Say({}, now_, payments);
  EXPECT_EQ(sent_.front().part.payments.size(), 1u);
  EXPECT_EQ(sent_.back().part.payments.size(), 0u);
  EXPECT_THAT(Deliver(), SizeIs(2));
}

TEST_F(PlanRoundsTest, ALongPartIsCut) {
  BeginAll();
  const size_t many = 2 * cluster::PlanPart::kPaymentsMax + 1;
  std::vector<std::vector<cluster::PlannedPayment>> payments(kNodes);
  payments[1].resize(many);
  rounds_[0].Say({}, now_, payments);
  size_t total = 0;
  std::vector<bool> last;
  for (const Sent& sent : sent_) {
    if (sent.to != NodeId{1}) continue;
    EXPECT_LE(sent.part.payments.size(), cluster::PlanPart::kPaymentsMax);
    total += sent.part.payments.size();
    last.push_back(sent.part.last);
  }
  EXPECT_EQ(total, many);
  EXPECT_THAT(last, ElementsAre(false, false, true));
  const Sent end = sent_[2];
  sent_.erase(sent_.begin() + 2);
  rounds_[1].Say({}, now_);
  rounds_[2].Say({}, now_);
  Deliver();
  EXPECT_EQ(rounds_[1].Listen(now_), Heard::kNotYet) << "the end is missing";
  rounds_[1].Take(end.from, end.part, now_);
  EXPECT_EQ(rounds_[1].Listen(now_), Heard::kAll);
}

TEST_F(PlanRoundsTest, WhoIsCalledTakesPart) {
  EXPECT_FALSE(rounds_[0].Called());
  rounds_[2].Begin(now_);
  Deliver();
  EXPECT_TRUE(rounds_[0].Called());
  EXPECT_TRUE(rounds_[1].Called());
  rounds_[0].Begin(now_);
  rounds_[1].Begin(now_);
  EXPECT_FALSE(rounds_[0].Called());
  Deliver();
  SayAll();
  EXPECT_THAT(ListenAll(), Each(Heard::kAll));
  for (PlanRounds& rounds : rounds_) rounds.End();
  EXPECT_FALSE(rounds_[1].Called()) << "that plan is made";
}

TEST_F(PlanRoundsTest, ASilentPeerIsWaitedForAWhile) {
  for (PlanRounds& rounds : rounds_) rounds.Begin(now_);
  sent_.clear();  // nobody hears of node 2
  rounds_[0].Say({}, now_);
  rounds_[1].Say({}, now_);
  Deliver();
  now_ += PlanRounds::kPatience;
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet);
  now_ += absl::Milliseconds(1);
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kBroken);
}

TEST_F(PlanRoundsTest, APeerAtWorkIsWaitedForAsLongAsItSaysSo) {
  BeginAll();
  rounds_[0].Say({}, now_);
  rounds_[1].Say({}, now_);
  for (int i = 0; i < 40; ++i) {
    now_ += PlanRounds::kTouchEvery;
    rounds_[2].KeepInTouch(now_);
    EXPECT_EQ(sent_.empty(), false);
    Deliver();
    rounds_[2].KeepInTouch(now_);
    EXPECT_TRUE(sent_.empty()) << "not more often than that";
    EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet);
  }
  rounds_[2].Say({}, now_);
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kAll);
}

// By the plan before, which the others have begun the next one after.
TEST_F(PlanRoundsTest, APeerWhosePagesStillPayIsWaitedFor) {
  BeginAll();
  SayAll();
  for (PlanRounds& rounds : rounds_) rounds.End();
  rounds_[0].Begin(now_);
  rounds_[1].Begin(now_);
  Deliver();
  for (int i = 0; i < 40; ++i) {
    now_ += PlanRounds::kTouchEvery;
    rounds_[2].KeepInTouch(now_);
    Deliver();
    EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet);
  }
  rounds_[2].Begin(now_);
  Deliver();
  SayAll();
  EXPECT_THAT(ListenAll(), Each(Heard::kAll));
}

TEST_F(PlanRoundsTest, WhoPaysNoMoreSaysNothing) {
  BeginAll();
  SayAll();
  for (PlanRounds& rounds : rounds_) rounds.End();
  now_ += PlanRounds::kTouchEvery;
  rounds_[0].KeepInTouch(now_);
  EXPECT_THAT(sent_, SizeIs(2));
  sent_.clear();
  rounds_[0].EndPaying();
  now_ += PlanRounds::kTouchEvery;
  rounds_[0].KeepInTouch(now_);
  EXPECT_TRUE(sent_.empty());
}

TEST_F(PlanRoundsTest, WhoLeavesIsNotWaitedFor) {
  BeginAll();
  SayAll();
  rounds_[2].Leave();
  EXPECT_THAT(sent_, SizeIs(2));
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kBroken);
  rounds_[2].Leave();
  EXPECT_TRUE(sent_.empty()) << "it has said so";
  EXPECT_FALSE(rounds_[2].Called());
}

TEST_F(PlanRoundsTest, WhoTakesNoPartSaysSoWhenItIsCalled) {
  rounds_[2].Leave();
  EXPECT_TRUE(sent_.empty()) << "nobody waits";
  rounds_[0].Begin(now_);
  Deliver();
  rounds_[2].Leave();
  Deliver();
  rounds_[0].Say({}, now_);
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kBroken);
  rounds_[0].Leave();
  Deliver();
  BeginAll();
  SayAll();
  EXPECT_THAT(ListenAll(), Each(Heard::kAll)) << "the next plan has them all";
}

TEST_F(PlanRoundsTest, APeerThatIsGoneIsNotWaitedFor) {
  EXPECT_TRUE(rounds_[0].Possible());
  BeginAll();
  SayAll();
  gone_[1] = true;
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kBroken);
  EXPECT_FALSE(rounds_[0].Possible());
}

// Its plans begin with number 1 again.
TEST_F(PlanRoundsTest, APeerThatWasStartedAnewIsInTheNextPlan) {
  for (int plan = 0; plan < 5; ++plan) {
    BeginAll();
    for (PlanRounds& rounds : rounds_) rounds.End();
  }
  Restart(1);
  rounds_[1].Begin(now_);
  Deliver();
  EXPECT_FALSE(rounds_[0].Called()) << "it has begun one that is long over";
  Deliver();
  EXPECT_EQ(rounds_[1].Listen(now_), Heard::kNotYet);
  Deliver();
  EXPECT_TRUE(rounds_[0].Called());
  rounds_[0].Begin(now_);
  rounds_[2].Begin(now_);
  Deliver();
  SayAll();
  EXPECT_THAT(ListenAll(), Each(Heard::kAll));
}

TEST_F(PlanRoundsTest, ALaterPlanEndsOneThatHasComeFar) {
  BeginAll();
  SayAll();
  rounds_[1].Begin(now_);
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet) << "it goes over to that one";
  EXPECT_EQ(rounds_[0].round(), 0u);
  rounds_[2].Begin(now_);
  Deliver();
  SayAll();
  SayAll();
  rounds_[1].Begin(now_);
  Deliver();
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kBroken);
}

// A session that broke has lost what was under way.
TEST_F(PlanRoundsTest, ARoundAfterALostOneIsNotHeard) {
  BeginAll();
  for (PlanRounds& rounds : rounds_) rounds.Say({}, now_);
  sent_.clear();
  rounds_[1].Say({}, now_);
  Deliver();
  rounds_[2].Say({}, now_);
  EXPECT_EQ(rounds_[0].Listen(now_), Heard::kNotYet);
}

TEST(PlanRoundsOfOneTest, ALoneNodeHasNobodyToAsk) {
  PlanRounds rounds;
  EXPECT_FALSE(rounds.Possible());
  EXPECT_FALSE(rounds.Called());
  EXPECT_FALSE(rounds.Take(NodeId{1}, {.plan = 1}, absl::UnixEpoch()));
  rounds.Leave();
}

}  // namespace
}  // namespace opic::node
