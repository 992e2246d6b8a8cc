// What becomes of an order: one request at most, one outcome for the scheduler, and, when it is
// done, one report for the ledger.
#include "node/order_desk.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/encoding.h"
#include "tests/support/http_server.h"

namespace opic::node {
namespace {

using ledger::VisitKind;
using schedule::Result;
using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

// All that leaves the desk, in order.
class Heard final : public SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    absl::MutexLock lock(&mu_);
    if (auto* outcome = std::get_if<schedule::Outcome>(&message)) outcomes_.push_back(*outcome);
    if (auto* offers = std::get_if<schedule::Offers>(&message)) offers_.push_back(*offers);
  }
  void Report(node::Report report) {
    absl::MutexLock lock(&mu_);
    reports_.push_back(std::move(report));
  }
  schedule::Outcome TakeOutcome() { return Take(outcomes_); }
  node::Report TakeReport() { return Take(reports_); }
  schedule::Offers TakeOffers() { return Take(offers_); }
  size_t left() {
    absl::MutexLock lock(&mu_);
    return outcomes_.size() + reports_.size() + offers_.size();
  }

 private:
  template <typename T>
  T Take(std::vector<T>& list) {
    absl::MutexLock lock(&mu_);
    const auto there = [&] { return !list.empty(); };
    if (!mu_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(20))) {
      ADD_FAILURE() << "nothing came";
      return T();
    }
    T first = std::move(list.front());
    list.erase(list.begin());
    return first;
  }
  absl::Mutex mu_;
  std::vector<schedule::Outcome> outcomes_;
  std::vector<node::Report> reports_;
  std::vector<schedule::Offers> offers_;
};

class OrderDeskTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.fetch.allow_private = true;
    options_.fetch.connect_to = {"::127.0.0.1:" + std::to_string(server_.port())};
    options_.fetch.total_timeout = absl::Seconds(10);
    options_.fetch.body_bytes_max = 100'000;
    ::unlink(log_.c_str());
  }
  void TearDown() override {
    if (desk_) desk_->Stop();
    EXPECT_EQ(heard_.left(), 0u) << "more was said than was expected";
  }

  OrderDesk& desk() {
    if (desk_) return *desk_;
    auto desk =
        OrderDesk::Start(options_, window_, hash_, *store_, base::RealClock::Get(), log_, heard_,
                         [this](Report report) { heard_.Report(std::move(report)); });
    EXPECT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
    return *desk_;
  }

  // The server's answers.
  void Serve(const std::string& target, HttpReply reply) {
    absl::MutexLock lock(&mu_);
    replies_[target] = std::move(reply);
  }
  void ServeRobots(const std::string& text) { Serve("/robots.txt", support::Ok(text)); }
  // Robots rules that are known already: no request for them.
  void KnowRobots(const std::string& text = "") {
    RobotsCache cache({}, *store_);
    fetch::Response response;
    response.status = 200;
    response.body = text;
    const url::Url page = *url::Parse(kPage);
    ASSERT_TRUE(
        cache.Answered(page, *url::Parse("http://a.test/robots.txt"), response, absl::Now()).ok());
  }

  PageId Id(const std::string& url) const { return hash_.PageOf(*url::Parse(url)); }
  // A page that the ledger knows.
  schedule::Order OrderOf(const std::string& url) {
    store::Batch batch;
    batch.Put(store::Table::kPage, ledger::KeyOf(Id(url)), ledger::Encode(ledger::PageRow{url}));
    EXPECT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
    return {Id(url)};
  }
  schedule::Outcome OutcomeOf(const schedule::Order& order) {
    desk().Take({order});
    schedule::Outcome outcome = heard_.TakeOutcome();
    EXPECT_EQ(outcome.page, order.page);
    return outcome;
  }
  // An order that ends in a visit.
  ledger::Visit VisitOf(const schedule::Order& order) {
    const schedule::Outcome outcome = OutcomeOf(order);
    EXPECT_EQ(outcome.result, Result::kDone);
    return TakeVisit(order);
  }
  ledger::Visit TakeVisit(const schedule::Order& order) {
    const Report report = heard_.TakeReport();
    EXPECT_TRUE(report.visit.has_value());
    ledger::Visit visit = report.visit.value_or(ledger::Visit());
    EXPECT_EQ(visit.page, order.page);
    EXPECT_EQ(desk().in_progress(), 1u) << "in progress until it is handled";
    desk().Handled(order.page);
    return visit;
  }
  // The visit of a page that the server answers with `reply`.
  ledger::Visit VisitAnswered(HttpReply reply, bool last_attempt = false) {
    KnowRobots();
    Serve("/page", std::move(reply));
    schedule::Order order = OrderOf(kPage);
    order.last_attempt = last_attempt;
    return VisitOf(order);
  }
  // The outcome of one that may pass.
  schedule::Outcome TransientAnswered(HttpReply reply) {
    KnowRobots();
    Serve("/page", std::move(reply));
    const schedule::Outcome outcome = OutcomeOf(OrderOf(kPage));
    EXPECT_EQ(outcome.result, Result::kTransient);
    EXPECT_TRUE(outcome.requested);
    EXPECT_EQ(desk().in_progress(), 0u);
    return outcome;
  }

  static constexpr char kPage[] = "http://a.test/page";
  Heard heard_;
  absl::Mutex mu_;
  std::map<std::string, HttpReply> replies_ ABSL_GUARDED_BY(mu_);
  HttpServer server_{[this](const HttpRequest& request) {
    absl::MutexLock lock(&mu_);
    const auto found = replies_.find(request.target);
    return found == replies_.end() ? Answer("404 Not Found", "", "") : found->second;
  }};
  const std::string log_ = testing::TempDir() + "/opic_order_desk_test.jsonl";
  CrawlOptions options_;
  const importance::Window window_{{}};
  url::UrlHash hash_{url::ShardBy::kHost, 1024};
  std::unique_ptr<store::Store> store_ = store::NewMemoryStore();
  std::unique_ptr<OrderDesk> desk_;
};

TEST_F(OrderDeskTest, A2xxIsFetchedWithItsLinksAndValidators) {
  const ledger::Visit visit = VisitAnswered(
      Answer("200 OK", "Content-Type: text/html\r\nETag: \"v1\"\r\nLast-Modified: yesterday\r\n",
             "<a href=one>1</a><a href='http://b.test/'>2</a>"));
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.http_status, 200);
  EXPECT_GT(visit.at, 0);
  EXPECT_NE(visit.content_hash, 0u);
  EXPECT_EQ(visit.etag, "\"v1\"");
  EXPECT_EQ(visit.last_modified, "yesterday");
  ASSERT_EQ(visit.links.size(), 2u);
  EXPECT_EQ(visit.links[0].url, "http://a.test/one");
  EXPECT_EQ(visit.links[0].page, Id("http://a.test/one"));
  EXPECT_EQ(visit.links[1].url, "http://b.test/");
}

TEST_F(OrderDeskTest, A304OfAConditionalRequestKeepsThePage) {
  ledger::HistoryRow before;
  before.etag = "\"v1\"";
  before.last_modified = "Mon, 01 Jan 2024 00:00:00 GMT";
  store::Batch batch;
  batch.Put(store::Table::kHistory, ledger::KeyOf(Id(kPage)), ledger::Encode(before, window_));
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  const ledger::Visit visit = VisitAnswered({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  EXPECT_EQ(visit.kind, VisitKind::kNotModified);
  EXPECT_EQ(visit.http_status, 304);
  const HttpRequest request = server_.requests().back();
  EXPECT_EQ(request.Header("If-None-Match"), "\"v1\"");
  EXPECT_EQ(request.Header("If-Modified-Since"), "Mon, 01 Jan 2024 00:00:00 GMT");
}

TEST_F(OrderDeskTest, A3xxHasItsTargetAsItsOneLink) {
  const ledger::Visit visit =
      VisitAnswered(Answer("302 Found", "Location: ../other?x#y\r\n", "<a href=one>1</a>"));
  EXPECT_EQ(visit.kind, VisitKind::kRedirect);
  ASSERT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(visit.links[0].url, "http://a.test/other?x");
}

TEST_F(OrderDeskTest, A3xxThatLeadsNowhereIsGone) {
  for (const std::string location :
       {"", "Location: mailto:a@b.test\r\n", "Location: http://\r\n"}) {
    const ledger::Visit visit = VisitAnswered(Answer("301 Moved", location, ""));
    EXPECT_EQ(visit.kind, VisitKind::kGone) << location;
    EXPECT_TRUE(visit.links.empty());
  }
}

TEST_F(OrderDeskTest, FinalRefusalsAreGone) {
  for (const int status : {400, 401, 403, 404, 410, 451, 501}) {
    const ledger::Visit visit =
        VisitAnswered(Answer(std::to_string(status) + " No", "", "<a href=one>1</a>"));
    EXPECT_EQ(visit.kind, VisitKind::kGone) << status;
    EXPECT_EQ(visit.http_status, status);
    EXPECT_TRUE(visit.links.empty());
  }
}

TEST_F(OrderDeskTest, A429IsTriedAgainAfterWhatItAsksFor) {
  const schedule::Outcome outcome =
      TransientAnswered(Answer("429 Slow down", "Retry-After: 7\r\n", ""));
  EXPECT_EQ(outcome.status, 429);
  EXPECT_EQ(outcome.retry_after, absl::Seconds(7));
  EXPECT_FALSE(outcome.network_failure);
}

TEST_F(OrderDeskTest, ARetryAfterMayBeADate) {
  const std::string date = absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT",
                                            absl::Now() + absl::Seconds(100), absl::UTCTimeZone());
  const schedule::Outcome outcome =
      TransientAnswered(Answer("503 Wait", "Retry-After: " + date + "\r\n", ""));
  EXPECT_GT(outcome.retry_after, absl::Seconds(80));
  EXPECT_LE(outcome.retry_after, absl::Seconds(100));
}

TEST_F(OrderDeskTest, ASenselessRetryAfterAsksForNothing) {
  for (const std::string value : {"-5", "soon", "Mon, 01 Jan 2001 00:00:00 GMT", ""}) {
    const schedule::Outcome outcome =
        TransientAnswered(Answer("503 Wait", "Retry-After: " + value + "\r\n", ""));
    EXPECT_EQ(outcome.retry_after, absl::ZeroDuration()) << value;
  }
}

TEST_F(OrderDeskTest, ServerErrorsMayPass) {
  for (const int status : {408, 425, 500, 502, 503, 504}) {
    EXPECT_EQ(TransientAnswered(Answer(std::to_string(status) + " Oops", "", "")).status, status);
  }
}

TEST_F(OrderDeskTest, AServerErrorOnTheLastAttemptHasFailed) {
  const ledger::Visit visit = VisitAnswered(Answer("500 Oops", "", ""), /*last_attempt=*/true);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, 500);
}

TEST_F(OrderDeskTest, GarbageIsANetworkFailureThatMayPass) {
  const schedule::Outcome outcome = TransientAnswered(support::RawThenClose("what?\r\n\r\n"));
  EXPECT_TRUE(outcome.network_failure);
  EXPECT_EQ(outcome.status, 0);
}

TEST_F(OrderDeskTest, GarbageOnTheLastAttemptHasFailed) {
  const ledger::Visit visit =
      VisitAnswered(support::RawThenClose("what?\r\n\r\n"), /*last_attempt=*/true);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, 0);
}

TEST_F(OrderDeskTest, AnEndlessBodyCountsUpToTheLimit) {
  HttpReply endless{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=one>1</a>"};
  endless.then = HttpReply::Then::kRepeat;
  endless.repeat = std::string(1000, ' ');
  const ledger::Visit visit = VisitAnswered(endless);
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(desk().counters().too_large, 1u);
}

TEST_F(OrderDeskTest, ARefusedAddressHasFailedAtOnce) {
  options_.fetch.allow_private = false;
  const ledger::Visit visit = VisitAnswered(support::Ok(""));
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(OrderDeskTest, RobotsIsReadFirstInASlotOfItsHost) {
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

TEST_F(OrderDeskTest, WhatRobotsForbidsIsNotRequested) {
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

TEST_F(OrderDeskTest, UnreachableRobotsFailThePageAfterThreeAttempts) {
  Serve("/robots.txt", Answer("503 Oops", "", ""));
  const schedule::Order order = OrderOf(kPage);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const schedule::Outcome outcome = OutcomeOf(order);
    EXPECT_EQ(outcome.result, Result::kPostponed);
    EXPECT_EQ(outcome.status, 503);
  }
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFailed);
  EXPECT_EQ(server_.requests().size(), 3u);
}

// A robots.txt that lies on another host is fetched in a slot of that host: an errand.
TEST_F(OrderDeskTest, RobotsElsewhereIsAnErrandOfThatHost) {
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/rules\r\n", ""));
  Serve("/rules", support::Ok("User-agent: *\nDisallow: /page"));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);  // the redirect
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);  // waits for the errand
  const schedule::Offers offered = heard_.TakeOffers();
  ASSERT_EQ(offered.offers.size(), 1u);
  EXPECT_EQ(offered.offers[0].host, "b.test");
  const schedule::Outcome errand = OutcomeOf({offered.offers[0].page});
  EXPECT_EQ(errand.result, Result::kDone);
  EXPECT_EQ(errand.host, "b.test");
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kForbidden);
}

TEST_F(OrderDeskTest, AHostGivenUpIsNotAsked) {
  schedule::Order order = OrderOf(kPage);
  order.host_given_up = true;
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFailed);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(OrderDeskTest, NoMorePagesThanAreLeft) {
  KnowRobots();
  desk().SetPagesLeft(1);
  Serve("/page", support::Ok(""));
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  const schedule::Outcome outcome = OutcomeOf(OrderOf("http://a.test/second"));
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_FALSE(outcome.requested);
}

// A page that must be tried again is not one of those left.
TEST_F(OrderDeskTest, ATransientFailureGivesItsPageBack) {
  desk().SetPagesLeft(1);
  TransientAnswered(Answer("503 Oops", "", ""));
  EXPECT_EQ(VisitAnswered(support::Ok("")).kind, VisitKind::kFetched);
}

TEST_F(OrderDeskTest, APausedDeskPostponesAndThenGoesOn) {
  KnowRobots();
  Serve("/page", support::Ok(""));
  const schedule::Order order = OrderOf(kPage);
  desk().Pause(true);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_TRUE(server_.requests().empty());
  desk().Pause(false);
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
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
  desk().Stop();  // ended without an outcome and without a report
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
}  // namespace opic::node
