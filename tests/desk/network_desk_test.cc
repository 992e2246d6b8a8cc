// What becomes of orders while this node has no network.
#include <functional>

#include "tests/desk/order_desk_fixture.h"
#include "tests/support/lost_network.h"

namespace opic::desk {
namespace {

using support::LostNetwork;

class NetworkDeskTest : public OrderDeskTest {
 protected:
  void SetUp() override {
    OrderDeskTest::SetUp();
    options_.network.doubt_first = options_.network.doubt_max = absl::Milliseconds(10);
    options_.network.pause_first = options_.network.pause_max = absl::Milliseconds(10);
  }
  // a.test has answered: it is known that there was a network.
  void Begin() {
    desk().TellNetwork([this] {
      absl::MutexLock lock(&network_mu_);
      lost_ = desk_->without_network();
    });
    KnowRobots();
    Serve("/page", support::Ok("text"));
    EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  }
  void KnowRobotsOf(const std::string& page) {
    const url::Url url = *url::Parse(page);
    fetch::Response response;
    response.status = 200;
    const std::string robots = std::string(url.origin()) + "/robots.txt";
    ASSERT_TRUE(desk().robots().Answered(url, *url::Parse(robots), response, absl::Now()).ok());
  }
  void AwaitNetwork(bool lost) {
    absl::MutexLock lock(&network_mu_);
    const auto is_so = [this, lost] { return lost_ == lost; };
    EXPECT_TRUE(network_mu_.AwaitWithTimeout(absl::Condition(&is_so), absl::Seconds(20)));
  }
  static void ExpectPutOff(const schedule::Outcome& outcome) {
    EXPECT_EQ(outcome.result, Result::kPostponed);
    EXPECT_FALSE(outcome.network_failure);
    EXPECT_FALSE(outcome.requested);
    EXPECT_TRUE(outcome.address_busy);
  }
  uint64_t PutOffs() { return desk().counters()[Counter::kNoNetwork]; }

  // Of hosts that have no connection yet.
  static constexpr char kOther[] = "http://b.test/page", kThird[] = "http://c.test/page";
  absl::Mutex network_mu_;
  bool lost_ ABSL_GUARDED_BY(network_mu_) = false;
};

// All pages that were ordered meanwhile were given up, and their hosts for a day.
TEST_F(NetworkDeskTest, NoPageAndNoHostIsGivenUpForALostNetwork) {
  Begin();
  KnowRobotsOf(kOther);
  schedule::Order page = OrderOf(kOther);
  page.last_attempt = true;
  const schedule::Order robots = OrderOf(kThird);
  {
    const LostNetwork gone(LostNetwork::What::kRoutes);
    desk().Take({page, robots});  // the other one's robots.txt is not known
    ExpectPutOff(heard_.TakeOutcome());
    ExpectPutOff(heard_.TakeOutcome());
    AwaitNetwork(/*lost=*/true);
    ASSERT_TRUE(desk().network_loss());
    EXPECT_NE(desk().network_loss()->why.find("no route"), std::string::npos);
    const uint64_t put_offs = PutOffs();
    EXPECT_GE(put_offs, 1u);
    ExpectPutOff(OutcomeOf(page));
    EXPECT_EQ(PutOffs(), put_offs) << "nothing is asked for any more";
    EXPECT_EQ(desk().in_progress(), 0u);
  }
  AwaitNetwork(/*lost=*/false);
  EXPECT_FALSE(desk().network_loss());
  EXPECT_EQ(VisitOf(page).kind, VisitKind::kFetched);
  // Neither "disallow all" nor "allow all" was learnt.
  ServeRobots("User-agent: *\nDisallow: /page");
  EXPECT_EQ(OutcomeOf(robots).status, 200) << "its robots.txt comes first";
  EXPECT_EQ(VisitOf(robots).kind, VisitKind::kForbidden);
  EXPECT_EQ(desk().counters()[Counter::kRobotsFailed], 0u);
  EXPECT_EQ(desk().counters()[Counter::kTransient], 0u);
}

TEST_F(NetworkDeskTest, NorForNameServersThatAreGone) {
  options_.fetch.connect_to.clear();
  const std::string port = ":" + std::to_string(server_.port());
  const schedule::Order good = OrderOf("http://a.test" + port + "/page");
  schedule::Order page = OrderOf("http://b.test" + port + "/page");
  page.last_attempt = true;
  KnowRobotsOf("http://a.test" + port + "/page");
  KnowRobotsOf("http://b.test" + port + "/page");
  Serve("/page", support::Ok("text"));
  EXPECT_EQ(VisitOf(good).kind, VisitKind::kFetched);
  {
    const LostNetwork gone(LostNetwork::What::kResolvers);
    ExpectPutOff(OutcomeOf(page));
    ASSERT_TRUE(desk().network_loss());
    EXPECT_NE(desk().network_loss()->why.find("name server"), std::string::npos);
  }
  // Ordered again and again, as the scheduler would.
  Result result = Result::kPostponed;
  for (int i = 0; i < 2000 && result == Result::kPostponed; ++i) {
    result = OutcomeOf(page).result;
    if (result == Result::kPostponed) absl::SleepFor(absl::Milliseconds(5));
  }
  EXPECT_EQ(result, Result::kDone);
  EXPECT_EQ(TakeVisit(page).kind, VisitKind::kFetched);
}

TEST_F(NetworkDeskTest, OneHostThatIsDownIsToBlame) {
  const std::string port = std::to_string(server_.port());
  options_.fetch.connect_to = {"b.test::127.0.0.2:" + port, "::127.0.0.1:" + port};
  Begin();
  KnowRobotsOf(kOther);
  const LostNetwork gone(LostNetwork::What::kRoutes, "127.0.0.2");
  const schedule::Outcome outcome = OutcomeOf(OrderOf(kOther));
  EXPECT_EQ(outcome.result, Result::kTransient);
  EXPECT_TRUE(outcome.network_failure);
  EXPECT_FALSE(desk().without_network());
  schedule::Order last = OrderOf(kOther);
  last.last_attempt = true;
  EXPECT_EQ(VisitOf(last).kind, VisitKind::kFailed);
  EXPECT_EQ(PutOffs(), 0u);
}

// A crawl of one host that nobody has ever heard comes to its end.
TEST_F(NetworkDeskTest, TheOnlyHostThereIsIsToBlame) {
  KnowRobots();
  schedule::Order last = OrderOf(kPage);
  last.last_attempt = true;
  const LostNetwork gone(LostNetwork::What::kRoutes);
  EXPECT_EQ(VisitOf(last).kind, VisitKind::kFailed);
}

// Somebody has refused it.
TEST_F(NetworkDeskTest, ARefusedConnectionIsAnAnswer) {
  options_.network.doubt_first = absl::Hours(1);
  std::string closed;
  {
    HttpServer server([](const HttpRequest&) { return support::Ok(""); });
    closed = std::to_string(server.port());
  }
  options_.fetch.connect_to = {"::127.0.0.1:" + closed};
  KnowRobots();
  const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
  EXPECT_EQ(outcome.result, Result::kTransient);
  EXPECT_TRUE(outcome.network_failure);
}

// A node that is to stop does not wait until it is known whose failure it was.
TEST_F(NetworkDeskTest, APausePutsOffWhatIsNotKnownYet) {
  options_.network.doubt_first = absl::Hours(1);
  Begin();
  KnowRobotsOf(kOther);
  const LostNetwork gone(LostNetwork::What::kRoutes);
  desk().Take({OrderOf(kOther)});
  // It may not have come so far; then it is put off when it is paused the next time.
  for (int i = 0; i < 2000 && heard_.left() == 0; ++i) {
    desk().Pause(true);
    absl::SleepFor(absl::Milliseconds(5));
  }
  ExpectPutOff(heard_.TakeOutcome());
  EXPECT_EQ(PutOffs(), 0u) << "nobody knows that there was no network";
}

}  // namespace
}  // namespace opic::desk
