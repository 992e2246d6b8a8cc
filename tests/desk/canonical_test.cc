// Canonical pages: which site is one, circles, and what the order desk makes of the answer of a
// page that names another one.
#include "desk/canonical.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

using testing::HasSubstr;

bool OneSite(const char* a, const char* b) { return AreOfOneSite(*url::Parse(a), *url::Parse(b)); }

TEST(CanonicalSiteTest, OneRegistrableDomainIsASite) {
  EXPECT_TRUE(OneSite("http://a.test/x", "https://a.test:444/y"));
  EXPECT_TRUE(OneSite("http://www.example.co.uk/", "http://example.co.uk/"));
  EXPECT_TRUE(OneSite("http://127.0.0.1/", "http://127.0.0.1:8080/"));
  EXPECT_FALSE(OneSite("http://a.co.uk/", "http://b.co.uk/"));
  EXPECT_FALSE(OneSite("http://a.github.io/", "http://b.github.io/"));
  EXPECT_FALSE(OneSite("http://127.0.0.1/", "http://127.0.0.2/"));
  EXPECT_FALSE(OneSite("http://a.example/", "http://a.example.evil.test/"));
}

class CanonicalDeskTest : public OrderDeskTest {
 protected:
  static constexpr char kHtml[] = "Content-Type: text/html\r\n";

  ledger::Visit VisitOfPage(const std::string& html, const std::string& header = "") {
    return VisitAnswered(Answer("200 OK", kHtml + header, html));
  }
  static std::vector<std::string> Urls(const std::vector<ledger::Link>& links) {
    std::vector<std::string> urls;
    for (const ledger::Link& link : links) urls.push_back(link.url);
    return urls;
  }
  // It pays its links, as pages without a canonical do.
  void ExpectOrdinary(const ledger::Visit& visit) {
    EXPECT_EQ(visit.http_status, 200);
    EXPECT_TRUE(visit.discovered.empty());
    EXPECT_EQ(Count(Counter::kCanonical), 0u);
  }
  uint64_t Count(Counter counter) { return desk().counters()[counter]; }
  void KnowHistory(const std::string& url, const ledger::HistoryRow& row) {
    store::Batch batch;
    batch.Put(store::Table::kHistory, ledger::KeyOf(Id(url)), ledger::Encode(row, window_));
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
  // `url` was read, and passes its cash on to `to`.
  void KnowItPays(const std::string& url, const std::string& to,
                  VisitKind kind = VisitKind::kFetched) {
    ledger::HistoryRow row;
    row.kind = kind;
    row.http_status = kind == VisitKind::kRedirect ? 301 : RowStatusOf(200, {.canonical = true});
    row.links = {Id(to)};
    KnowHistory(url, row);
  }
};

TEST_F(CanonicalDeskTest, TheCanonicalIsPaidAloneAndTheLinksAreKnown) {
  const ledger::Visit visit =
      VisitOfPage("<link rel=canonical href=/whole><a href=/one>1</a><a href=//b.test/>2</a>");
  EXPECT_EQ(visit.kind, VisitKind::kFetched);
  EXPECT_THAT(Urls(visit.links), testing::ElementsAre("http://a.test/whole"));
  EXPECT_EQ(visit.links[0].page, Id("http://a.test/whole"));
  EXPECT_THAT(Urls(visit.discovered),
              testing::ElementsAre("http://a.test/whole", "http://a.test/one", "http://b.test/"));
  EXPECT_EQ(visit.http_status, RowStatusOf(200, LeftOut{.canonical = true}));
  EXPECT_EQ(Count(Counter::kCanonical), 1u);
  EXPECT_EQ(Count(Counter::kLinksFound), 3u);
  const std::string line = base::ReadFile(log_).value_or("");
  EXPECT_THAT(line, HasSubstr(R"("left_out":["canonical"])"));
  EXPECT_THAT(line, HasSubstr(R"("links":3)"));
}

TEST_F(CanonicalDeskTest, TheHeaderNamesItToo) {
  const ledger::Visit visit =
      VisitOfPage("<a href=/one>1</a>", "Link: <https://www.a.test/whole>; rel=\"canonical\"\r\n");
  EXPECT_THAT(Urls(visit.links), testing::ElementsAre("https://www.a.test/whole"));
  EXPECT_EQ(Count(Counter::kCanonical), 1u);
}

TEST_F(CanonicalDeskTest, ItsOwnNameSaysNothing) {
  ExpectOrdinary(VisitOfPage("<link rel=canonical href=http://a.test/page#top><a href=/1>x</a>"));
  options_.strip_tracking = true;
  desk_.reset();
  const ledger::Visit visit =
      VisitOfPage("<link rel=canonical href='/page?utm_source=x'><a href=/1>x</a>");
  EXPECT_TRUE(visit.discovered.empty());
  EXPECT_EQ(Count(Counter::kCanonical), 0u);
  EXPECT_EQ(Count(Counter::kCanonicalAway), 0u);
}

TEST_F(CanonicalDeskTest, OneThatLeavesTheSiteIsALink) {
  const ledger::Visit visit =
      VisitOfPage("<link rel=canonical href=//other.test/><a href=/1>x</a>");
  ExpectOrdinary(visit);
  EXPECT_THAT(Urls(visit.links), testing::ElementsAre("http://other.test/", "http://a.test/1"));
  EXPECT_EQ(Count(Counter::kCanonicalAway), 1u);
}

TEST_F(CanonicalDeskTest, OneOutOfScopeIsALink) {
  desk().AskScope([](const ledger::PageRow& row) { return row.url != "http://a.test/private"; });
  ExpectOrdinary(VisitOfPage("<link rel=canonical href=/private><a href=/1>x</a>"));
  EXPECT_EQ(Count(Counter::kCanonicalAway), 1u);
}

// It is known already, from nearer to the seeds.
TEST_F(CanonicalDeskTest, APageAtTheGreatestDepthHasItsCanonical) {
  desk().AskScope([](const ledger::PageRow& row) { return row.depth <= 3; });
  KnowRobots();
  Serve("/page", Answer("200 OK", kHtml, "<link rel=canonical href=/whole>"));
  store::Batch batch;
  batch.Put(store::Table::kPage, ledger::KeyOf(Id(kPage)),
            ledger::Encode(ledger::PageRow{kPage, 3}));
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  EXPECT_THAT(Urls(VisitOf({Id(kPage)}).links), testing::ElementsAre("http://a.test/whole"));
}

TEST_F(CanonicalDeskTest, SeveralThatDifferAreLinks) {
  const ledger::Visit visit =
      VisitOfPage("<link rel=canonical href=/1><link rel=canonical href=/2>");
  ExpectOrdinary(visit);
  EXPECT_EQ(visit.links.size(), 2u);
  EXPECT_EQ(Count(Counter::kCanonicalUnclear), 1u);
}

TEST_F(CanonicalDeskTest, SwitchedOffItIsALink) {
  options_.canonical = false;
  const ledger::Visit visit = VisitOfPage("<link rel=canonical href=/whole><a href=/1>x</a>");
  ExpectOrdinary(visit);
  EXPECT_EQ(visit.links.size(), 2u);
}

// Of two pages that name each other the one that is read last pays its own links.
TEST_F(CanonicalDeskTest, ACircleIsCut) {
  KnowItPays("http://a.test/whole", kPage);
  ExpectOrdinary(VisitOfPage("<link rel=canonical href=/whole><a href=/1>x</a>"));
  EXPECT_EQ(Count(Counter::kCanonicalUnclear), 1u);
}

// A site that has moved to https, and whose pages name their old URLs still.
TEST_F(CanonicalDeskTest, ACircleThroughRedirectsAndOtherPagesIsCut) {
  KnowItPays("http://a.test/whole", "http://a.test/2");
  KnowItPays("http://a.test/2", "http://a.test/3", VisitKind::kRedirect);
  KnowItPays("http://a.test/3", kPage);
  ExpectOrdinary(VisitOfPage("<link rel=canonical href=/whole><a href=/1>x</a>"));
}

// A page that was the first of its content names its duplicate as its canonical.
TEST_F(CanonicalDeskTest, ACircleThroughADuplicateIsCut) {
  ledger::HistoryRow duplicate;
  duplicate.http_status = RowStatusOf(200, {.duplicate = true});
  duplicate.links = {Id(kPage)};
  KnowHistory("http://a.test/whole", duplicate);
  ExpectOrdinary(VisitOfPage("<link rel=canonical href=/whole><a href=/1>x</a>"));
  EXPECT_EQ(Count(Counter::kCanonicalUnclear), 1u);
}

TEST_F(CanonicalDeskTest, AChainIsNoCircle) {
  KnowItPays("http://a.test/whole", "http://a.test/2");
  ledger::HistoryRow plain;  // the end of the chain links back, as pages do
  plain.http_status = 200;
  plain.links = {Id(kPage)};
  KnowHistory("http://a.test/2", plain);
  EXPECT_THAT(Urls(VisitOfPage("<link rel=canonical href=/whole>").links),
              testing::ElementsAre("http://a.test/whole"));
}

// A circle that the page is not part of, and a long one, end the search.
TEST_F(CanonicalDeskTest, TheSearchForACircleIsBounded) {
  KnowItPays("http://a.test/whole", "http://a.test/2");
  KnowItPays("http://a.test/2", "http://a.test/whole");
  EXPECT_EQ(VisitOfPage("<link rel=canonical href=/whole>").links.size(), 1u);
  EXPECT_EQ(Count(Counter::kCanonical), 1u);
}

TEST_F(CanonicalDeskTest, A304KeepsIt) {
  ledger::HistoryRow before;
  before.etag = "\"v1\"";
  before.http_status = RowStatusOf(200, {.canonical = true});
  KnowHistory(kPage, before);
  const ledger::Visit visit = VisitAnswered({.bytes = "HTTP/1.1 304 Not Modified\r\n\r\n"});
  EXPECT_EQ(visit.http_status, RowStatusOf(304, LeftOut{.canonical = true}));
}

// What counts as its content is what it was, whoever is paid.
TEST_F(CanonicalDeskTest, TheDigestIsOfAllLinks) {
  options_.links.text_digest = true;
  const std::string html = "<link rel=canonical href=/whole><p>text</p><a href=/1>x</a>";
  const uint64_t hash = VisitOfPage(html).content_hash;
  options_.canonical = false;
  desk_.reset();
  EXPECT_EQ(VisitOfPage(html).content_hash, hash);
}

}  // namespace
}  // namespace opic::desk
