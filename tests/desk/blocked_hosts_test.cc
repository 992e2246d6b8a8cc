// An order for a host that an operator has blocked, when it comes to the desk all the same.
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

class BlockedHostsTest : public OrderDeskTest {
 protected:
  void Block(const std::string& host) {
    desk().AskBlocked([this, host](std::string_view asked) { return blocked_ && asked == host; });
  }
  static void ExpectRobotsBlocked(const ledger::Visit& visit) {
    EXPECT_EQ(visit.kind, VisitKind::kFailed);
    EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kBlocked, /*of_robots=*/true}));
  }
  const HttpReply kLeadsToB = Answer("301 Moved", "Location: http://b.test/robots.txt\r\n", "");
  std::atomic<bool> blocked_ = true;
};

TEST_F(BlockedHostsTest, NothingIsAskedAndThePageStaysUnread) {
  KnowRobots();
  Serve("/page", support::Ok("text"));
  Block("a.test");
  const schedule::Order order = OrderOf(kPage);
  const schedule::Outcome outcome = OutcomeOf(order);
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.requested);
  EXPECT_EQ(desk().in_progress(), 0u);
  EXPECT_EQ(server_.requests().size(), 0u);
  blocked_ = false;
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
}

// The block comes when the order has passed the desk, and its connection is being made.
TEST_F(BlockedHostsTest, NorWhenTheBlockComesBeforeTheConnection) {
  KnowRobots();
  Serve("/page", support::Ok("text"));
  std::atomic<int> asked = 0;
  desk().AskBlocked([&asked](std::string_view host) { return host == "a.test" && ++asked > 2; });
  const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
  EXPECT_EQ(asked, 3) << "at the desk, when it is submitted, and when the request is sent";
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.requested);
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(BlockedHostsTest, NorIsItsRobotsTxt) {
  Block("a.test");
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).result, Result::kPostponed);
  EXPECT_EQ(server_.requests().size(), 0u);
}

// It was postponed once a second, for ever.
TEST_F(BlockedHostsTest, ARobotsTxtThatLeadsThereCannotBeHad) {
  Serve("/robots.txt", kLeadsToB);
  Block("b.test");
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed) << "that of a.test was read";
  ExpectRobotsBlocked(VisitOf(order));
  ExpectRobotsBlocked(VisitOf(OrderOf("http://a.test/other")));
  EXPECT_EQ(desk().withheld_redirects(), 0u);
  EXPECT_EQ(server_.requests().size(), 1u);
  EXPECT_EQ(desk().counters()[Counter::kFailedBlocked], 2u);
  EXPECT_EQ(desk().counters()[Counter::kForbidden], 0u);
}

// The scheduler withholds it, and counts it as a page.
TEST_F(BlockedHostsTest, NorOneThatWasOfferedBeforeTheBlock) {
  blocked_ = false;
  Serve("/robots.txt", kLeadsToB);
  Block("b.test");
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed) << "the one of b.test is offered";
  EXPECT_EQ(heard_.TakeOffers().offers.size(), 1u);
  EXPECT_EQ(desk().withheld_redirects(), 0u);
  blocked_ = true;
  EXPECT_EQ(desk().withheld_redirects(), 1u);
  ExpectRobotsBlocked(VisitOf(order));
  EXPECT_EQ(desk().withheld_redirects(), 1u) << "it is in the queue still";
  desk().BeginSession([](std::vector<schedule::InFlight>, const std::vector<PageId>&) {});
  EXPECT_EQ(desk().withheld_redirects(), 0u);
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(BlockedHostsTest, NorOneThatIsOrderedAllTheSame) {
  blocked_ = false;
  Serve("/robots.txt", kLeadsToB);
  Block("b.test");
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  const schedule::Offers errand = heard_.TakeOffers();
  ASSERT_EQ(errand.offers.size(), 1u);
  EXPECT_EQ(errand.offers[0].host, "b.test");
  blocked_ = true;
  const schedule::Outcome ended = OutcomeOf({errand.offers[0].page});
  EXPECT_EQ(ended.result, Result::kDone) << "no page that waits for an operator";
  EXPECT_FALSE(ended.requested);
  ExpectRobotsBlocked(VisitOf(order));
  EXPECT_EQ(desk().withheld_redirects(), 0u);
  EXPECT_EQ(server_.requests().size(), 1u);
}

// What is known of the blocked host itself is as before: it is asked when it is unblocked.
TEST_F(BlockedHostsTest, ThatSaysNothingOfTheBlockedHost) {
  Serve("/robots.txt", kLeadsToB);
  Block("b.test");
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  ExpectRobotsBlocked(VisitOf(order));
  blocked_ = false;
  ServeRobots("");
  Serve("/there", support::Ok("text"));
  const schedule::Order there = OrderOf("http://b.test/there");
  EXPECT_EQ(OutcomeOf(there).result, Result::kPostponed) << "its own robots.txt is read";
  EXPECT_EQ(VisitOf(there).kind, VisitKind::kFetched);
}

// Postponed for another reason it is the same one when it comes again.
TEST_F(BlockedHostsTest, APostponedRedirectIsAskedForAgain) {
  std::atomic<bool> may_ask = true;
  desk().AskOnLoan([&](const std::string&) { return may_ask.load(); });
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/rules\r\n", ""));
  Serve("/rules", support::Ok("User-agent: *\nDisallow: /page"));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  const schedule::Order errand{heard_.TakeOffers().offers.at(0).page};
  may_ask = false;
  EXPECT_EQ(OutcomeOf(errand).result, Result::kPostponed);
  may_ask = true;
  EXPECT_EQ(OutcomeOf(errand).result, Result::kDone);
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kForbidden);
}

// It went on, for as long as the host cared to take.
TEST_F(BlockedHostsTest, ARequestThatWasSentEndsAndThePageStaysUnread) {
  KnowRobots();
  blocked_ = false;
  Block("a.test");
  Serve("/page", {.then = HttpReply::Then::kSilence});
  const schedule::Order order = OrderOf(kPage);
  desk().LimitPages(1);
  desk().Take({order});
  ASSERT_TRUE(server_.AwaitRequests(1));
  blocked_ = true;
  desk().EndBlocked();
  const schedule::Outcome outcome = heard_.TakeOutcome();
  EXPECT_EQ(outcome.page, order.page);
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_TRUE(outcome.requested) << "the host's delay runs";
  EXPECT_FALSE(outcome.network_failure);
  EXPECT_EQ(desk().in_progress(), 0u);
  blocked_ = false;
  Serve("/page", support::Ok("text"));
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched) << "it does not count as one of --pages";
}

TEST_F(BlockedHostsTest, SoDoesARobotsTxtAndThatOfAnotherHostGoesOn) {
  blocked_ = false;
  Block("a.test");
  Serve("/robots.txt", {.then = HttpReply::Then::kSilence});
  const schedule::Order order = OrderOf(kPage), other = OrderOf("http://b.test/page");
  desk().Take({order, other});
  ASSERT_TRUE(server_.AwaitRequests(2));
  blocked_ = true;
  desk().EndBlocked();
  const schedule::Outcome outcome = heard_.TakeOutcome();
  EXPECT_EQ(outcome.page, order.page);
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.network_failure);
  const std::vector<schedule::InFlight> left = desk().InFlight();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].host, "b.test");
}

TEST_F(BlockedHostsTest, OtherHostsAreAsked) {
  KnowRobots();
  Serve("/page", support::Ok("text"));
  Block("b.test");
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
}

}  // namespace
}  // namespace opic::desk
