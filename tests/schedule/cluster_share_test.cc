#include "schedule/cluster_share.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace opic::schedule {
namespace {

constexpr absl::Duration kShortPause = absl::Seconds(1);
const absl::Time kSharesBegin = absl::FromUnixSeconds(1'000'000'000);

bool MayBegin(absl::Time time, int limit, const std::string& name, const ClusterPlace& place) {
  return TurnFrom(time, limit, name, kShortPause, place) == time;
}

TEST(ClusterShareTest, PartsNeverAddUpToMoreThanALimitThatAllHaveAPartOf) {
  for (uint32_t nodes = 1; nodes <= 20; ++nodes) {
    for (int limit = static_cast<int>(nodes); limit <= 64; ++limit) {
      const int share = ShareOf(limit, {0, nodes});
      EXPECT_GE(share, 1);
      EXPECT_LE(share * static_cast<int>(nodes), limit) << nodes << " nodes";
      EXPECT_EQ(TurnFrom(kSharesBegin, limit, "a", kShortPause, {0, nodes}), kSharesBegin)
          << "no turns are needed";
    }
  }
  EXPECT_EQ(ShareOf(16, {}), 16);
  EXPECT_EQ(ShareOf(3, {0, 4}), 1);
}

TEST(ClusterShareTest, AsManyNodesHaveTheTurnAsTheLimitSaysAndEachComesToIt) {
  for (const char* const name : {"192.0.2.1", "192.0.2.2", "shops"}) {
    for (int limit : {1, 2, 4}) {
      std::map<uint32_t, int> turns;
      for (absl::Time time = kSharesBegin; time < kSharesBegin + absl::Minutes(5);
           time += absl::Seconds(1)) {
        int at_once = 0;
        for (uint32_t self = 0; self < 5; ++self) {
          if (!MayBegin(time, limit, name, {self, 5})) continue;
          ++at_once, ++turns[self];
        }
        EXPECT_LE(at_once, limit) << name << " at " << time;
      }
      for (uint32_t self = 0; self < 5; ++self)
        EXPECT_EQ(turns[self], 17 * 3 * limit) << "of 60 seconds 17 by the pause and the answers";
    }
  }
}

TEST(ClusterShareTest, BetweenTheTurnsOfTwoNodesIsTimeForAnAnswerAndThePause) {
  absl::Time last = absl::InfinitePast();
  uint32_t last_node = 9;
  for (absl::Time time = kSharesBegin; time < kSharesBegin + absl::Minutes(5);
       time += absl::Milliseconds(100)) {
    for (uint32_t self = 0; self < 3; ++self) {
      if (!MayBegin(time, 1, "shops", {self, 3})) continue;
      if (self != last_node) {
        EXPECT_GT(time - last, kShortPause + kAnswerTime);
      }
      last = time, last_node = self;
    }
  }
}

TEST(ClusterShareTest, ATurnIsFoundWhereverItIsLookedForFrom) {
  for (uint32_t self = 0; self < 7; ++self) {
    for (int limit : {1, 3, 6}) {
      for (absl::Time time = kSharesBegin; time < kSharesBegin + absl::Minutes(5);
           time += absl::Milliseconds(700)) {
        const absl::Time turn = TurnFrom(time, limit, "a", kShortPause, {self, 7});
        EXPECT_GE(turn, time);
        EXPECT_LE(turn, time + 13 * kTurnMin) << "first in one round, last in the next";
        EXPECT_TRUE(MayBegin(turn, limit, "a", {self, 7}));
        if (turn == time) continue;
        EXPECT_FALSE(MayBegin(time + (turn - time) / 2, limit, "a", {self, 7})) << "the first";
      }
    }
  }
}

// Turns of two names that always came in the same order missed each other for ever: a host of such
// a group at such an address was never asked.
TEST(ClusterShareTest, ANodeComesToTheTurnsOfTwoNamesTogether) {
  for (const char* const group : {"shops", "farm", "mirrors", "press"}) {
    for (uint32_t self = 0; self < 4; ++self) {
      int together = 0;
      for (absl::Time time = kSharesBegin; time < kSharesBegin + absl::Hours(1); time += kTurnMin) {
        const ClusterPlace place{self, 4};
        together += MayBegin(time, 1, group, place) && MayBegin(time, 2, "192.0.2.1", place);
      }
      EXPECT_GE(together, 10) << group << " at node " << self << ": of 45 turns about a half";
    }
  }
}

TEST(ClusterShareTest, ALongPauseMakesLongTurns) {
  const absl::Duration pause = absl::Minutes(10);
  absl::Time others = kSharesBegin;
  while (TurnFrom(others, 1, "a", pause, {0, 2}) == others) others += pause;
  const absl::Time turn = TurnFrom(others, 1, "a", pause, {0, 2});  // its begin
  EXPECT_EQ(TurnFrom(turn + 8 * pause, 1, "a", pause, {0, 2}), turn + 8 * pause);
  EXPECT_GT(TurnFrom(turn + 9 * pause, 1, "a", pause, {0, 2}), turn + 9 * pause);
}

}  // namespace
}  // namespace opic::schedule
