#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/crawled_stats.h"

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 404 is an answer.
TEST(ProgressPartsTest, AGonePageIsNoFailure) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(ProgressParts(stats, {2, 1.5}, absl::Seconds(3)),
              ElementsAre("4 pages fetched", "2.0/s", "1 to go", "3 s left", "5 known",
                          "0 in flight", "0 B", "mean 1.5/s"));
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kFailed)] = 2;
  EXPECT_THAT(ProgressParts(stats, {2, 1.5}, absl::InfiniteDuration()),
              testing::Contains("2 failed"));
}

TEST(ProgressPartsTest, AnObstacleIsReportedFirst) {
  node::NodeStats stats = Crawled();
  stats.paused = true;
  EXPECT_THAT(ProgressParts(stats, {}, absl::InfiniteDuration())[0], HasSubstr("paused"));
  stats.paused = false;
  stats.scheduler_away = true;
  EXPECT_THAT(ProgressParts(stats, {}, absl::InfiniteDuration())[0], HasSubstr("scheduler"));
  stats.scheduler_away = false;
  stats.without_network_since = absl::UnixEpoch();
  EXPECT_THAT(ProgressParts(stats, {}, absl::InfiniteDuration())[0],
              HasSubstr("waiting for the network"));
  stats.without_network_since.reset();
  stats.loop.disk.low = true;
  EXPECT_THAT(ProgressParts(stats, {}, absl::InfiniteDuration())[0], HasSubstr("room on the disk"));
}

// Hours were left while the last host rested for a minute.
TEST(TimeForTest, IsNotKnownWhileHardlyAnythingIsAskedFor) {
  EXPECT_EQ(TimeFor(300, {.now = 5, .mean = 20}), absl::Seconds(60));
  EXPECT_EQ(TimeFor(300, {.now = 0.1, .mean = 20}), absl::InfiniteDuration());
  EXPECT_EQ(TimeFor(300, {}), absl::InfiniteDuration());
  EXPECT_EQ(TimeFor(3, {.now = 0.05, .mean = 0.05}), absl::Seconds(60)) << "a slow crawl";
}

TEST(RateMeterTest, WhatWasAskedBeforeTheFirstLookIsNoRate) {
  RateMeter meter;
  absl::Time now = absl::UnixEpoch();
  meter.Look(1'000'000, now);
  EXPECT_EQ(meter.rates().now, 0);
  for (int look = 0; look < 3; ++look) meter.Look(1'000'000, now += absl::Milliseconds(500));
  EXPECT_EQ(meter.rates().now, 0) << "paused";
  for (int look = 1; look < 20; ++look)
    meter.Look(1'000'000 + 15 * look, now += absl::Seconds(0.5));
  EXPECT_NEAR(meter.rates().now, 30, 1);
  meter.Look(7, now + absl::Seconds(9));
  EXPECT_EQ(meter.rates().now, 0) << "a node of a cluster has started anew";
}

TEST(RateMeterTest, TheMeanIsThatOfAllLooks) {
  RateMeter meter;
  meter.Look(500, absl::UnixEpoch());
  meter.Look(600, absl::UnixEpoch() + absl::Seconds(1));
  meter.Look(600, absl::UnixEpoch() + absl::Seconds(10));
  EXPECT_DOUBLE_EQ(meter.rates().mean, 10);
  EXPECT_EQ(meter.rates().now, 0);
  meter.Look(50, absl::UnixEpoch() + absl::Seconds(15));
  meter.Look(100, absl::UnixEpoch() + absl::Seconds(20));
  EXPECT_DOUBLE_EQ(meter.rates().mean, 7.5) << "a node of a cluster has started anew";
}

TEST(RateMeterTest, LooksMayBeClose) {
  RateMeter meter;
  for (int look = 0; look < 5'000; ++look)
    meter.Look(look / 10, absl::UnixEpoch() + look * absl::Milliseconds(1));
  EXPECT_NEAR(meter.rates().now, 100, 2);
}

TEST(ProgressPartsTest, SettlingHasAnEnd) {
  node::NodeStats stats = Crawled();
  stats.loop.phase = node::Phase::kSettling;
  stats.loop.settling = 0.5;
  const std::vector<std::string> parts = ProgressParts(stats, {}, absl::InfiniteDuration());
  EXPECT_THAT(parts[0], HasSubstr("computing the ranking: 50 %"));
}

}  // namespace
}  // namespace opic::cli
