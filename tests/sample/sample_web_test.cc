#include "sample/sample_web.h"

#include <algorithm>
#include <thread>

#include "gmock/gmock.h"
#include "graph/pagerank.h"
#include "gtest/gtest.h"
#include "tests/sample/http_client.h"
#include "tests/sample/naive_crawl.h"

namespace opic::sample {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

constexpr Options kSmall = {.pages = 400, .hosts = 8, .forbidden_share = 0.05};

std::unique_ptr<SampleWeb> Started(const Options& options) {
  absl::StatusOr<std::unique_ptr<SampleWeb>> web = SampleWeb::Start(options);
  EXPECT_TRUE(web.ok()) << web.status();
  return *std::move(web);
}

// The same ranking by way of what a crawler read.
std::map<std::string, double> RanksOf(const Crawled& crawled) {
  std::map<std::string, uint32_t> numbers;
  for (const auto& [url, links] : crawled.links) numbers.emplace(url, numbers.size());
  std::vector<graph::Edge> edges;
  for (const auto& [url, links] : crawled.links) {
    for (const std::string& link : links) edges.push_back({numbers.at(url), numbers.at(link)});
  }
  const std::vector<double> importance = graph::PageRank(
      graph::Graph::FromEdges(static_cast<uint32_t>(numbers.size()), std::move(edges)));
  std::map<std::string, double> ranks;
  for (const auto& [url, number] : numbers) ranks[url] = importance[number];
  return ranks;
}

TEST(SampleWeb, ACrawlFetchesExactlyWhatIsReachable) {
  const auto web = Started(kSmall);
  const Crawled crawled = NaiveCrawl(web->seed_url(), web->port());
  EXPECT_THAT(web->reachable(), ElementsAreArray(crawled.fetched));
  EXPECT_THAT(crawled.links, SizeIs(400));
  EXPECT_THAT(crawled.fetched, SizeIs(380));
}

TEST(SampleWeb, ACrawlFindsTheLinksThatTheExactRanksComeFrom) {
  const auto web = Started(kSmall);
  const std::map<std::string, double> ranks = RanksOf(NaiveCrawl(web->seed_url(), web->port()));
  ASSERT_THAT(web->exact_ranks(), SizeIs(ranks.size()));
  for (const RankedPage& page : web->exact_ranks()) {
    EXPECT_NEAR(ranks.at(page.url), page.importance, 1e-10) << page.url;
  }
}

TEST(SampleWeb, ExactRanksSumToOneBestFirst) {
  const auto web = Started({});
  double sum = 0, last = 1;
  for (const RankedPage& page : web->exact_ranks()) {
    EXPECT_LE(page.importance, last);
    last = page.importance;
    sum += page.importance;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(SampleWeb, ServesTheSameBytesForTheSameSeedOnly) {
  const auto web = Started(kSmall), again = Started(kSmall);
  Options options = kSmall;
  options.seed = 2;
  const auto other = Started(options);
  const auto front = [](const SampleWeb& from) {
    return HttpClient(from.port()).Get("site05.sample.test", "/").body;
  };
  EXPECT_EQ(front(*web), front(*again));
  EXPECT_NE(front(*web), front(*other));
  for (const std::string& url : web->reachable()) {
    const std::string host = url.substr(7, url.find('/', 7) - 7);
    const std::string target = url.substr(7 + host.size());
    ASSERT_EQ(HttpClient(web->port()).Get(host, target).body,
              HttpClient(again->port()).Get(host, target).body);
  }
}

TEST(SampleWeb, AnswersManyRequestsOnOneConnection) {
  const auto web = Started(kSmall);
  HttpClient client(web->port());
  const Response page = client.Get("site00.sample.test", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(client.Send("HEAD", "site00.sample.test", "/").headers, page.headers);
  EXPECT_EQ(
      client.Get("site00.sample.test", "/", "If-None-Match: " + page.headers.at("etag") + "\r\n")
          .status,
      304);
  EXPECT_EQ(client.Get("site00.sample.test", "/no/such?page").status, 404);
  EXPECT_EQ(client.Get("site00.sample.test", "/").body, page.body);
}

TEST(SampleWeb, RecordsEachRequestServed) {
  const auto web = Started(kSmall);
  HttpClient client(web->port());
  client.Get("Site00.sample.test:80", "/no/such?page");
  client.Get("site01.sample.test", "/");
  client.Get("site01.sample.test", "/");  // when it begins, the hit before is written
  const std::vector<Hit> hits = web->hits();
  ASSERT_GE(hits.size(), 2u);
  EXPECT_EQ(hits[0].host, "site00.sample.test");
  EXPECT_EQ(hits[0].target, "/no/such?page");
  EXPECT_EQ(hits[0].status, 404);
  EXPECT_EQ(hits[1].status, 200);
  EXPECT_LE(hits[0].start_us, hits[0].end_us);
  EXPECT_LE(hits[0].end_us, hits[1].start_us);
}

TEST(SampleWeb, ServesManyClientsAtOnce) {
  const auto web = Started(kSmall);
  const std::string expected = HttpClient(web->port()).Get("site01.sample.test", "/").body;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      HttpClient client(web->port());
      for (int j = 0; j < 50; ++j) {
        ASSERT_EQ(client.Get("site01.sample.test", "/").body, expected);
        ASSERT_FALSE(web->hits().empty());
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GE(web->hits().size(), 1u + 8 * 49);
}

TEST(SampleWeb, SurvivesWhatIsNotHttp) {
  const auto web = Started(kSmall);
  HttpClient(web->port()).Send("\x01\xff GET", "", "nothing at all", "\r\n\r\n");
  HttpClient(web->port()).Get("site00.sample.test", "/" + std::string(100'000, 'x'));
  HttpClient(web->port()).Send("POST", "site00.sample.test", "/", "Content-Length: 5\r\n\r\nhello");
  { HttpClient gone(web->port()); }
  EXPECT_EQ(HttpClient(web->port()).Get("site00.sample.test", "/").status, 200);
}

constexpr Changes kAll = {.change_rate = 0.5, .appear_rate = 0.05, .vanish_rate = 0.05};

// The crawler is another program: what it reads is the truth of that moment.
TEST(SampleWeb, ACrawlOfAChangedWebFindsWhatItSaysOfItself) {
  base::ManualClock clock(absl::FromUnixSeconds(1'800'000'000));
  Options options = kSmall;
  options.changes = kAll;
  const auto web = *SampleWeb::Start(options, clock);
  const std::vector<RankedPage> before = web->exact_ranks();
  clock.Advance(absl::Hours(48));
  const Crawled crawled = NaiveCrawl(web->seed_url(), web->port());
  EXPECT_THAT(web->reachable(), ElementsAreArray(crawled.fetched));
  const std::map<std::string, double> ranks = RanksOf(crawled);
  const std::vector<RankedPage> after = web->exact_ranks();
  ASSERT_THAT(after, SizeIs(ranks.size()));
  for (const RankedPage& page : after) EXPECT_NEAR(ranks.at(page.url), page.importance, 1e-10);
  EXPECT_GT(after.size(), before.size() + 20);
}

TEST(SampleWeb, GoesOnWithItsHistoryWhereItsStartIsGivenAtAnySpeed) {
  base::ManualClock clock(absl::FromUnixSeconds(1'800'000'000));
  Options options = kSmall;
  options.changes = kAll;
  options.changes.time_factor = 24;
  const auto web = *SampleWeb::Start(options, clock);
  clock.Advance(absl::Hours(2));
  options.changes.start = web->start();
  const auto restarted = *SampleWeb::Start(options, clock);
  options.changes.time_factor = 1;
  clock.Advance(absl::Hours(46));
  const auto slow = *SampleWeb::Start(options, clock);
  clock.Advance(absl::Hours(-46));
  const auto urls = [](const SampleWeb& of) { return of.reachable(); };
  EXPECT_EQ(urls(*web), urls(*restarted));
  const std::vector<std::string> fast = urls(*web);
  clock.Advance(absl::Hours(46));
  EXPECT_EQ(urls(*slow), fast);
  EXPECT_NE(urls(*web), fast);
}

TEST(SampleWeb, TellsHowToReachIt) {
  const auto web = Started(kSmall);
  EXPECT_EQ(web->seed_url(), "http://site00.sample.test/");
  EXPECT_EQ(web->connect_to(), "::127.0.0.1:" + std::to_string(web->port()));
}

TEST(SampleWeb, RefusesAnAddressThatIsNoneOrTaken) {
  EXPECT_EQ(SampleWeb::Start({.address = "localhost"}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const auto web = Started(kSmall);
  EXPECT_EQ(SampleWeb::Start({.port = web->port()}).status().code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace opic::sample
