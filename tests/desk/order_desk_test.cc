// What becomes of an order: one request at most, one outcome for the scheduler, and, when it is
// done, one report for the ledger.
#include <set>

#include "tests/desk/order_desk_fixture.h"
#include "tests/support/socks_proxy.h"

namespace opic::desk {
namespace {

TEST_F(OrderDeskTest, ARefusedAddressHasFailedAtOnce) {
  options_.fetch.allow_private = false;
  const ledger::Visit visit = VisitAnswered(support::Ok(""));
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(OrderDeskTest, AHostGivenUpIsNotAsked) {
  schedule::Order order = OrderOf(kPage);
  order.host_given_up = true;
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFailed);
  EXPECT_TRUE(server_.requests().empty());
}

// Its shard has left while the order was queued; the ledger's thread knows whether that is so.
TEST_F(OrderDeskTest, AnOrderForAPageThatIsNotInTheStoreIsNoVisit) {
  const PageId unknown = Id("http://a.test/unknown");
  desk().Take({schedule::Order{.page = unknown}});
  const Report report = heard_.TakeReport();
  EXPECT_EQ(report.rowless, unknown);
  EXPECT_FALSE(report.visit.has_value());
  desk().Handled(unknown);
  EXPECT_FALSE(heard_.TakeOutcome().requested);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(OrderDeskTest, NoMorePagesThanAreLeft) {
  KnowRobots();
  desk().LimitPages(1);
  Serve("/page", support::Ok(""));
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  const schedule::Outcome outcome = OutcomeOf(OrderOf("http://a.test/second"));
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.requested);
}

// It was counted as a failure of the host, which backed off and after six was given up for a day.
TEST_F(OrderDeskTest, ABusyAddressIsNoFailureOfTheHost) {
  options_.fetch.per_address_max = 1;
  KnowRobots();
  for (const char* path : {"/page", "/second"}) {
    HttpReply slow = support::Ok("");
    slow.delay = absl::Seconds(1);
    Serve(path, std::move(slow));
  }
  desk().Take({OrderOf(kPage), OrderOf("http://a.test/second")});
  const schedule::Outcome busy = heard_.TakeOutcome();
  EXPECT_EQ(busy.result, Result::kPostponed);
  EXPECT_TRUE(busy.address_busy);
  EXPECT_FALSE(busy.requested);
  EXPECT_FALSE(busy.network_failure);
  EXPECT_EQ(heard_.TakeOutcome().result, Result::kDone);
  desk().Handled(heard_.TakeReport().visit->page);
}

// All hosts would have failed, one by one, and their pages with them.
TEST_F(OrderDeskTest, AFullMemoryForAnswersIsTold) {
  KnowRobots();
  options_.bodies_bytes_max = 0;
  const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_TRUE(outcome.no_room);
  EXPECT_FALSE(outcome.requested);
  EXPECT_EQ(desk().counters()[Counter::kNoRoom], 1u);
  EXPECT_TRUE(server_.requests().empty());
}

// It is read next time, as browsers read it.
TEST_F(OrderDeskTest, AHeaderLineWithoutAColonCostsARequestAndNoAttempt) {
  KnowRobots();
  Serve("/page", support::RawThenClose("HTTP/1.1 200 OK\r\ngarbage line\r\nContent-Type: "
                                       "text/html\r\n\r\n<a href=one>1</a>"));
  schedule::Order order = OrderOf(kPage);
  order.last_attempt = true;
  const schedule::Outcome outcome = OutcomeOf(order);
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_TRUE(outcome.requested) << "the host's delay runs from here";
  EXPECT_FALSE(outcome.network_failure);
  const ledger::Visit visit = VisitOf(order);
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.links.size(), 1u);
}

TEST_F(OrderDeskTest, AProxyThatFailsIsNoFailureOfTheHost) {
  {
    HttpServer closed([](const HttpRequest&) { return support::Ok(""); });
    options_.fetch.proxy = "socks5h://127.0.0.1:" + std::to_string(closed.port());
  }
  desk().LimitPages(1);
  KnowRobots();  // of the first page's host
  for (const bool last_attempt : {false, true}) {
    for (const std::string page : {kPage, "http://b.test/"}) {
      schedule::Order order = OrderOf(page);
      order.last_attempt = last_attempt;
      const schedule::Outcome outcome = OutcomeOf(order);
      EXPECT_EQ(outcome.result, Result::kPostponed);
      EXPECT_FALSE(outcome.requested);
      EXPECT_FALSE(outcome.network_failure);
    }
  }
  EXPECT_EQ(desk().counters()[Counter::kProxyFailed], 4u);
  EXPECT_FALSE(desk().pages_exhausted());
}

TEST_F(OrderDeskTest, AnIpv6LiteralIsAHostOfItsOwn) {
  HttpServer server(
      [](const HttpRequest& request) {
        return support::Ok(request.target == "/robots.txt" ? "User-agent: *\nDisallow: /private"
                                                           : "<a href=/private>1</a>");
      },
      {.ipv6 = true});
  if (!server.ok()) GTEST_SKIP() << "this machine has no ::1";
  options_.fetch.connect_to.clear();
  const schedule::Order order = OrderOf(server.Url("/page"));
  const schedule::Outcome robots = OutcomeOf(order);
  EXPECT_EQ(robots.result, Result::kPostponed) << "robots.txt comes first";
  EXPECT_EQ(robots.host, "[::1]");
  EXPECT_EQ(robots.address, "::1");
  const ledger::Visit visit = VisitOf(order);
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(VisitOf(OrderOf(server.Url("/private"))).kind, VisitKind::kForbidden);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(OrderDeskTest, ASocksProxyServesRobotsAndPages) {
  support::SocksProxy proxy({.relay_port = server_.port()});
  options_.fetch.connect_to.clear();
  options_.fetch.proxy = proxy.Url("socks5h");
  ServeRobots("User-agent: *\nDisallow: /private");
  Serve("/page", support::Ok("text"));
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).result, Result::kPostponed) << "robots.txt comes first";
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  EXPECT_EQ(VisitOf(OrderOf("http://a.test/private")).kind, VisitKind::kForbidden);
  for (const std::string& asked : proxy.asked()) EXPECT_EQ(asked, "name a.test:80");
  EXPECT_EQ(server_.requests().size(), 2u);
}

// A page that must be tried again is not one of those left.
TEST_F(OrderDeskTest, ATransientFailureGivesItsPageBack) {
  desk().LimitPages(1);
  TransientAnswered(Answer("503 Oops", "", ""));
  EXPECT_EQ(VisitAnswered(support::Ok("")).kind, VisitKind::kFetched);
}

TEST_F(OrderDeskTest, APausedDeskPostponesAndThenGoesOn) {
  KnowRobots();
  Serve("/page", support::Ok(""));
  const schedule::Order order = OrderOf(kPage);
  desk().Pause(true);
  const schedule::Outcome outcome = OutcomeOf(order);
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.no_room);
  EXPECT_TRUE(server_.requests().empty());
  desk().Pause(false);
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
}

TEST_F(OrderDeskTest, ADeskThatAsksNoMorePostponesAndWhatWasSentGoesOn) {
  KnowRobots();
  HttpReply late = support::Ok("text");
  late.delay = absl::Milliseconds(300);
  Serve("/page", late);
  const schedule::Order order = OrderOf(kPage), next = OrderOf("http://a.test/next");
  desk().Take({order});
  ASSERT_TRUE(server_.AwaitRequests(1));
  desk().AskNoMore();
  desk().Take({next});
  const schedule::Outcome postponed = heard_.TakeOutcome();
  EXPECT_EQ(postponed.page, next.page);
  EXPECT_EQ(postponed.result, Result::kPostponed);
  EXPECT_FALSE(postponed.requested);
  EXPECT_EQ(heard_.TakeOutcome().result, Result::kDone);
  EXPECT_EQ(TakeVisit(order).kind, VisitKind::kFetched);
  EXPECT_EQ(server_.requests().size(), 1u);
}

// The last attempt of a page that fails for good would be a visit.
TEST_F(OrderDeskTest, RequestsThatAreEndedAreNoFailures) {
  KnowRobots();
  Serve("/page", {.then = HttpReply::Then::kSilence});
  schedule::Order order = OrderOf(kPage);
  order.last_attempt = true;
  desk().Take({order});
  ASSERT_TRUE(server_.AwaitRequests(1));
  desk().EndRequests();
  const schedule::Outcome outcome = heard_.TakeOutcome();
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.network_failure);
  EXPECT_EQ(desk().in_progress(), 0u);
  EXPECT_EQ(desk().in_flight(), 0u);
}

TEST_F(OrderDeskTest, WhatIsUnderWayIsToldToANewSession) {
  KnowRobots();
  Serve("/page", {.then = HttpReply::Then::kSilence});
  desk().Take({OrderOf(kPage)});
  ASSERT_TRUE(server_.AwaitRequests(1));
  const std::vector<schedule::InFlight> in_flight = desk().InFlight();
  ASSERT_EQ(in_flight.size(), 1u);
  EXPECT_EQ(in_flight[0].page, Id(kPage));
  EXPECT_EQ(in_flight[0].host, "a.test");
  desk().Stop();
  EXPECT_EQ(heard_.left(), 0u) << "ended without an outcome and without a report";
}

// Of an outcome that came between the two, neither session knew: the host stayed busy for ever.
TEST_F(OrderDeskTest, ASessionKnowsEachOrderAsInFlightOrIsToldItsOutcome) {
  KnowRobots();
  constexpr size_t kOrders = 200;
  std::vector<schedule::Order> orders;
  for (size_t i = 0; i < kOrders; ++i)
    orders.push_back(OrderOf("http://a.test/" + std::to_string(i)));
  options_.fetch.per_address_max = kOrders;
  heard_.LetOutcomesTake(absl::Milliseconds(1));
  desk().Take(orders);
  while (!desk().InFlight().empty()) {
    absl::SleepFor(absl::Microseconds(100));
    desk().BeginSession([&](std::vector<schedule::InFlight> in_flight, const std::vector<PageId>&) {
      heard_.Send(schedule::NodeHello{.in_flight = std::move(in_flight)});
    });
  }
  const std::vector<schedule::Outcome> outcomes = heard_.TakeOutcomes(kOrders);
  ASSERT_EQ(outcomes.size(), kOrders);
  for (const schedule::Outcome& outcome : outcomes) ASSERT_EQ(outcome.result, Result::kDone);
  for (const Heard::Session& session : heard_.sessions()) {
    std::set<PageId> in_flight, told;
    for (const schedule::InFlight& fetch : session.in_flight) in_flight.insert(fetch.page);
    for (size_t i = session.outcomes_before; i < kOrders; ++i) told.insert(outcomes[i].page);
    ASSERT_EQ(in_flight, told) << session.outcomes_before << " outcomes before";
  }
  for (size_t i = 0; i < kOrders; ++i) heard_.TakeReport();
}

TEST_F(OrderDeskTest, ManyOrdersEachEndInOneVisit) {
  KnowRobots();
  constexpr int kOrders = 200;
  std::vector<schedule::Order> orders;
  for (int i = 0; i < kOrders; ++i) orders.push_back(OrderOf("http://a.test/" + std::to_string(i)));
  options_.workers = 3;
  options_.fetch.per_address_max = kOrders;
  desk().Take(orders);
  std::map<PageId, int> outcomes, visits;
  for (int i = 0; i < kOrders; ++i) {
    ++outcomes[heard_.TakeOutcome().page];
    ++visits[heard_.TakeReport().visit->page];
  }
  EXPECT_EQ(outcomes.size(), static_cast<size_t>(kOrders));
  EXPECT_EQ(visits.size(), static_cast<size_t>(kOrders));
}

}  // namespace
}  // namespace opic::desk
