// What answers of servers become: visits, and outcomes for the scheduler.
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

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

// What waits for the ledger is counted by the size of its texts.
TEST_F(OrderDeskTest, LinksHaveNoRoomForTheirBase) {
  const std::string base = "<base href='http://a.test/" + std::string(1'500, 'x') + "/'>";
  const ledger::Visit visit = VisitAnswered(
      Answer("200 OK", "Content-Type: text/html\r\n",
             base + "<a href=/one>1</a><a href='/two#" + std::string(1'500, 'y') + "'>2</a>"));
  ASSERT_EQ(visit.links.size(), 2u);
  for (const ledger::Link& link : visit.links)
    EXPECT_LE(link.url.capacity(), 2 * link.url.size()) << link.url;
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

// It counted as fetched, without a content.
TEST_F(OrderDeskTest, A304OfAPageThatWasNeverReadIsGone) {
  const ledger::Visit visit = VisitAnswered({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  EXPECT_EQ(visit.kind, VisitKind::kGone);
  EXPECT_EQ(visit.http_status, 304);
}

TEST_F(OrderDeskTest, A3xxHasItsTargetAsItsOneLink) {
  const ledger::Visit visit =
      VisitAnswered(Answer("302 Found", "Location: ../other?x#y\r\n", "<a href=one>1</a>"));
  EXPECT_EQ(visit.kind, VisitKind::kRedirect);
  ASSERT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(visit.links[0].url, "http://a.test/other?x");
}

// It led to a URL with U+FFFD in it.
TEST_F(OrderDeskTest, ATargetThatIsNotUtf8KeepsItsBytes) {
  const ledger::Visit visit = VisitAnswered(Answer("301 Moved", "Location: /caf\xE9\r\n", ""));
  EXPECT_EQ(visit.kind, VisitKind::kRedirect);
  ASSERT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(visit.links[0].url, "http://a.test/caf%E9");
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
  EXPECT_EQ(desk().counters()[Counter::kUnauthorized], 1u) << "the 401";
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
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kBadAnswer}));
}

TEST_F(OrderDeskTest, AnEndlessBodyCountsUpToTheLimit) {
  HttpReply endless{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=one>1</a>"};
  endless.then = HttpReply::Then::kRepeat;
  endless.repeat = std::string(1000, ' ');
  const ledger::Visit visit = VisitAnswered(endless);
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.links.size(), 1u);
  EXPECT_EQ(desk().counters()[Counter::kTooLarge], 1u);
}

// Its 200 was told, as if it had been read.
TEST_F(OrderDeskTest, ABodyThatIsCutTellsThatAndNotItsStatus) {
  const ledger::Visit visit =
      VisitAnswered(support::RawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of"),
                    /*last_attempt=*/true);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kCut}));
}

// The last attempt was a good answer to the scheduler: a host that sends heads and stalls was never
// left alone.
TEST_F(OrderDeskTest, AnAnswerThatBreaksOffIsNoneAtAnyAttempt) {
  KnowRobots();
  options_.fetch.total_timeout = absl::Milliseconds(500);
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
  const HttpReply stalls{.bytes = head, .then = HttpReply::Then::kSilence};
  for (const HttpReply& reply :
       {support::RawThenClose(head + "half of"), stalls,
        support::RawThenClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
    Serve("/page", reply);
    schedule::Order order = OrderOf(kPage);
    for (const bool last_attempt : {false, true}) {
      order.last_attempt = last_attempt;
      const schedule::Outcome outcome = OutcomeOf(order);
      EXPECT_EQ(outcome.result, last_attempt ? Result::kDone : Result::kTransient);
      EXPECT_EQ(outcome.status, 200);
      EXPECT_TRUE(outcome.network_failure) << reply.bytes;
    }
    EXPECT_EQ(TakeVisit(order).kind, VisitKind::kFailed);
  }
}

// It asks for a pause, however it ends.
TEST_F(OrderDeskTest, A429ThatIsCutIsAnAnswer) {
  const schedule::Outcome outcome = TransientAnswered(support::RawThenClose(
      "HTTP/1.1 429 Slow down\r\nRetry-After: 7\r\nContent-Length: 100\r\n\r\nhalf of"));
  EXPECT_EQ(outcome.status, 429);
  EXPECT_EQ(outcome.retry_after, absl::Seconds(7));
  EXPECT_FALSE(outcome.network_failure);
}

// That is its own fault, whoever asks and when.
TEST_F(OrderDeskTest, ABodyThatIsWronglyPackedIsAnAnswer) {
  KnowRobots();
  Serve("/page", Answer("200 OK", "Content-Encoding: gzip\r\n", "plain"));
  const schedule::Order order = OrderOf(kPage);
  const schedule::Outcome outcome = OutcomeOf(order);
  EXPECT_EQ(outcome.result, Result::kDone);
  EXPECT_FALSE(outcome.network_failure);
  EXPECT_EQ(TakeVisit(order).kind, VisitKind::kFailed);
}

}  // namespace
}  // namespace opic::desk
