// RFC 9309, as far as it is about fetching: the numbers in the names are its sections.
#include <set>

#include "tests/desk/robots_cache_fixture.h"

namespace opic::desk {
namespace {

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

TEST_F(RobotsCacheTest, ARobotsTxtThatIsReadTellsWhetherThereIsACrawlDelay) {
  options_.attempts_max = 1;
  Restart();
  EXPECT_EQ(TellStatus(page_, 200, "User-agent: *\nDisallow: /x\n").crawl_delay,
            absl::ZeroDuration());
  EXPECT_EQ(TellStatus("http://b.test/", 404).crawl_delay, absl::ZeroDuration());
  EXPECT_EQ(TellStatus("http://c.test/", 503).crawl_delay, std::nullopt) << "nothing was read";
  EXPECT_EQ(TellRedirect("http://d.test/", "http://d.test/other").crawl_delay, std::nullopt);
}

TEST_F(RobotsCacheTest, NoPortTakesBackWhatAnotherPortOfTheHostAsksFor) {
  TellStatus("https://a.test/", 200, "User-agent: *\nCrawl-delay: 10\n");
  EXPECT_EQ(TellStatus("http://a.test/", 404).crawl_delay, absl::Seconds(10));
  EXPECT_EQ(TellStatus("http://a.test:81/", 200, "User-agent: *\nCrawl-delay: 3\n").crawl_delay,
            absl::Seconds(10));
  EXPECT_EQ(TellStatus("http://a.test.uk/", 404).crawl_delay, absl::ZeroDuration());
  now_ += options_.lifetime;
  EXPECT_EQ(TellStatus("http://a.test:81/", 200, "User-agent: *\nCrawl-delay: 3\n").crawl_delay,
            absl::Seconds(3));
}

// Names sort between a host and its ports: '0' and '-' come before ':'.
TEST_F(RobotsCacheTest, OtherHostsDoNotStandBeforeThePortsOfOne) {
  TellStatus("http://10.0.0.1:8080/", 200, "User-agent: *\nCrawl-delay: 10\n");
  for (int i = 0; i < 100; ++i) TellStatus("http://10.0.0." + std::to_string(100 + i) + "/", 404);
  EXPECT_EQ(TellStatus("http://10.0.0.1/", 404).crawl_delay, absl::Seconds(10));
}

// Who may have any number of ports: of more than are looked at none takes back a delay.
TEST_F(RobotsCacheTest, OfAHostWithManyPortsAFewAreLookedAt) {
  const auto port = [](int n) { return "http://a.test:" + std::to_string(10'000 + n) + "/"; };
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(TellStatus(port(i), 404).crawl_delay, absl::ZeroDuration()) << i;
  EXPECT_EQ(TellStatus(port(64), 404).crawl_delay, std::nullopt);
  // Not those of the other scheme, however many this one has.
  TellStatus("https://a.test/", 200, "User-agent: *\nCrawl-delay: 2\n");
  EXPECT_EQ(TellStatus(port(66), 404).crawl_delay, absl::Seconds(2));
  EXPECT_EQ(TellStatus(port(65), 200, "User-agent: *\nCrawl-delay: 3\n").crawl_delay,
            absl::Seconds(3));
}

TEST_F(RobotsCacheTest, OfAHostWithLargeRobotsAtItsPortsAFewAreLookedAt) {
  std::string rules = "User-agent: *\n";
  while (rules.size() < 400'000) rules += "Disallow: /" + std::to_string(rules.size()) + "\n";
  int n = 0;
  const auto tell = [&] {
    return TellStatus("http://a.test:" + std::to_string(10'000 + n++) + "/", 200, rules);
  };
  while (n < 40 && tell().crawl_delay) continue;
  EXPECT_GT(n, 5);
  EXPECT_LT(n, 30) << "4 MiB were looked at for each answer, and not more";
}

TEST_F(RobotsCacheTest, WhatIsReadElsewhereTakesNoDelayBackThere) {
  TellStatus("http://b.test/", 200, "User-agent: *\nCrawl-delay: 10\n");
  TellRedirect("http://a.test/", "http://b.test/x.txt");
  EXPECT_EQ(TellStatus("http://a.test/", 200, "").crawl_delay, std::nullopt);
}

// A machine that begins with a clock a year ahead.
TEST_F(RobotsCacheTest, AVerdictByAClockThatWasAheadIsOver) {
  now_ += absl::Hours(24 * 365);
  TellStatus(page_, 200, "User-agent: *\nDisallow: /\n");
  EXPECT_FALSE(Allowed(page_));
  now_ -= absl::Hours(24 * 365);
  EXPECT_NE(Wanted(page_), "");
  Restart();
  EXPECT_NE(Wanted(page_), "") << "from the store";
  TellStatus(page_, 200, "");
  now_ -= absl::Seconds(20);
  EXPECT_TRUE(Allowed(page_)) << "a small step";
}

TEST_F(RobotsCacheTest, SitemapsAreResolvedAgainstTheRobots) {
  const auto learned = TellStatus(
      page_, 200, "Sitemap: /map.xml\nSitemap: http://b.test/map.xml\nSitemap: gopher://x/\n");
  ASSERT_EQ(learned.sitemaps.size(), 2u);
  EXPECT_EQ(learned.sitemaps[0].text(), "http://a.test/map.xml");
  EXPECT_EQ(learned.sitemaps[1].text(), "http://b.test/map.xml");
}

// Their server has no URL with U+FFFD in it.
TEST_F(RobotsCacheTest, UrlsThatAreNotUtf8KeepTheirBytes) {
  TellRedirect(page_, "/r\xE9gles.txt");
  EXPECT_EQ(Wanted(page_), "http://a.test/r%E9gles.txt");
  const auto learned = TellStatus(page_, 200, "Sitemap: /caf\xE9.xml\nSitemap: /caf\xC3\xA9.xml\n");
  ASSERT_EQ(learned.sitemaps.size(), 2u);
  EXPECT_EQ(learned.sitemaps[0].text(), "http://a.test/caf%E9.xml");
  EXPECT_EQ(learned.sitemaps[1].text(), "http://a.test/caf%C3%A9.xml");
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

TEST_F(RobotsCacheTest, ADamagedRowIsReportedAndNotUsed) {
  store::Batch batch;
  batch.Put(store::Table::kRobots, "http://a.test", "\x05");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  EXPECT_TRUE(absl::IsDataLoss(cache_->Lookup(UrlOf(page_), now_).status()));
}

}  // namespace
}  // namespace opic::desk
