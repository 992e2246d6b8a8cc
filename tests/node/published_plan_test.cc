// Publications in the plan of refreshes, over a clock that the test moves.
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "schedule/refresh_cash.h"
#include "tests/node/published_plan_fixture.h"

namespace opic::node {
namespace {

// Ten pages every hour are 0.0028 of 0.02 pages a second: the others share what is left, at the
// optimum of that.
TEST_F(PublishedPlanTest, AFixedPeriodIsKeptAndTheOthersShareTheRest) {
  OpenWithBook();
  ReadAll();
  Publish(Treatment::kEvery, 3600, Target::kPrefix, "http://host3.test/1");
  std::set<int> fixed;
  for (int page = 0; page < kPages; ++page)
    if (UrlOf(page).starts_with("http://host3.test/1")) fixed.insert(page);
  ASSERT_EQ(fixed.size(), 11u);
  ReadFor(absl::Hours(48));
  const std::vector<int> readings = ReadFor(absl::Hours(96));
  for (const int page : fixed)
    EXPECT_NEAR(readings[static_cast<size_t>(page)], 96, 1) << UrlOf(page);
  EXPECT_NEAR(Sum(readings), 0.02 * 96 * 3600, 0.05 * 0.02 * 96 * 3600);
  const RefreshStats stats = plan_->stats();
  EXPECT_EQ(stats.fixed, 11u);
  EXPECT_DOUBLE_EQ(stats.fixed_rate, 11 / 3600.0);
  EXPECT_EQ(stats.planned, uint64_t{kPages});
  EXPECT_NEAR(stats.planned_rate, 0.02, 1e-4);
  EXPECT_EQ(stats.publications, 1u);
}

// The rest is at its optimum: as a plan of the other pages alone has it under what is left.
TEST_F(PublishedPlanTest, TheOthersAreAtTheOptimumOfTheRest) {
  OpenWithBook();
  ReadAll();
  Publish(Treatment::kEvery, 3600, Target::kHost, "host3.test");
  ReadFor(absl::Hours(24));
  refresh::Frequencies rest({.floor = 1 / absl::ToDoubleSeconds(kOptions.longest),
                             .cap = 1 / absl::ToDoubleSeconds(kOptions.shortest),
                             .bandwidth = 0.02 - 20 / 3600.0});
  for (int page = 0; page < kPages; ++page)
    if (page % kHosts != 3) rest.Add(PlanOf(page).weight);
  EXPECT_NEAR(plan_->stats().planned_rate - plan_->stats().fixed_rate, rest.planned(), 1e-5);
}

TEST_F(PublishedPlanTest, MoreThanTheBandwidthLeavesNothingForTheOthers) {
  OpenWithBook();
  ReadAll();
  Publish(Treatment::kEvery, 600, Target::kHost, "host3.test");  // 20 / 600 pages a second
  EXPECT_DOUBLE_EQ(plan_->stats().fixed_rate, 20 / 600.0);
  EXPECT_DOUBLE_EQ(plan_->stats().planned_rate, 20 / 600.0);
  Turn({Reading(0)});
  EXPECT_EQ(DueOf(0), absl::ToUnixSeconds(now_ + kOptions.longest)) << "the longest there is";
  // Then it is offered as one that is read so often, and not as one that is read never.
  now_ += kOptions.longest + absl::Minutes(1);
  std::map<PageId, cash::Amount> offered;
  for (int turn = 0; turn < 300; ++turn, now_ += absl::Minutes(1)) {
    ASSERT_TRUE(plan_->Step(now_).ok());
    for (const schedule::Candidate& due : plan_->TakeDue(kPages)) offered[due.page] = due.cash;
  }
  ASSERT_TRUE(offered.contains(PageOf(0)));
  EXPECT_GE(offered[PageOf(0)],
            schedule::CashOfFrequency(1 / absl::ToDoubleSeconds(kOptions.longest)));
}

TEST_F(PublishedPlanTest, NeverIsNotReadAgainUntilItIsWithdrawn) {
  OpenWithBook();
  ReadAll();
  const std::vector<int64_t> before = AllDue();
  const uint64_t host = Publish(Treatment::kNever, 0, Target::kHost, "host3.test");
  const uint64_t page = Publish(Treatment::kNever, 0, Target::kUrl, UrlOf(4));
  EXPECT_EQ(DueOf(3), PagePlan::kNever);
  EXPECT_EQ(DueOf(4), PagePlan::kNever);
  EXPECT_EQ(DueOf(5), before[5]);
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages - 21});
  DueTimes times;
  std::string from;
  while (!plan_->AddDueTimes(from, times).value()) {
  }
  EXPECT_EQ(times.never[0], 21u);
  const std::vector<int> readings = ReadFor(absl::Hours(48));
  EXPECT_EQ(readings[3] + readings[13] + readings[4], 0);
  EXPECT_NEAR(Sum(readings), 0.02 * 48 * 3600, 0.1 * 0.02 * 48 * 3600) << "others have its part";
  Withdraw(page);
  EXPECT_EQ(DueOf(4), before[4]);
  Withdraw(host);
  EXPECT_EQ(DueOf(3), before[3]);
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
  EXPECT_TRUE(absl::IsNotFound(plan_->Withdraw(host, now_).status()));
  EXPECT_GT(ReadFor(absl::Hours(24))[3], 0);
}

TEST_F(PublishedPlanTest, AKnownRateIsPlannedWith) {
  OpenWithBook();
  ReadAll();
  ReadFor(absl::Hours(48), kPages / 2);
  const double before = Sum(ReadFor(absl::Hours(24), kPages / 2));
  const uint64_t id = Publish(Treatment::kRate, 1 / 3600.0, Target::kUrl, UrlOf(150));
  const PagePlan plan = PlanOf(150);
  ASSERT_GT(plan.rate.value(), 0);
  refresh::Rule rule;
  rule.rate = 1 / 3600.0;
  EXPECT_GT(rule.Scale(plan), 1.5) << "it was taken to change more rarely";
  ReadFor(absl::Hours(24), kPages / 2);
  const std::vector<int> with = ReadFor(absl::Hours(96), kPages / 2);
  EXPECT_GT(with[150], 1.3 * with[160]);
  EXPECT_NEAR(Sum(with), 4 * before, 0.1 * 4 * before);
  Withdraw(id);
  ReadFor(absl::Hours(24), kPages / 2);
  const std::vector<int> without = ReadFor(absl::Hours(96), kPages / 2);
  EXPECT_LT(without[150], with[150] / 2) << with[160] << " " << without[160];
}

TEST_F(PublishedPlanTest, ABoostIsAMultipleOfTheImportance) {
  OpenWithBook();
  ReadAll();
  ReadFor(absl::Hours(24));
  Publish(Treatment::kBoost, 100, Target::kHost, "host3.test");  // some ten times as often
  ReadFor(absl::Hours(24));
  const std::vector<int> readings = ReadFor(absl::Hours(48));
  double boosted = 0, others = 0;
  for (size_t page = 0; page < kPages; ++page)
    (page % kHosts == 3 ? boosted : others) += readings[page];
  EXPECT_NEAR((boosted / 20) / (others / 180), std::pow(100, 1 / 1.95), 3);
}

// What a row keeps is as if nothing were published: nothing is left of what is withdrawn.
TEST_F(PublishedPlanTest, DueTimesFollowWhatIsPublishedAndNotThePath) {
  OpenWithBook({.pages_per_s = 0.002, .share = 1, .shortest = absl::Minutes(10)});
  ReadAll();
  const std::vector<int64_t> before = AllDue();
  const uint64_t boost = Publish(Treatment::kBoost, std::pow(2, 1.95), Target::kHost, "host3.test");
  const int64_t fetched = absl::ToUnixSeconds(now_);
  EXPECT_NEAR(static_cast<double>(DueOf(193) - fetched),
              static_cast<double>(before[193] - fetched) / 2, 1);
  EXPECT_EQ(DueOf(192), before[192]);
  const uint64_t every = Publish(Treatment::kEvery, 1000, Target::kUrl, UrlOf(193));
  EXPECT_LE(DueOf(193), fetched + 1500);
  OpenWithBook();
  CountAll();
  EXPECT_LE(DueOf(193), fetched + 1500) << "after a restart";
  Withdraw(every);
  Withdraw(boost);
  OpenWithBook({.pages_per_s = 0.002, .share = 1, .shortest = absl::Minutes(10)});
  CountAll();
  EXPECT_EQ(AllDue(), before);
}

// Ids are random: of two given in one second, the later one had the lower id in half of the cases.
TEST_F(PublishedPlanTest, OfOneSecondTheLaterCommandHolds) {
  OpenWithBook();
  ReadAll();
  Publication publication;
  publication.treatment = Treatment::kNever;
  publication.target = Target::kHost, publication.of = "host3.test";
  const auto publish = [&](uint64_t id) {
    publication.id = id;
    ASSERT_TRUE(GiveTimes(publication, plan_->publications(), now_).ok());
    ASSERT_TRUE(plan_->Publish(publication, now_).ok());
    EXPECT_EQ(plan_->RuleOf(PageOf(3))->treated_by, id);
    EXPECT_EQ(plan_->publications().last_given(), absl::ToUnixSeconds(now_));
  };
  for (const uint64_t id : {7, 9, 3, 5, 4}) publish(id);
  now_ -= absl::Hours(1);
  publish(1);
  EXPECT_EQ(plan_->publications().Find(4)->given, absl::ToUnixSeconds(now_) - 1);
  OpenWithBook();
  EXPECT_EQ(plan_->RuleOf(PageOf(3))->treated_by, 1u);
}

TEST_F(PublishedPlanTest, WhatIsOverDoesNotHold) {
  OpenWithBook();
  ReadAll();
  const int64_t until = absl::ToUnixSeconds(now_) + 3600;
  Publish(Treatment::kNever, 0, Target::kHost, "host3.test", until);
  Publish(Treatment::kEvery, 600, Target::kUrl, UrlOf(4), until);
  Publish(Treatment::kNow, 0, Target::kUrl, "http://host5.test/not/known", until);
  now_ += absl::Seconds(3599);
  CountAll();
  EXPECT_EQ(DueOf(3), PagePlan::kNever);
  EXPECT_EQ(plan_->stats().publications, 3u);
  now_ += absl::Seconds(1);
  CountAll();
  EXPECT_NE(DueOf(3), PagePlan::kNever);
  EXPECT_EQ(plan_->stats().publications, 0u);
  EXPECT_EQ(plan_->stats().fixed, 0u);
  EXPECT_EQ(plan_->stats().planned, uint64_t{kPages});
  Publication over;
  over.until = absl::ToUnixSeconds(now_);
  const refresh::PublicationBook none;
  EXPECT_TRUE(absl::IsInvalidArgument(GiveTimes(over, none, now_)));
  over.until = 0;
  EXPECT_TRUE(GiveTimes(over, none, now_).ok());
  EXPECT_EQ(over.until, over.given + 30 * 86'400) << "now";
}

// Several of one page end in one second, and visits come in between: each is counted once.
TEST_F(PublishedPlanTest, TheCountsAreExactWhateverComesAndGoes) {
  OpenWithBook();
  ReadAll();
  base::Rng rng(5);
  std::vector<uint64_t> ids;
  for (int i = 0; i < 300; ++i) {
    now_ += absl::Minutes(10);
    const int page = static_cast<int>(rng.Below(20));
    const auto treatment = static_cast<Treatment>(rng.Below(refresh::kTreatments));
    constexpr double kAmounts[] = {0, 0, 1200, 0.001, 30};
    const bool of_page = rng.Below(4) != 0;
    const int64_t until =
        rng.Below(2) == 0 ? absl::ToUnixSeconds(now_ + absl::Hours(1 + rng.Below(3))) / 3600 * 3600
                          : 0;
    const bool over = until != 0 && until <= absl::ToUnixSeconds(now_);
    const auto amount = kAmounts[static_cast<size_t>(treatment)];
    Publication publication;
    publication.id = ++last_id_;
    publication.treatment = treatment, publication.amount = amount;
    publication.target = of_page ? Target::kUrl : Target::kPrefix;
    publication.of = UrlOf(page);
    publication.given = absl::ToUnixSeconds(now_), publication.until = over ? 0 : until;
    ASSERT_TRUE(plan_->Publish(publication, now_).ok());
    ids.push_back(publication.id);
    Turn({Reading(page, static_cast<uint64_t>(i)),
          Reading(page + 20, 0, rng.Below(2) == 0 ? VisitKind::kGone : VisitKind::kFetched)});
    for (const int due : TakeDue(3)) Turn({Reading(due)});
    if (ids.size() > 20) {
      (void)plan_->Withdraw(ids[rng.Below(ids.size())], now_);
      ids.erase(ids.begin());
    }
  }
  CountAll();
  const RefreshStats stats = plan_->stats();
  OpenWithBook();
  CountAll();
  EXPECT_EQ(plan_->stats().planned, stats.planned);
  EXPECT_EQ(plan_->stats().fixed, stats.fixed);
  EXPECT_DOUBLE_EQ(plan_->stats().fixed_rate, stats.fixed_rate);
}

TEST_F(PublishedPlanTest, ADamagedBookIsDataLoss) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "publications", "\1\1nonsense");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  EXPECT_TRUE(absl::IsDataLoss(RecallPublications(*store_).status()));
}

TEST(NormalisedTest, TargetsAreAsTheCrawlerWritesThem) {
  Publication publication;
  publication.id = 1;
  const auto normal = [&](Target target, const std::string& of) {
    publication.target = target, publication.of = of;
    const auto made = Normalised(publication);
    return made.ok() ? made->of : made.status().ToString().substr(0, 16);
  };
  EXPECT_EQ(normal(Target::kUrl, "HTTP://A.test:80/b/../c#d"), "http://a.test/c");
  EXPECT_EQ(normal(Target::kPrefix, "http://A.test"), "http://a.test/");
  EXPECT_EQ(normal(Target::kHost, "WWW.A.test"), "www.a.test");
  EXPECT_EQ(normal(Target::kHost, "C.Test."), "c.test");
  EXPECT_EQ(normal(Target::kDomain, "[::1]"), "[::1]");
  EXPECT_EQ(normal(Target::kHost, "::1"), "[::1]") << "the command line takes the brackets";
  for (const char* wrong : {"a.test:8080", "a.test/b", "u@a.test/", "", "a b", "a.test?x"})
    EXPECT_EQ(normal(Target::kHost, wrong), "INVALID_ARGUMENT") << wrong;
  EXPECT_EQ(normal(Target::kUrl, "ftp://a.test/"), "INVALID_ARGUMENT");
  EXPECT_EQ(normal(Target::kUrl, "a.test"), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace opic::node
