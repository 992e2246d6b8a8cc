#include "desk/network_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace opic::desk {
namespace {

using fetch::Knocked;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Verdict = NetworkWatch::Verdict;

class NetworkWatchTest : public testing::Test {
 protected:
  static Place At(const std::string& host) { return {host, 80}; }
  void Pass(absl::Duration time) { now_ += time; }
  void Answers(const std::string& host) {
    watch_.Heard(At(host), now_ - absl::Milliseconds(10), now_);
  }
  // A request that was begun `before` ends without a word.
  struct Failure {
    absl::Time begun, ended;
  };
  Failure Fails(const std::string& host, absl::Duration before = absl::Milliseconds(1)) {
    Pass(absl::Milliseconds(1));
    watch_.NotHeard(At(host), now_);
    return {now_ - before, now_};
  }
  Verdict Judge(const Failure& failure) const { return watch_.Judge(failure.begun, failure.ended); }
  // Waits until it is time to knock, and does.
  std::vector<Place> Knock(Knocked what) {
    EXPECT_LT(watch_.knock_at(), absl::InfiniteFuture());
    now_ = std::max(now_, watch_.knock_at());
    std::vector<Place> places = watch_.PlacesToKnock();
    EXPECT_FALSE(places.empty());
    const absl::Time begun = now_;
    std::vector<NetworkWatch::Knock> knocks;
    for (const Place& place : places) {
      knocks.push_back({place, what});
      if (what == Knocked::kHeard) break;
    }
    Pass(absl::Milliseconds(5));
    watch_.Knocked(knocks, begun, now_);
    return places;
  }
  absl::Duration TimeToKnockAfter(const Failure& failure) const {
    return watch_.knock_at() - failure.ended;
  }
  bool lost() const { return watch_.loss().has_value(); }

  const NetworkLimits limits_;
  NetworkWatch watch_{limits_};
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
};

TEST_F(NetworkWatchTest, OneHostThatIsDownAmongManyIsAFailureOfItsOwn) {
  for (int i = 0; i < 10; ++i) Answers(absl::StrCat("h", i, ".test"));
  for (int i = 0; i < 20; ++i) {
    const Failure failure = Fails("down.test", absl::Seconds(10));
    EXPECT_EQ(Judge(failure), Verdict::kWaits);
    Pass(absl::Milliseconds(50));
    Answers("h1.test");  // begun since
    EXPECT_EQ(Judge(failure), Verdict::kHosts);
    EXPECT_EQ(watch_.knock_at(), absl::InfiniteFuture()) << "nobody needs to be asked";
  }
}

// That the last bytes of an answer come in says nothing of what failed meanwhile.
TEST_F(NetworkWatchTest, AnAnswerToARequestBegunBeforeSaysNothing) {
  Answers("a.test");
  const Failure failure = Fails("b.test");
  watch_.Heard(At("a.test"), failure.ended - absl::Seconds(3), now_);
  EXPECT_EQ(Judge(failure), Verdict::kWaits);
  EXPECT_EQ(watch_.knock_at(), failure.ended + limits_.doubt_first);
}

TEST_F(NetworkWatchTest, WhenNobodyIsHeardItIsLostAndNobodyIsToBlame) {
  for (const char* host : {"a.test", "b.test", "c.test", "d.test"}) Answers(host);
  Pass(absl::Seconds(1));
  const Failure first = Fails("a.test", absl::Seconds(10)), second = Fails("x.test");
  EXPECT_THAT(Knock(Knocked::kSilent), SizeIs(NetworkWatch::kPlacesAsked));
  ASSERT_TRUE(lost());
  EXPECT_EQ(watch_.loss()->since, first.ended);
  EXPECT_EQ(Judge(first), Verdict::kNobodys);
  EXPECT_EQ(Judge(second), Verdict::kNobodys);
  EXPECT_EQ(Judge(Fails("b.test")), Verdict::kNobodys);
}

TEST_F(NetworkWatchTest, NoRouteIsLostWithOneHost) {
  Answers("a.test");
  const Failure failure = Fails("a.test");
  Knock(Knocked::kNoRoute);
  ASSERT_TRUE(lost());
  EXPECT_THAT(watch_.loss()->why, HasSubstr("no route"));
  EXPECT_EQ(Judge(failure), Verdict::kNobodys);
}

TEST_F(NetworkWatchTest, NameServersThatAreGoneAreTold) {
  Answers("a.test");
  Fails("b.test");
  Knock(Knocked::kNoResolver);
  ASSERT_TRUE(lost());
  EXPECT_THAT(watch_.loss()->why, HasSubstr("name server"));
}

// It looks like a network that is lost, but a crawl must come to its end.
TEST_F(NetworkWatchTest, TheOnlyHostThatFallsSilentIsToBlame) {
  Answers("only.test");
  for (int i = 0; i < 6; ++i) {
    const Failure failure = Fails("only.test", absl::Seconds(10));
    Knock(Knocked::kSilent);
    EXPECT_FALSE(lost());
    EXPECT_EQ(Judge(failure), Verdict::kHosts);
  }
}

// Its answers hang, and each kept the crawl idle for half a second, then one, two ...
TEST_F(NetworkWatchTest, WhereOneHostAloneIsKnownNobodyElseIsWaitedFor) {
  for (int i = 0; i < 6; ++i) {
    const Failure failure = Fails("only.test", absl::Seconds(10));
    EXPECT_EQ(TimeToKnockAfter(failure), absl::ZeroDuration());
    Pass(absl::Milliseconds(1));
    Knock(Knocked::kHeard);
    EXPECT_EQ(Judge(failure), Verdict::kHosts);
    EXPECT_EQ(watch_.knock_at(), absl::InfiniteFuture());
  }
  Answers("other.test");
  EXPECT_EQ(TimeToKnockAfter(Fails("only.test")), limits_.doubt_first);
}

TEST_F(NetworkWatchTest, AnotherHostOfTheDomainMayBeHeard) {
  Answers("a.only.test");
  Answers("www.a.only.test");
  EXPECT_EQ(TimeToKnockAfter(Fails("a.only.test")), absl::ZeroDuration()) << "they are one";
  Answers("b.only.test");
  EXPECT_GT(TimeToKnockAfter(Fails("a.only.test")), absl::ZeroDuration());
}

TEST_F(NetworkWatchTest, HostsOfOneDomainAreOne) {
  for (const char* host : {"a.only.test", "b.only.test", "c.only.test", "d.only.test"})
    Answers(host);
  const Failure failure = Fails("a.only.test");
  Knock(Knocked::kSilent);
  EXPECT_FALSE(lost());
  EXPECT_EQ(Judge(failure), Verdict::kHosts);
}

TEST_F(NetworkWatchTest, OfTwoHostsBothMustBeSilent) {
  Answers("a.test");
  Answers("b.test");
  Fails("a.test");
  EXPECT_THAT(Knock(Knocked::kSilent), ElementsAre(At("a.test"), At("b.test")));
  EXPECT_TRUE(lost());
}

// The end of a crawl: all that is left is dead.
TEST_F(NetworkWatchTest, ManyDeadHostsAreToBlameWhileOneThatAnsweredDoesSo) {
  Answers("good.test");
  for (int i = 0; i < 100; ++i) {
    const Failure failure = Fails(absl::StrCat("dead", i, ".test"), absl::Seconds(10));
    EXPECT_EQ(Knock(Knocked::kHeard).front(), At("good.test"));
    EXPECT_FALSE(lost());
    EXPECT_EQ(Judge(failure), Verdict::kHosts);
  }
}

// Hosts are not knocked at every moment by a crawl whose last hosts are dead, and each in its turn.
TEST_F(NetworkWatchTest, KnocksThatAreHeardComeMoreSeldom) {
  Answers("a.test");
  Answers("b.test");
  EXPECT_EQ(TimeToKnockAfter(Fails("dead.test")), limits_.doubt_first);
  EXPECT_EQ(Knock(Knocked::kHeard).front(), At("a.test"));
  EXPECT_EQ(TimeToKnockAfter(Fails("dead.test")), 2 * limits_.doubt_first);
  EXPECT_EQ(Knock(Knocked::kHeard).front(), At("b.test"));
  for (int i = 0; i < 10; ++i) {
    Fails("dead.test");
    Knock(Knocked::kHeard);
  }
  EXPECT_EQ(TimeToKnockAfter(Fails("dead.test")), limits_.doubt_max);
  Pass(absl::Seconds(1));
  Answers("a.test");
  EXPECT_EQ(TimeToKnockAfter(Fails("dead.test")), limits_.doubt_first);
}

// A first start without a network: hosts that have never answered anybody.
TEST_F(NetworkWatchTest, WhereNobodyEverAnsweredThreeHostsAndTheSystemMustSaySo) {
  const Failure one = Fails("a.test");
  Knock(Knocked::kNoResolver);
  EXPECT_FALSE(lost());
  EXPECT_EQ(Judge(one), Verdict::kHosts) << "a name that is wrong, perhaps";
  std::vector<Failure> failures;
  for (const char* host : {"a.test", "b.test", "c.test"}) failures.push_back(Fails(host));
  Knock(Knocked::kSilent);
  EXPECT_FALSE(lost()) << "dead hosts";
  for (const char* host : {"a.test", "b.test", "c.test"}) failures.push_back(Fails(host));
  Knock(Knocked::kNoResolver);
  EXPECT_TRUE(lost());
  EXPECT_EQ(Judge(failures.front()), Verdict::kNobodys);
  EXPECT_EQ(Judge(failures.back()), Verdict::kNobodys);
}

TEST_F(NetworkWatchTest, PausesBetweenKnocksGrowWhileItIsLost) {
  Answers("a.test");
  Fails("a.test");
  Knock(Knocked::kNoRoute);
  ASSERT_TRUE(lost());
  absl::Duration pause = limits_.pause_first;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(watch_.knock_at(), now_ + pause);
    Knock(i % 2 == 0 ? Knocked::kNoRoute : Knocked::kSilent);
    EXPECT_TRUE(lost());
    pause = std::min(2 * pause, limits_.pause_max);
  }
  EXPECT_EQ(watch_.knock_at(), now_ + limits_.pause_max);
}

// Those that answered long ago may be gone for good.
TEST_F(NetworkWatchTest, WhileItIsLostThoseThatFailedLatelyAreAskedToo) {
  for (int i = 0; i < 30; ++i) Answers(absl::StrCat("h", i, ".test"));
  Fails("late.test");
  Knock(Knocked::kNoRoute);
  ASSERT_TRUE(lost());
  EXPECT_THAT(watch_.PlacesToKnock(), testing::Contains(At("late.test")));
}

TEST_F(NetworkWatchTest, AKnockThatIsHeardEndsIt) {
  Answers("a.test");
  Fails("a.test");
  Knock(Knocked::kNoRoute);
  const absl::Time meanwhile = now_;
  Pass(absl::Seconds(5));
  Knock(Knocked::kHeard);
  EXPECT_FALSE(lost());
  EXPECT_EQ(watch_.knock_at(), absl::InfiniteFuture());
  // Begun while there was none, it ends when there is one.
  const Failure late{meanwhile, Fails("b.test").ended};
  EXPECT_EQ(Judge(late), Verdict::kNobodys);
  EXPECT_EQ(Judge(Fails("b.test", absl::ZeroDuration())), Verdict::kWaits);
}

TEST_F(NetworkWatchTest, AnAnswerEndsItUnlessItWasBegunBefore) {
  Answers("a.test");
  Fails("b.test");
  Knock(Knocked::kNoRoute);
  watch_.Heard(At("c.test"), watch_.loss()->since - absl::Seconds(1), now_);
  EXPECT_TRUE(lost());
  watch_.Heard(At("c.test"), watch_.loss()->since + absl::Milliseconds(1), now_);
  EXPECT_FALSE(lost());
}

TEST_F(NetworkWatchTest, ANetworkThatComesAndGoesBlamesNobody) {
  Answers("a.test");
  Answers("b.test");
  for (int i = 0; i < 20; ++i) {
    const Failure failure = Fails("a.test");
    EXPECT_NE(Judge(failure), Verdict::kHosts);
    Knock(Knocked::kNoRoute);
    ASSERT_TRUE(lost());
    EXPECT_EQ(Judge(failure), Verdict::kNobodys);
    EXPECT_EQ(watch_.knock_at(), now_ + limits_.pause_first) << "each time anew";
    Knock(Knocked::kHeard);
    ASSERT_FALSE(lost());
    Pass(absl::Milliseconds(20));
    Answers("b.test");
  }
}

}  // namespace
}  // namespace opic::desk
