// What of an answer is not read: bodies of types that are not accepted, what is above a bound,
// links that are none. Each is told in the visit, the counters and the log of fetches.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "refresh/content_hash.h"
#include "tests/desk/order_desk_fixture.h"
#include "tests/fetch/gzip.h"

namespace opic::desk {
namespace {

using testing::HasSubstr;
using testing::Not;

class LeftOutDeskTest : public OrderDeskTest {
 protected:
  std::string LastLine() const {
    std::string text = base::ReadFile(log_).value_or("\n");
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }
  static std::string DigestField(uint64_t digest) {
    return absl::StrCat("\"digest\":\"", absl::Hex(digest, absl::kZeroPad16), "\"");
  }
  uint64_t Count(Counter counter) { return desk().counters()[counter]; }
  void KnowHistory(const ledger::HistoryRow& row) {
    store::Batch batch;
    batch.Put(store::Table::kHistory, ledger::KeyOf(Id(kPage)), ledger::Encode(row, window_));
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
  // 300 MB are promised.
  HttpReply Large(const std::string& type, const std::string& more = "") {
    HttpReply reply{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n" + more +
                             "Content-Length: 314572800\r\n\r\n"};
    reply.then = HttpReply::Then::kRepeat;
    reply.repeat = std::string(16'000, 'x');
    return reply;
  }
};

TEST_F(LeftOutDeskTest, ABodyOfAnotherTypeIsNotDownloadedAndItsPageIsRead) {
  const ledger::Visit visit = VisitAnswered(Large(
      "application/zip", "ETag: \"v1\"\r\nLast-Modified: then\r\nLink: </doc>; rel=next\r\n"));
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_EQ(visit.http_status, RowStatusOf(200, LeftOut{.type = true}));
  EXPECT_EQ(visit.etag, "\"v1\"");
  EXPECT_EQ(visit.last_modified, "then");
  EXPECT_NE(visit.content_hash, 0u);
  ASSERT_EQ(visit.links.size(), 1u) << "what its header says is read";
  EXPECT_EQ(visit.links[0].url, "http://a.test/doc");
  EXPECT_EQ(Count(Counter::kUnwantedPages), 1u);
  EXPECT_EQ(Count(Counter::kUnwantedStopped), 1u);
  EXPECT_EQ(Count(Counter::kUnwantedBytes), 314'572'800u);
  EXPECT_EQ(Count(Counter::kTooLarge), 0u);
  EXPECT_LT(Count(Counter::kWireBytes), 1000u);
  EXPECT_THAT(LastLine(), HasSubstr(R"("left_out":["type"],"declared_bytes":314572800)"));
}

TEST_F(LeftOutDeskTest, WhatItsHeaderSaysIsTheContentOfABodyThatIsNotDownloaded) {
  const auto hash = [&](const std::string& more) {
    return VisitAnswered(Large("image/png", more)).content_hash;
  };
  const uint64_t first = hash("ETag: \"1\"\r\n");
  EXPECT_EQ(hash("ETag: \"1\"\r\n"), first);
  EXPECT_NE(hash("ETag: \"2\"\r\n"), first);
  // Another page that says the same is not the same.
  Serve("/other", Large("image/png", "ETag: \"1\"\r\n"));
  EXPECT_NE(VisitOf(OrderOf("http://a.test/other")).content_hash, first);
  HttpReply silent{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"};
  silent.then = HttpReply::Then::kSilence;
  EXPECT_EQ(VisitAnswered(silent).content_hash, 0u);
}

// Text digests are of what a reader sees, and nothing was.
TEST_F(LeftOutDeskTest, HtmlThatIsNotAcceptedHasNoTextDigest) {
  options_.accept = *AcceptList::Parse("pdf");
  options_.links.text_digest = true;
  const uint64_t first = VisitAnswered(Large("text/html", "ETag: \"1\"\r\n")).content_hash;
  EXPECT_NE(VisitAnswered(Large("text/html", "ETag: \"2\"\r\n")).content_hash, first);
}

TEST_F(LeftOutDeskTest, WhatIsAcceptedIsDownloaded) {
  options_.accept = *AcceptList::Parse("html,image/*");
  const ledger::Visit visit = VisitAnswered(Answer("200 OK", "Content-Type: image/png\r\n", "x"));
  EXPECT_EQ(visit.http_status, 200);
  EXPECT_EQ(visit.content_hash, refresh::HashOfBytes(base::Hash64("x")));
  EXPECT_THAT(LastLine(), Not(HasSubstr("left_out")));
  EXPECT_THAT(LastLine(), HasSubstr(DigestField(visit.content_hash)));
  EXPECT_EQ(server_.requests().back().Header("Accept"), options_.accept.Header());
}

// Sitemaps and robots.txt come under all sorts of types.
TEST_F(LeftOutDeskTest, RobotsAndSitemapsAreReadWhateverTheirType) {
  const std::string type = "Content-Type: application/octet-stream\r\n";
  Serve("/robots.txt", Answer("200 OK", type, "User-agent: *\nDisallow: /secret\n"));
  Serve("/sitemap1", Answer("200 OK", type,
                            "<?xml version='1.0'?><urlset><url><loc>http://a.test/1"
                            "</loc></url></urlset>"));
  const schedule::Order order = OrderOf("http://a.test/sitemap1");
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed);
  EXPECT_EQ(VisitOf(order).http_status, 200);
  EXPECT_EQ(VisitOf(OrderOf("http://a.test/secret")).kind, VisitKind::kForbidden);
  for (const HttpRequest& request : server_.requests())
    EXPECT_EQ(request.Header("Accept"), "*/*") << request.target;
}

// It stopped at its header; so do archives that pages link to.
TEST_F(LeftOutDeskTest, APackedSitemapIsReadWhereRobotsNamesIt) {
  KnowRobots("Sitemap: http://a.test/feeds/map.gz\n");
  const HttpReply map = Answer(
      "200 OK", "Content-Type: application/x-gzip\r\n",
      fetch::Gzip("<?xml version='1.0'?><urlset><url><loc>http://a.test/1</loc></url></urlset>"));
  Serve("/feeds/map.gz", map);
  Serve("/feeds/other.gz", map);
  const ledger::Visit named = VisitOf(OrderOf("http://a.test/feeds/map.gz"));
  EXPECT_EQ(named.http_status, 200);
  ASSERT_EQ(named.links.size(), 1u);
  EXPECT_EQ(named.links[0].url, "http://a.test/1");
  const ledger::Visit other = VisitOf(OrderOf("http://a.test/feeds/other.gz"));
  EXPECT_EQ(other.http_status, RowStatusOf(200, LeftOut{.type = true}));
}

TEST_F(LeftOutDeskTest, A304KeepsWhatTheReadingBeforeLeftOut) {
  ledger::HistoryRow before;
  before.etag = "\"v1\"";
  before.http_status = RowStatusOf(200, LeftOut{.links = true});
  KnowHistory(before);
  const ledger::Visit visit = VisitAnswered({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  EXPECT_EQ(visit.http_status, RowStatusOf(304, LeftOut{.links = true}));
}

// Nothing told of them.
TEST_F(LeftOutDeskTest, LinksAboveTheBoundsAreReported) {
  options_.links.links_max = 2;
  const std::string long_link = "<a href='/" + std::string(url::kUrlBytesMax, 'x') + "'>";
  const ledger::Visit visit =
      VisitAnswered(Answer("200 OK", "Content-Type: text/html\r\n",
                           "<a href='mailto:x@y'><a href='http://['>" + long_link +
                               "<a rel=nofollow href=0><a href=1><a href=2><a href=3>"));
  EXPECT_EQ(visit.links.size(), 2u);
  const LeftOut expected{.links = true, .long_links = true};
  EXPECT_EQ(visit.http_status, RowStatusOf(200, expected));
  EXPECT_EQ(Count(Counter::kManyLinks), 1u);
  EXPECT_EQ(Count(Counter::kOtherScheme), 1u);
  EXPECT_EQ(Count(Counter::kLinksTooLong), 1u);
  EXPECT_EQ(Count(Counter::kLinksMalformed), 1u);
  EXPECT_EQ(Count(Counter::kLinksNofollow), 1u);
  EXPECT_EQ(Count(Counter::kLinksRejected), 3u);
  EXPECT_THAT(LastLine(),
              HasSubstr(R"("left_out":["links","long_links"],"links_left_out":{)"
                        R"("other_scheme":1,"too_long":1,"malformed":1,"nofollow":1})"));
}

TEST_F(LeftOutDeskTest, ABodyCutAtTheLimitIsReported) {
  const ledger::Visit visit = VisitAnswered(Large("text/html"));
  EXPECT_EQ(visit.http_status, RowStatusOf(200, LeftOut{.body = true}));
  EXPECT_THAT(LastLine(), HasSubstr(R"("left_out":["body"])"));
}

TEST_F(LeftOutDeskTest, ARedirectToNowhereSaysWhy) {
  VisitAnswered(Answer("302 Found", "Location: file:///etc/passwd\r\n", ""));
  EXPECT_THAT(LastLine(), HasSubstr("file:///etc/passwd"));
  EXPECT_THAT(LastLine(), HasSubstr(R"("outcome":"gone")"));
  VisitAnswered(Answer("302 Found", "", ""));
  EXPECT_THAT(LastLine(), HasSubstr("without a Location"));
  VisitAnswered(Answer("404 Not Found", "", ""));
  EXPECT_THAT(LastLine(), HasSubstr(R"("detail":"")"));
  EXPECT_EQ(Count(Counter::kNowhere), 2u);
}

TEST_F(LeftOutDeskTest, AnswersToRobotsTxtAreCountedAndLogged) {
  struct Case {
    HttpReply reply;
    const char* word;
    Counter counter;
  };
  int number = 0;
  for (const Case& one :
       {Case{support::Ok("User-agent: *\n"), "rules", Counter::kRobotsRules},
        Case{Answer("404 Not Found", "", ""), "none", Counter::kRobotsNone},
        Case{Answer("302 Found", "Location: /r\r\n", ""), "redirect", Counter::kRobotsRedirects},
        Case{Answer("503 Oops", "", ""), "failed", Counter::kRobotsFailed},
        Case{support::RawThenClose("what?"), "failed", Counter::kRobotsFailed}}) {
    const uint64_t before = Count(one.counter);
    Serve("/robots.txt", one.reply);
    EXPECT_EQ(OutcomeOf(OrderOf("http://h" + std::to_string(++number) + ".test/")).result,
              Result::kPostponed);
    EXPECT_EQ(Count(one.counter), before + 1) << one.word;
    EXPECT_THAT(LastLine(), HasSubstr(std::string(R"("robots":")") + one.word + "\""));
  }
  EXPECT_EQ(Count(Counter::kRobotsCut), 0u);
}

}  // namespace
}  // namespace opic::desk
