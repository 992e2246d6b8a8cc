// RFC 9309, as far as it is about fetching: the numbers in the names are its sections.
#include "desk/robots_cache.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/memory_store.h"

namespace opic::desk {
namespace {

url::Url UrlOf(const std::string& text) { return *url::Parse(text); }

class RobotsCacheTest : public testing::Test {
 protected:
  void Restart() { cache_ = std::make_unique<RobotsCache>(options_, *store_); }
  void SetUp() override { Restart(); }

  RobotsCache::Verdict Lookup(const std::string& page) {
    const auto verdict = cache_->Lookup(UrlOf(page), now_);
    EXPECT_TRUE(verdict.ok()) << verdict.status();
    return verdict.value_or(RobotsCache::Verdict());
  }
  // What must be fetched before the page; empty when the verdict is known.
  std::string Wanted(const std::string& page) {
    const RobotsCache::Verdict verdict = Lookup(page);
    return verdict.fetch ? std::string(verdict.fetch->text()) : "";
  }
  bool Allowed(const std::string& page) {
    const RobotsCache::Verdict verdict = Lookup(page);
    EXPECT_TRUE(verdict.rules) << "not known: " << page;
    return verdict.rules && verdict.rules->Allows(UrlOf(page).path_and_query());
  }
  // Answers the request that the page waits for.
  RobotsCache::Learned Tell(const std::string& page, fetch::Response response) {
    const auto learned = cache_->Answered(UrlOf(page), UrlOf(Wanted(page)), response, now_);
    EXPECT_TRUE(learned.ok()) << learned.status();
    return learned.value_or(RobotsCache::Learned());
  }
  RobotsCache::Learned TellStatus(const std::string& page, int status, std::string body = "") {
    fetch::Response response;
    response.status = status;
    response.body = std::move(body);
    return Tell(page, std::move(response));
  }
  RobotsCache::Learned TellRedirect(const std::string& page, const std::string& location) {
    fetch::Response response;
    response.status = 301;
    response.location = location;
    return Tell(page, std::move(response));
  }
  RobotsCache::Learned TellError(const std::string& page, fetch::Error error) {
    fetch::Response response;
    response.error = error;
    return Tell(page, std::move(response));
  }

  const std::string page_ = "http://a.test/page";
  RobotsCache::Options options_;
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<RobotsCache> cache_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
};

TEST_F(RobotsCacheTest, RobotsIsAskedForBeforeThePage) {
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

TEST_F(RobotsCacheTest, EachOriginHasItsOwn) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /");
  EXPECT_EQ(Wanted("http://a.test:8080/page"), "http://a.test:8080/robots.txt");
  EXPECT_EQ(Wanted("https://a.test/page"), "https://a.test/robots.txt");
  EXPECT_EQ(Wanted("http://b.test/page"), "http://b.test/robots.txt");
}

TEST_F(RobotsCacheTest, RulesHoldForThePagesOfTheOrigin) {
  const auto learned =
      TellStatus(page_, 200, "User-agent: opic\nDisallow: /private\nCrawl-delay: 2.5\n");
  EXPECT_TRUE(learned.settled);
  EXPECT_EQ(learned.crawl_delay, absl::Seconds(2.5));
  EXPECT_TRUE(Allowed(page_));
  EXPECT_FALSE(Allowed("http://a.test/private/page"));
}

TEST_F(RobotsCacheTest, SitemapsAreResolvedAgainstTheRobots) {
  const auto learned = TellStatus(
      page_, 200, "Sitemap: /map.xml\nSitemap: http://b.test/map.xml\nSitemap: gopher://x/\n");
  ASSERT_EQ(learned.sitemaps.size(), 2u);
  EXPECT_EQ(learned.sitemaps[0].text(), "http://a.test/map.xml");
  EXPECT_EQ(learned.sitemaps[1].text(), "http://b.test/map.xml");
}

std::string Sitemaps(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "Sitemap: /" + std::to_string(i) + "\n";
  return text;
}

// The most that one of 4,092 real files names.
TEST_F(RobotsCacheTest, AllOf1293SitemapsAreTakenAtOnce) {
  const auto learned = TellStatus(page_, 200, Sitemaps(1293));
  EXPECT_EQ(learned.sitemaps.size(), 1293u);
  EXPECT_EQ(learned.sitemaps_left, 0u);
}

// One robots.txt brought 105,000 pages at once.
TEST_F(RobotsCacheTest, OfMoreSitemapsThanMayComeAtOnceEachDayTakesItsPart) {
  const size_t count = RobotsCache::kSitemapsAtOnce + 1;
  const std::string text = Sitemaps(count);
  std::set<std::string> all;
  for (int day = 0; day < 2; ++day) {
    const auto learned = TellStatus(page_, 200, text);
    EXPECT_GE(learned.sitemaps.size(), count / 2);
    EXPECT_LE(learned.sitemaps.size(), count / 2 + 1);
    EXPECT_EQ(learned.sitemaps.size() + learned.sitemaps_left, count);
    for (const url::Url& sitemap : learned.sitemaps) all.insert(std::string(sitemap.text()));
    now_ += absl::Hours(24);
  }
  EXPECT_EQ(all.size(), count);
}

// 2.3.1.2
TEST_F(RobotsCacheTest, ARedirectWithinTheHostIsFollowed) {
  EXPECT_FALSE(TellRedirect(page_, "/elsewhere.txt").settled);
  EXPECT_EQ(Wanted(page_), "http://a.test/elsewhere.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(RobotsCacheTest, ARedirectToAnotherHostTakesOverItsVerdict) {
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/robots.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(Allowed("http://b.test/page"));  // learnt for that host too
}

TEST_F(RobotsCacheTest, AKnownVerdictOfTheOtherHostIsNotAskedForAgain) {
  TellStatus("http://b.test/", 200, "User-agent: *\nDisallow: /page");
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(RobotsCacheTest, ARedirectToAnotherPathOfAnotherHostHoldsHereOnly) {
  TellRedirect(page_, "http://b.test/rules.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/rules.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Wanted("http://b.test/page"), "http://b.test/robots.txt");
}

TEST_F(RobotsCacheTest, FiveRedirectsAreFollowedAndTheSixthMeansNoRules) {
  for (int hop = 1; hop <= 5; ++hop) {
    EXPECT_FALSE(TellRedirect(page_, "/" + std::to_string(hop)).settled) << hop;
  }
  EXPECT_EQ(Wanted(page_), "http://a.test/5");
  EXPECT_TRUE(TellRedirect(page_, "/6").settled);
  EXPECT_TRUE(Allowed(page_));
}

TEST_F(RobotsCacheTest, TwoHostsThatPointAtEachOtherEnd) {
  int requests = 0;
  while (!Wanted(page_).empty() && requests < 100) {
    ++requests;
    const bool at_a = Wanted(page_) == "http://a.test/robots.txt";
    TellRedirect(page_, at_a ? "http://b.test/robots.txt" : "http://a.test/robots.txt");
  }
  EXPECT_LE(requests, 12);
}

// As of a domain that leads to its "www." and from there to https: pages of it were postponed for
// ever, and the last of the three was asked again and again.
TEST_F(RobotsCacheTest, RedirectsAreFollowedFromOriginToOrigin) {
  const std::vector<std::string> trail = {"http://a.test", "http://b.test", "https://b.test",
                                          "https://b.test:8443", "https://c.test"};
  for (size_t i = 0; i + 1 < trail.size(); ++i) {
    EXPECT_EQ(Wanted(page_), trail[i] + "/robots.txt");
    TellRedirect(page_, trail[i + 1] + "/robots.txt");
  }
  EXPECT_EQ(Wanted(page_), "https://c.test/robots.txt");
  EXPECT_EQ(Wanted("https://b.test/"), "https://c.test/robots.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  for (const std::string& origin : trail) {
    EXPECT_FALSE(Allowed(origin + "/page")) << origin;
    EXPECT_TRUE(Allowed(origin + "/other")) << origin;
  }
}

TEST_F(RobotsCacheTest, AnOriginThatIsPassedMayLeadToAnotherPath) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "/rules.txt");
  EXPECT_EQ(Wanted(page_), "http://b.test/rules.txt");
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(Allowed("http://b.test/page"));
}

TEST_F(RobotsCacheTest, NobodyAtTheLastOriginHoldsForAllOnTheWay) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "https://b.test/robots.txt");
  for (int i = 0; i < 3; ++i) TellError(page_, fetch::Error::kTimeout);
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Lookup(page_).unreachable, Failure::kTimeout);
  EXPECT_FALSE(Allowed("http://b.test/"));
}

TEST_F(RobotsCacheTest, AHostThatIsGivenUpOnTheWayHoldsForThoseBefore) {
  TellRedirect(page_, "http://b.test/robots.txt");
  TellRedirect(page_, "https://c.test/robots.txt");
  ASSERT_TRUE(cache_->GivenUp(UrlOf(page_), UrlOf(Wanted(page_)), now_).ok());
  EXPECT_FALSE(Allowed(page_));
  EXPECT_EQ(Lookup("https://c.test/").unreachable, Failure::kGivenUp);
}

TEST_F(RobotsCacheTest, ASixthOriginIsAskedAndNoSeventh) {
  for (int i = 1; i <= 5; ++i)
    TellRedirect(page_, "http://host" + std::to_string(i) + ".test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://host5.test/robots.txt");
  TellRedirect(page_, "http://host6.test/robots.txt");
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Wanted("http://host6.test/"), "http://host6.test/robots.txt");
  // Those on the way are nearer to it: nobody who leads to them takes their rules away.
  for (int i = 1; i <= 5; ++i) {
    const std::string page = "http://host" + std::to_string(i) + ".test/";
    EXPECT_EQ(Wanted(page), "http://host6.test/robots.txt") << page;
  }
}

TEST_F(RobotsCacheTest, AVerdictIsTakenOverForAsLongAsItHoldsThere) {
  TellStatus("http://b.test/", 200, "User-agent: *\nDisallow: /page");
  now_ += absl::Hours(23);
  TellRedirect(page_, "http://b.test/robots.txt");
  EXPECT_FALSE(Allowed(page_));
  now_ += absl::Minutes(61);
  EXPECT_EQ(Wanted("http://b.test/"), "http://b.test/robots.txt");
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

TEST_F(RobotsCacheTest, ARedirectThatLeadsNowhereMeansNoRules) {
  EXPECT_TRUE(TellRedirect(page_, "").settled);
  EXPECT_TRUE(TellRedirect("http://b.test/", "gopher://x/").settled);
  EXPECT_TRUE(Allowed(page_));
}

// 2.3.1.3
TEST_F(RobotsCacheTest, A4xxMeansNoRules) {
  for (const int status : {400, 401, 403, 404, 410, 451}) {
    const std::string page = "http://host" + std::to_string(status) + ".test/";
    EXPECT_TRUE(TellStatus(page, status, "User-agent: *\nDisallow: /").settled) << status;
    EXPECT_TRUE(Allowed(page)) << status;
  }
}

// The server is there, and its rules are not known: it asks to come back for them.
TEST_F(RobotsCacheTest, WhoAsksToComeBackLaterIsNotTakenToHaveNoRules) {
  for (const int status : {408, 425, 429}) {
    const std::string page = "http://host" + std::to_string(status) + ".test/";
    EXPECT_FALSE(TellStatus(page, status).settled) << status;
    EXPECT_FALSE(TellStatus(page, status).settled) << status;
    EXPECT_TRUE(TellStatus(page, status).settled) << status;
    EXPECT_FALSE(Allowed(page)) << status;
    EXPECT_EQ(Lookup(page).unreachable, Failure::kServer) << status;
  }
}

// 2.3.1.4
TEST_F(RobotsCacheTest, ServerErrorsDisallowAllAfterThreeAttempts) {
  EXPECT_FALSE(TellStatus(page_, 503).settled);
  EXPECT_FALSE(TellStatus(page_, 500).settled);
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
  EXPECT_TRUE(TellStatus(page_, 503).settled);
  EXPECT_FALSE(Allowed(page_));
  EXPECT_NE(Lookup(page_).unreachable, Failure::kNone);
}

TEST_F(RobotsCacheTest, NoAnswerDisallowsAllAfterThreeAttempts) {
  EXPECT_FALSE(TellError(page_, fetch::Error::kTimeout).settled);
  EXPECT_FALSE(TellError(page_, fetch::Error::kResolve).settled);
  EXPECT_TRUE(TellError(page_, fetch::Error::kConnect).settled);
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(RobotsCacheTest, UnreachableIsAskedAgainAfterAnHour) {
  for (int i = 0; i < 3; ++i) TellError(page_, fetch::Error::kTimeout);
  now_ += absl::Minutes(59);
  EXPECT_FALSE(Allowed(page_));
  now_ += absl::Minutes(2);
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

// The advice to give --allow-private was of no use for an hour.
// The network is repaired, and somebody starts the crawl again.
TEST_F(RobotsCacheTest, WhoWasSilentIsAskedAgainWhenSomebodyWantsIt) {
  const std::string busy = "http://busy.test/page", known = "http://known.test/page";
  TellStatus(known, 200, "User-agent: *\nDisallow: /page");
  for (int i = 0; i < 3; ++i) {
    TellError(page_, fetch::Error::kConnect);
    TellStatus(busy, 503);
  }
  now_ += absl::Minutes(10);
  Restart();
  EXPECT_FALSE(Allowed(page_));
  cache_->AskSilentAgain(now_);
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
  EXPECT_FALSE(Allowed(busy)) << "it was not silent";
  EXPECT_FALSE(Allowed(known));
  now_ += absl::Seconds(1);
  for (int i = 0; i < 3; ++i) TellError(page_, fetch::Error::kConnect);
  EXPECT_FALSE(Allowed(page_)) << "it is silent still";
}

TEST_F(RobotsCacheTest, ARefusedAddressIsForgottenAtTheNextStart) {
  EXPECT_TRUE(TellError(page_, fetch::Error::kRefusedAddress).settled);
  EXPECT_FALSE(Allowed(page_));
  Restart();
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

// 2.4
TEST_F(RobotsCacheTest, AVerdictIsKeptForADay) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  now_ += absl::Hours(23);
  EXPECT_FALSE(Allowed(page_));
  now_ += absl::Hours(2);
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

TEST_F(RobotsCacheTest, AVerdictOutlivesTheProcessButNotTheDay) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /page");
  Restart();
  EXPECT_FALSE(Allowed(page_));
  now_ += absl::Hours(25);
  Restart();
  EXPECT_EQ(Wanted(page_), "http://a.test/robots.txt");
}

// 2.5
TEST_F(RobotsCacheTest, WhatCameBeforeTheSizeLimitCounts) {
  fetch::Response response;
  response.error = fetch::Error::kBodyTooLarge;
  response.status = 200;
  response.body = "User-agent: *\nDisallow: /page\nDisa";
  EXPECT_TRUE(Tell(page_, std::move(response)).settled);
  EXPECT_FALSE(Allowed(page_));
}

// More origins than are remembered: the store still has them.
TEST_F(RobotsCacheTest, ForgottenOriginsComeBackFromTheStore) {
  options_.remembered_max = 3;
  Restart();
  for (int i = 0; i < 20; ++i) {
    TellStatus("http://h" + std::to_string(i) + ".test/", 200, "User-agent: *\nDisallow: /page");
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(Allowed("http://h" + std::to_string(i) + ".test/page"));
  }
}

TEST_F(RobotsCacheTest, RulesInMemoryAreBoundedInBytes) {
  options_.remembered_bytes_max = 100'000;
  Restart();
  std::string rules = "User-agent: *\n";
  for (int i = 0; i < 500; ++i) rules += "Disallow: /page" + std::to_string(i) + "\n";
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 20; ++i) {
      const std::string origin = "http://h" + std::to_string(i) + ".test/";
      if (round == 0) TellStatus(origin, 200, rules);
      EXPECT_FALSE(Allowed(origin + "page7"));
      EXPECT_GT(cache_->remembered_bytes(), 10'000u);
      EXPECT_LT(cache_->remembered_bytes(), 200'000u);
    }
  }
}

// With whole-URL sharding the verdicts travel with the host.
class SharedRobotsTest : public RobotsCacheTest {
 protected:
  std::string Rows(const std::string& host = "a.test") {
    const absl::StatusOr<std::string> rows = cache_->RowsOf(host, now_);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.value_or("");
  }
  // From now on it is another node's cache.
  void GoToOtherNode() {
    other_ = std::move(store_);
    store_ = NewMemoryStore();
    Restart();
  }
  void Absorb(const std::string& rows, const std::string& host = "a.test") {
    EXPECT_TRUE(cache_->Absorb(host, rows, now_).ok());
  }

  std::unique_ptr<store::Store> other_;
};

TEST_F(SharedRobotsTest, EveryOriginOfTheHostIsReported) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /private");
  TellStatus("https://a.test:8443/page", 404);
  const std::string rows = Rows();
  GoToOtherNode();
  Absorb(rows);
  EXPECT_FALSE(Allowed("http://a.test/private"));
  EXPECT_TRUE(Allowed("https://a.test:8443/private"));
  EXPECT_NE(Wanted("https://a.test/page"), "");
}

TEST_F(SharedRobotsTest, HostsWhoseNamesBeginAlikeAreNotReported) {
  TellStatus("http://a.test.example/page", 404);
  TellStatus("http://a.testing/page", 404);
  EXPECT_EQ(Rows(), "");
}

TEST_F(SharedRobotsTest, WhatHasExpiredIsNotReported) {
  TellStatus(page_, 404);
  now_ += options_.lifetime + absl::Seconds(1);
  EXPECT_EQ(Rows(), "");
}

TEST_F(SharedRobotsTest, TheNewerVerdictHolds) {
  TellStatus(page_, 404);
  const std::string older = Rows();
  GoToOtherNode();
  now_ += absl::Hours(1);
  TellStatus(page_, 200, "User-agent: *\nDisallow: /");
  Absorb(older);
  EXPECT_FALSE(Allowed(page_));
  const std::string newer = Rows();
  GoToOtherNode();
  Absorb(older);
  Absorb(newer);
  EXPECT_FALSE(Allowed(page_));
}

TEST_F(SharedRobotsTest, AVerdictOnAnotherHostIsPassedOver) {
  TellStatus(page_, 404);
  const std::string rows = Rows();
  GoToOtherNode();
  Absorb(rows, "b.test");
  EXPECT_NE(Wanted(page_), "");
}

// Each node counted its own, while the host's back-off doubled with the failures of all: a dead
// host kept a cluster waiting for minutes.
TEST_F(SharedRobotsTest, FailedRequestsOfAllNodesCount) {
  TellError(page_, fetch::Error::kConnect);
  TellError("http://a.test:8080/", fetch::Error::kConnect);
  TellError("http://a.testing/", fetch::Error::kConnect);
  const std::string first = Rows();
  EXPECT_EQ(first.find("a.testing"), std::string::npos);
  GoToOtherNode();
  Absorb(first);
  EXPECT_NE(Wanted(page_), "");
  TellError(page_, fetch::Error::kConnect);
  const std::string second = Rows();
  GoToOtherNode();
  Absorb(first);
  Absorb(second);
  Absorb(first);
  EXPECT_NE(Wanted(page_), "");
  EXPECT_TRUE(TellError(page_, fetch::Error::kConnect).settled);
  EXPECT_FALSE(Allowed(page_));
  EXPECT_FALSE(TellError("http://a.test:8080/", fetch::Error::kConnect).settled);
  EXPECT_TRUE(TellError("http://a.test:8080/", fetch::Error::kConnect).settled);
}

TEST_F(SharedRobotsTest, AVerdictEndsTheCountOfFailedRequests) {
  TellError(page_, fetch::Error::kConnect);
  const std::string failed = Rows();
  TellStatus(page_, 404);
  const std::string verdict = Rows();
  Absorb(failed);
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Rows(), verdict);
  GoToOtherNode();
  Absorb(failed);
  Absorb(verdict);
  EXPECT_TRUE(Allowed(page_));
  EXPECT_EQ(Rows(), verdict);
}

// However many a peer says: one request at least is this node's own.
TEST_F(SharedRobotsTest, AFailedRequestIsSeenHereBeforeAHostIsUnreachable) {
  for (int i = 0; i < options_.attempts_max - 1; ++i) TellError(page_, fetch::Error::kConnect);
  const std::string most = Rows();
  GoToOtherNode();
  Absorb(most);
  Absorb(most);
  EXPECT_NE(Wanted(page_), "");
  TellStatus(page_, 404);
  EXPECT_TRUE(Allowed(page_));
}

// A peer filled the memory with origins that it said had failed.
TEST_F(SharedRobotsTest, FailedRequestsOfAnyNumberOfOriginsAreBounded) {
  options_.remembered_max = 10;
  Restart();
  std::vector<std::string> told;
  for (int i = 0; i < 50; ++i) {
    const std::string host = "h" + std::to_string(i) + ".test";
    TellError("http://" + host + "/", fetch::Error::kConnect);
    EXPECT_LE(cache_->failing(), 10u);
    EXPECT_LE(cache_->remembered(), 11u);
    told.push_back(Rows(host));
    EXPECT_NE(told.back(), "") << "the latest is counted";
  }
  GoToOtherNode();
  for (int i = 0; i < 50; ++i) Absorb(told[i], "h" + std::to_string(i) + ".test");
  EXPECT_EQ(cache_->failing(), 10u);
  EXPECT_EQ(cache_->remembered(), 0u) << "nobody here has asked for one";
  EXPECT_EQ(Rows("h3.test"), told[3]) << "those that came first are kept";
  EXPECT_EQ(Rows("h30.test"), "");
}

// Lookups alone, of origins whose answers never come.
TEST_F(RobotsCacheTest, OriginsThatAreBeingFoundOutAreBounded) {
  options_.remembered_max = 10;
  Restart();
  for (int i = 0; i < 50; ++i) {
    const std::string page = "http://h" + std::to_string(i) + ".test/page";
    EXPECT_NE(Wanted(page), "");
    EXPECT_LE(cache_->remembered(), 10u);
  }
  TellRedirect(page_, "/elsewhere");
  EXPECT_EQ(Wanted(page_), "http://a.test/elsewhere");
}

// Cut anywhere, or with any byte changed: nothing is made of it that would stop a lookup.
TEST_F(SharedRobotsTest, DamagedRowsAreHarmless) {
  TellStatus(page_, 200, "User-agent: *\nDisallow: /private");
  TellError("http://a.test:8080/", fetch::Error::kConnect);
  const std::string rows = Rows();
  GoToOtherNode();
  for (size_t at = 0; at < rows.size(); ++at) {
    Absorb(rows.substr(0, at));
    std::string changed = rows;
    changed[at] ^= 0x55;
    Absorb(changed);
  }
  Absorb(rows);
  EXPECT_TRUE(cache_->Lookup(UrlOf(page_), now_).ok());
}

TEST_F(RobotsCacheTest, ADamagedRowIsReportedAndNotUsed) {
  store::Batch batch;
  batch.Put(store::Table::kRobots, "http://a.test", "\x05");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  EXPECT_TRUE(absl::IsDataLoss(cache_->Lookup(UrlOf(page_), now_).status()));
}

}  // namespace
}  // namespace opic::desk
