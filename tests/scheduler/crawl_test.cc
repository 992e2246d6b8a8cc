// Whole crawls in virtual time, judged by their logs alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/crawl_model.h"

namespace opic::scheduler {
namespace {

using Site = CrawlModel::Site;

// ------------------------------------------------------------------------------------ the judge

template <typename Key>
std::map<std::string, std::vector<Fetch>> By(const std::vector<Fetch>& log, Key key) {
  std::map<std::string, std::vector<Fetch>> groups;
  for (const Fetch& fetch : log) groups[key(fetch)].push_back(fetch);
  for (auto& [name, fetches] : groups) {
    std::sort(fetches.begin(), fetches.end(),
              [](const Fetch& a, const Fetch& b) { return a.start < b.start; });
  }
  return groups;
}

// Starts that overlap a fetch of the same host or come less than `delay` after one.
int Violations(const std::vector<Fetch>& log, absl::Duration delay) {
  int violations = 0;
  for (const auto& [host, fetches] : By(log, [](const Fetch& f) { return f.host; })) {
    for (size_t i = 1; i < fetches.size(); ++i) {
      if (fetches[i].start < fetches[i - 1].end + delay) ++violations;
    }
  }
  return violations;
}

size_t MostAtOnce(const std::vector<Fetch>& fetches) {
  std::multiset<absl::Time> ends;
  size_t most = 0;
  for (const Fetch& fetch : fetches) {
    ends.erase(ends.begin(), ends.upper_bound(fetch.start));
    ends.insert(fetch.end);
    most = std::max(most, ends.size());
  }
  return most;
}

// Addresses are learnt by the first fetch of each host, so they bind from then on.
std::vector<Fetch> WithoutFirstOfEachHost(const std::vector<Fetch>& log) {
  std::vector<Fetch> rest;
  std::set<std::string> seen;
  for (const Fetch& fetch : log) {
    if (!seen.insert(fetch.host).second) rest.push_back(fetch);
  }
  return rest;
}

TEST(CrawlJudgeTest, SeesAHostAskedTwiceAtOnceOrTooSoon) {
  const absl::Time t = CrawlModel::start();
  const Fetch first{"a", "1", t, t + absl::Seconds(2)};
  const auto at = [&](int seconds) {
    return Fetch{"a", "1", t + absl::Seconds(seconds), t + absl::Seconds(seconds + 1)};
  };
  EXPECT_EQ(Violations({first, at(1)}, absl::Seconds(1)), 1);
  EXPECT_EQ(Violations({first, at(2)}, absl::Seconds(1)), 1);
  EXPECT_EQ(Violations({first, at(3)}, absl::Seconds(1)), 0);
  EXPECT_EQ(MostAtOnce({first, at(1), at(2)}), 2u);
}

// ------------------------------------------------------------------------------------ crawls

std::vector<Site> Hosts(int count, int addresses, uint64_t pages, absl::Duration slowest) {
  std::vector<Site> sites;
  for (int i = 0; i < count; ++i) {
    sites.push_back({absl::StrCat("host", i), absl::StrCat("192.0.2.", i % addresses), pages,
                     absl::Milliseconds(20), slowest});
  }
  return sites;
}

TEST(CrawlTest, ThousandsOfHostsOnSomeAddressesAreAllTreatedPolitely) {
  for (uint64_t seed : {1, 2}) {
    SCOPED_TRACE(seed);
    CrawlModel crawl({.per_address_max = 5, .queued_in_memory_max = 3000}, 400,
                     Hosts(3000, 50, 8, absl::Seconds(2)), seed);
    crawl.Run(absl::InfiniteFuture());
    EXPECT_EQ(crawl.log().size(), 3000u * 8) << "pages are lost or fetched twice";
    EXPECT_EQ(Violations(crawl.log(), absl::Seconds(1)), 0);
    EXPECT_LE(MostAtOnce(crawl.log()), 400u);
    const auto addresses =
        By(WithoutFirstOfEachHost(crawl.log()), [](const Fetch& f) { return f.address; });
    for (const auto& [address, fetches] : addresses) EXPECT_LE(MostAtOnce(fetches), 5u);
  }
}

// Nothing but the delay stands in the way: each host takes its fetches and the pauses between them.
TEST(CrawlTest, ThroughputIsWhatTheDelaysAllow) {
  const uint64_t pages = 100;
  CrawlModel crawl({.per_address_max = 10'000}, 10'000,
                   Hosts(500, 500, pages, absl::Milliseconds(20)), 3);
  crawl.Run(absl::InfiniteFuture());
  const absl::Duration ideal = pages * absl::Milliseconds(20) + (pages - 1) * absl::Seconds(1);
  EXPECT_LE(crawl.log().back().end - CrawlModel::start(), 1.01 * ideal);
  EXPECT_EQ(crawl.log().size(), 500 * pages);
}

absl::Duration TotalFetching(const std::vector<Fetch>& log) {
  absl::Duration total;
  for (const Fetch& fetch : log) total += fetch.end - fetch.start;
  return total;
}

TEST(CrawlTest, WhenFetchesAreFewTheyAreAllInUse) {
  CrawlModel crawl({}, 10, Hosts(200, 200, 20, absl::Seconds(1)), 4);
  crawl.Run(absl::InfiniteFuture());
  EXPECT_LE(crawl.log().back().end - CrawlModel::start(), 1.01 * TotalFetching(crawl.log()) / 10);
}

TEST(CrawlTest, ACrowdedAddressIsUsedToItsLimit) {
  CrawlModel crawl({.per_address_max = 4}, 1000, Hosts(100, 1, 20, absl::Milliseconds(100)), 5);
  crawl.Run(absl::InfiniteFuture());
  const absl::Duration ideal =
      std::max(TotalFetching(crawl.log()) / 4, 19 * absl::Milliseconds(1060));
  EXPECT_LE(crawl.log().back().end - CrawlModel::start(), 1.1 * ideal);
}

TEST(CrawlTest, ASlowHostSlowsNobodyElse) {
  const std::vector<Site> quick = Hosts(50, 50, 20, absl::Milliseconds(20));
  CrawlModel without({}, 100, quick, 6);
  without.Run(absl::InfiniteFuture());
  std::vector<Site> sites = quick;
  sites.push_back({"slow", "198.51.100.1", 30, absl::Seconds(60), absl::Seconds(60)});
  CrawlModel with({}, 100, sites, 6);
  with.Run(absl::InfiniteFuture());
  absl::Time last_quick;
  for (const Fetch& fetch : with.log()) {
    if (fetch.host != "slow") last_quick = std::max(last_quick, fetch.end);
  }
  EXPECT_LE(last_quick - CrawlModel::start(),
            1.01 * (without.log().back().end - CrawlModel::start()));
}

// The giant has far more pages than the low-water mark, and comes first in every offer.
TEST(CrawlTest, AGiantHostInFrontOfTheWalkDoesNotStarveTheOthers) {
  std::vector<Site> sites = Hosts(40, 40, 10, absl::Milliseconds(20));
  sites[0].pages = 100'000;
  CrawlModel crawl({.ready_low_water = 100, .offers_wanted = 200}, 100, sites, 7);
  crawl.Run(CrawlModel::start() + absl::Seconds(15));
  EXPECT_GE(crawl.log().size(), 39u * 10);
}

}  // namespace
}  // namespace opic::scheduler
