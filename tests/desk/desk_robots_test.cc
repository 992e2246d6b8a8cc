// robots.txt before a page: in a slot of its host, and in one of the other host when it lies there.
#include <nlohmann/json.hpp>

#include "absl/synchronization/notification.h"
#include "base/file.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

class DeskRobotsTest : public OrderDeskTest {
 protected:
  // The last line of the fetch log.
  nlohmann::json Logged() const {
    const std::string log = base::ReadFile(log_).value();
    const size_t begin = log.rfind('\n', log.size() - 2) + 1;
    return nlohmann::json::parse(log.substr(begin), nullptr, false);
  }
};

TEST_F(DeskRobotsTest, RobotsIsReadFirstInASlotOfItsHost) {
  ServeRobots("User-agent: *\nCrawl-delay: 3\nSitemap: /map.xml\n");
  Serve("/page", support::Ok("text"));
  const schedule::Order order = OrderOf(kPage);
  const schedule::Outcome first = OutcomeOf(order);
  EXPECT_EQ(first.result, Result::kPostponed);
  EXPECT_TRUE(first.requested);
  EXPECT_EQ(first.host, "a.test");
  EXPECT_EQ(first.crawl_delay, absl::Seconds(3));
  const Report sitemaps = heard_.TakeReport();
  EXPECT_FALSE(sitemaps.visit);
  ASSERT_EQ(sitemaps.discovered.size(), 1u);
  EXPECT_EQ(sitemaps.discovered[0].url, "http://a.test/map.xml");
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
  EXPECT_EQ(server_.requests().size(), 2u);
}

// Hosts that may be asked for several pages at a time have several orders.
TEST_F(DeskRobotsTest, ARobotsTxtIsAskedForOnce) {
  Serve("/robots.txt", HttpReply{.then = HttpReply::Then::kSilence});
  const schedule::Order first = OrderOf(kPage), second = OrderOf("http://a.test/second");
  desk().Take({first});
  ASSERT_TRUE(server_.AwaitRequests(1));
  const schedule::Outcome beside = OutcomeOf(second);
  EXPECT_EQ(beside.result, Result::kPostponed);
  EXPECT_FALSE(beside.requested);
  desk().EndRequests();
  EXPECT_EQ(heard_.TakeOutcome().page, first.page);
  ServeRobots("User-agent: *\nDisallow: /second");
  EXPECT_TRUE(OutcomeOf(second).requested) << "nobody asks for it any more";
  EXPECT_EQ(VisitOf(second).kind, VisitKind::kForbidden);
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(DeskRobotsTest, WhatRobotsForbidsIsNotRequested) {
  KnowRobots("User-agent: *\nDisallow: /page");
  const schedule::Order order = OrderOf(kPage);
  const schedule::Outcome outcome = OutcomeOf(order);
  EXPECT_EQ(outcome.result, Result::kDone);
  EXPECT_FALSE(outcome.requested);
  const ledger::Visit visit = TakeVisit(order);
  EXPECT_EQ(visit.kind, VisitKind::kForbidden);
  EXPECT_EQ(visit.at, 0);
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(DeskRobotsTest, UnreachableRobotsFailThePageAfterThreeAttempts) {
  Serve("/robots.txt", Answer("503 Oops", "", ""));
  const schedule::Order order = OrderOf(kPage);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const schedule::Outcome outcome = OutcomeOf(order);
    // The page does not wait any more for what is known.
    EXPECT_EQ(outcome.result, attempt < 2 ? Result::kPostponed : Result::kDone);
    EXPECT_EQ(outcome.status, 503);
    EXPECT_TRUE(outcome.of_robots);
  }
  const ledger::Visit visit = TakeVisit(order);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kServer, /*of_robots=*/true}));
  EXPECT_EQ(server_.requests().size(), 3u);
  EXPECT_EQ(desk().counters()[Counter::kForbidden], 0u);
  EXPECT_EQ(desk().counters()[Counter::kFailedServer], 1u);
  const nlohmann::json line = Logged();
  EXPECT_EQ(line["url"], kPage);
  EXPECT_EQ(line["outcome"], "failed");
  EXPECT_EQ(line["requested"], false);
  EXPECT_EQ(line["shard"], order.page.shard().value);
  EXPECT_EQ(line["detail"], Describe(PageFailure{Failure::kServer, /*of_robots=*/true}));
}

// The address is the crawl's own decision: it is not the same request again that changes it.
TEST_F(DeskRobotsTest, ARefusedAddressIsNotTriedAgain) {
  options_.fetch.allow_private = false;
  const schedule::Order order = OrderOf(kPage);
  const schedule::Outcome robots = OutcomeOf(order);
  EXPECT_EQ(robots.result, Result::kDone);
  EXPECT_FALSE(robots.network_failure) << "it says nothing of the host";
  const ledger::Visit visit = TakeVisit(order);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kAddress, /*of_robots=*/true}));
  EXPECT_EQ(desk().counters()[Counter::kFailedAddress], 1u);
}

// What is cut off may forbid anything; the line across the limit said "allow: /page".
TEST_F(DeskRobotsTest, OfARobotsTxtAboveTheLimitWhatItDoesNotAllowIsForbidden) {
  std::string text = "User-agent: *\nAllow: /open\n#";
  text.resize(robots::kRobotsBytesMax - 12, 'x');
  ServeRobots(text + "\nallow: /page-of-another-name\n");
  Serve("/open", support::Ok("text"));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kForbidden);
  EXPECT_EQ(VisitOf(OrderOf("http://a.test/open")).kind, VisitKind::kFetched);
}

// A robots.txt that lies on another host is fetched in a slot of that host.
TEST_F(DeskRobotsTest, RobotsElsewhereIsFetchedInASlotOfThatHost) {
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/rules\r\n", ""));
  Serve("/rules", support::Ok("User-agent: *\nDisallow: /page"));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);  // the redirect
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);  // waits for the other host
  const schedule::Offers offered = heard_.TakeOffers();
  ASSERT_EQ(offered.offers.size(), 1u);
  EXPECT_EQ(offered.offers[0].host, "b.test");
  const schedule::Outcome cross_host = OutcomeOf({offered.offers[0].page});
  EXPECT_EQ(cross_host.result, Result::kDone);
  EXPECT_EQ(cross_host.host, "b.test");
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kForbidden);
}

// Where a cluster has all shards that there can be, the last one has pages as well.
TEST_F(DeskRobotsTest, APageOfTheShardOfRedirectsIsAPage) {
  hash_ = url::UrlHash(url::ShardBy::kHost, 65'536);
  std::string url;
  for (int host = 0; url.empty() || Id(url).shard() != ShardId{0xffff}; ++host)
    url = "http://host" + std::to_string(host) + ".test/page";
  ServeRobots("");
  Serve("/page", support::Ok("text"));
  const schedule::Order order = OrderOf(url);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);  // its robots.txt
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
  const schedule::Outcome gone = OutcomeOf({RobotsRedirects::IdOf(*url::Parse(url))});
  EXPECT_EQ(gone.result, Result::kDone) << "a redirect of a session before";
}

// Of a new session, which is not told its host: a page of b.test was asked for beside it.
TEST_F(DeskRobotsTest, ACrossHostFetchThatANewSessionFindsNotBegunAsksNothing) {
  absl::Notification session_begins;
  desk().AskScope([&session_begins](const ledger::PageRow& page) {
    if (page.url == kPage) return true;
    session_begins.WaitForNotification();  // the one worker stands here
    return false;
  });
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/rules\r\n", ""));
  const schedule::Order order = OrderOf(kPage), outside = OrderOf("http://a.test/outside");
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  const schedule::Order cross_host{heard_.TakeOffers().offers.at(0).page};
  desk().Take({outside, cross_host});
  desk().BeginSession([&](std::vector<schedule::InFlight> in_flight, const std::vector<PageId>&) {
    for (const schedule::InFlight& fetch : in_flight) {
      if (fetch.page == cross_host.page) {
        EXPECT_EQ(fetch.host, "");
      }
    }
    EXPECT_EQ(in_flight.size(), 2u);
    session_begins.Notify();
  });
  const std::vector<schedule::Outcome> outcomes = heard_.TakeOutcomes(2);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].page, cross_host.page);
  EXPECT_EQ(outcomes[1].result, Result::kDone);
  EXPECT_FALSE(outcomes[1].requested);
  EXPECT_EQ(heard_.TakeReport().visit->kind, VisitKind::kOutOfScope);
  EXPECT_EQ(server_.requests().size(), 1u);
}

// Nothing was paced there: orders of a host given up come at once, to be settled without a request.
TEST_F(DeskRobotsTest, ACrossHostFetchOfAHostGivenUpAsksNothing) {
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/rules\r\n", ""));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  const schedule::Offers offered = heard_.TakeOffers();
  ASSERT_EQ(offered.offers.size(), 1u);
  schedule::Order cross_host{offered.offers[0].page};
  cross_host.host_given_up = true;
  const schedule::Outcome outcome = OutcomeOf(cross_host);
  EXPECT_EQ(outcome.result, Result::kDone);
  EXPECT_FALSE(outcome.requested);
  const ledger::Visit visit = VisitOf(order);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kGivenUp, /*of_robots=*/true}));
  EXPECT_EQ(server_.requests().size(), 1u);
}

// Its 200 ended the host's back-off and its count of failures, each of three times.
TEST_F(DeskRobotsTest, ARobotsTxtThatIsCutIsNoAnswer) {
  Serve("/robots.txt",
        support::RawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n"));
  const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_TRUE(outcome.requested);
  EXPECT_TRUE(outcome.network_failure);
}

}  // namespace
}  // namespace opic::desk
