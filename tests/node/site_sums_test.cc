#include "node/site_sums.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace opic::node {
namespace {

// "name pages importance" of each.
std::string SitesTold(absl::StatusOr<std::vector<Site>> sites) {
  std::string told;
  if (!sites.ok()) return std::string(sites.status().message());
  for (const Site& site : *sites)
    absl::StrAppend(&told, site.name, " ", site.pages, " ", site.importance, "; ");
  return told;
}

Site OnePage(double importance) { return {.name = "", .importance = importance, .pages = 1}; }

// Four pages of each of three hosts of two domains.
absl::Status AddThree(SiteSums& sums, bool hosts_keep_shards) {
  for (int page = 0; page < 4; ++page) {
    for (int host = 0; host < 3; ++host) {
      // Shard after shard, in both cases.
      const int shard = hosts_keep_shards ? page : page / 2;
      const int of = hosts_keep_shards ? page : host;
      if (of > 2) continue;
      const char* names[] = {"a.one.test", "b.one.test", "two.test"};
      absl::Status added = sums.Add(ShardAt(shard), names[of], OnePage(of == 2 ? 0.25 : 0.5));
      if (!added.ok()) return added;
    }
  }
  return absl::OkStatus();
}

TEST(SiteSumsTest, GroupsAreAddedUpWithoutHostsThatAreInNone) {
  for (bool keep : {true, false}) {
    SiteSums sums(SiteKind::kGroup, keep, 10, SiteSums::kAtOnceMax,
                  [](const std::string& host) { return host == "two.test" ? "" : "shops"; });
    ASSERT_TRUE(AddThree(sums, keep).ok());
    SiteSums none(SiteKind::kGroup, keep, 10);
    ASSERT_TRUE(AddThree(none, keep).ok());
    EXPECT_EQ(SitesTold(none.Take()), "");
    EXPECT_EQ(none.known(), 0u);
    const std::string told = SitesTold(sums.Take());
    EXPECT_EQ(told.substr(0, 6), "shops ") << told;
    EXPECT_EQ(told.find("; "), told.size() - 2) << told;
    EXPECT_EQ(sums.known(), 1u);
  }
}

TEST(SiteSumsTest, HostsOfOneShardEachAreAddedUp) {
  SiteSums sums(SiteKind::kHost, /*hosts_keep_shards=*/true, 10);
  ASSERT_TRUE(AddThree(sums, true).ok());
  EXPECT_EQ(SitesTold(sums.Take()), "a.one.test 3 1.5; b.one.test 3 1.5; two.test 3 0.75; ");
  EXPECT_EQ(sums.known(), 3u);
}

TEST(SiteSumsTest, HostsOfManyShardsAreAddedUp) {
  SiteSums sums(SiteKind::kHost, /*hosts_keep_shards=*/false, 10);
  ASSERT_TRUE(AddThree(sums, false).ok());
  EXPECT_EQ(SitesTold(sums.Take()), "a.one.test 4 2; b.one.test 4 2; two.test 4 1; ");
  EXPECT_EQ(sums.known(), 3u);
}

TEST(SiteSumsTest, DomainsAreTheSumsOfTheirHosts) {
  for (const bool keep : {true, false}) {
    SiteSums sums(SiteKind::kDomain, keep, 10);
    ASSERT_TRUE(AddThree(sums, keep).ok());
    EXPECT_EQ(SitesTold(sums.Take()),
              keep ? "one.test 6 3; two.test 3 0.75; " : "one.test 8 4; two.test 4 1; ");
    EXPECT_EQ(sums.known(), 2u);
  }
}

TEST(SiteSumsTest, TheBestAreKeptAndAllAreCounted) {
  for (const bool keep : {true, false}) {
    SiteSums sums(SiteKind::kHost, keep, 2);
    for (int host = 0; host < 9; ++host)
      ASSERT_TRUE(sums.Add(ShardAt(host), absl::StrCat("h", host), OnePage(host % 5)).ok());
    EXPECT_EQ(SitesTold(sums.Take()), "h4 1 4; h3 1 3; ") << "of equals the first by name";
    EXPECT_EQ(sums.known(), 9u);
  }
}

TEST(SiteSumsTest, EveryCountIsAdded) {
  SiteSums sums(SiteKind::kHost, true, 10);
  const Site page{.name = "other",
                  .importance = 1,
                  .pages = 1,
                  .unread = 2,
                  .fetched = 3,
                  .failed = 4,
                  .fetches = 5,
                  .bytes = 6};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(sums.Add(ShardAt(0), "a.test", page).ok());
  const auto sites = sums.Take();
  ASSERT_TRUE(sites.ok() && sites->size() == 1);
  const Site& site = sites->front();
  EXPECT_EQ(site.name, "a.test");
  EXPECT_EQ(site.pages, 2u);
  EXPECT_EQ(site.unread, 4u);
  EXPECT_EQ(site.fetched, 6u);
  EXPECT_EQ(site.failed, 8u);
  EXPECT_EQ(site.fetches, 10u);
  EXPECT_EQ(site.bytes, 12u);
}

TEST(SiteSumsTest, BytesThatOneOfTwoDoesNotKnowAreNotKnown) {
  const Site known{.bytes = 6}, unknown{.bytes = std::nullopt};
  for (const auto& [one, other] : {std::pair(known, unknown), std::pair(unknown, known)}) {
    Site sum = one;
    sum += other;
    EXPECT_FALSE(sum.bytes);
  }
}

TEST(SiteSumsTest, NothingIsNothing) {
  SiteSums sums(SiteKind::kDomain, true, 10);
  EXPECT_EQ(SitesTold(sums.Take()), "");
  EXPECT_EQ(sums.known(), 0u);
}

// Memory is bounded: where hosts end with their shard there may be any number of them.
TEST(SiteSumsTest, MoreThanMayBeHeldAreRefused) {
  const auto add = [](SiteKind kind, bool keep, uint32_t a_shard) {
    SiteSums sums(kind, keep, 1, /*at_once_max=*/100);
    for (uint32_t host = 0; host <= 100; ++host) {
      absl::Status added =
          sums.Add(ShardAt(host / a_shard), absl::StrCat("h", host, ".test"), OnePage(1));
      if (!added.ok()) return added;
    }
    return sums.Take().status();
  };
  EXPECT_TRUE(add(SiteKind::kHost, true, 10).ok());
  EXPECT_TRUE(absl::IsOutOfRange(add(SiteKind::kHost, true, 1'000)));
  EXPECT_TRUE(absl::IsOutOfRange(add(SiteKind::kHost, false, 10)));
  EXPECT_TRUE(absl::IsOutOfRange(add(SiteKind::kDomain, true, 10)));
}

}  // namespace
}  // namespace opic::node
