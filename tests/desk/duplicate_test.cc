// Exact duplicates: which pages have the same content, and what the order desk tells of it.
#include "desk/duplicate.h"

#include <gmock/gmock.h>

#include "base/encoding.h"
#include "refresh/content_hash.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

const std::string kLongText(kDuplicateTextMin, 'x');

links::Result Extracted(const url::Url& page, const std::string& html) {
  links::Limits limits;
  limits.text_digest = true;
  links::Document document;
  document.body = html;
  document.content_type = "text/html";
  document.url = &page;
  return links::Extract(document, limits);
}

uint64_t HashOf(const url::Url& page, const links::Result& found) {
  return ContentHashOf(found, ContentLinks(page, found));
}

uint64_t HashAt(const std::string& page, const std::string& html) {
  const url::Url url = *url::Parse(page);
  return HashOf(url, Extracted(url, html));
}

uint64_t KeyAt(const std::string& page, const std::string& html, LeftOut left_out = {}) {
  const url::Url url = *url::Parse(page);
  const links::Result found = Extracted(url, html);
  return ContentKeyOf(url, found, HashOf(url, found), left_out);
}

TEST(ContentHashTest, TextAndLinksAreTheContent) {
  const std::string html = "<p>text</p><a href=/1>one</a><a href=/2>two</a>";
  const uint64_t hash = HashAt("http://a.test/x", html);
  EXPECT_TRUE(refresh::IsOfText(hash));
  EXPECT_EQ(HashAt("http://a.test/y", html), hash);
  EXPECT_EQ(HashAt("http://a.test/x", "<!-- at 12:00 -->" + html), hash);
  EXPECT_NE(HashAt("http://a.test/x", "<p>other</p>" + html), hash);
  EXPECT_NE(HashAt("http://a.test/x", "<p>text</p><a href=/1>one</a><a href=/3>two</a>"), hash);
  EXPECT_NE(HashAt("http://a.test/x", "<p>text</p><a href=/2>one</a><a href=/1>two</a>"), hash);
}

// Stores are full of these hashes: another one would be a change of every page.
TEST(ContentHashTest, ItIsThatOfTheTextAndThenOfEachLink) {
  const url::Url page = *url::Parse("http://a.test/x?sid=1");
  links::Result found;
  for (const char* link : {"http://a.test/a?sid=1&n=1", "https://a.test/b;jsessionid=1/c;d",
                           "http://b.test/?", "http://a.test/e"})
    found.links.push_back(*url::Parse(link));
  EXPECT_EQ(HashOf(page, found), 0u);
  found.text_digest = 7;
  found.own_link = 1;
  uint64_t hash = 7;
  for (const char* link : {"/a?n=1", "/x", "https://a.test/b/c;d", "http://b.test/?", "/e"})
    hash = base::Hash64(link, hash);
  EXPECT_EQ(HashOf(page, found), refresh::HashOfText(hash));
  found.own_link = 4;
  hash = 7;
  for (const char* link : {"/a?n=1", "https://a.test/b/c;d", "http://b.test/?", "/e", "/x"})
    hash = base::Hash64(link, hash);
  EXPECT_EQ(HashOf(page, found), refresh::HashOfText(hash));
}

// "/" and "/index.html": the parser leaves out another link on each, that to the page itself.
TEST(ContentHashTest, ALinkToThePageItselfCountsLikeOthers) {
  const std::string html = "<a href=/x>x</a><a href=/>home</a><a href=/index.html>index</a>";
  const uint64_t hash = HashAt("http://a.test/", html);
  EXPECT_EQ(HashAt("http://a.test/index.html", html), hash);
  EXPECT_EQ(HashAt("http://a.test/x", html), hash);
  EXPECT_EQ(HashAt("http://a.test/other", html), hash);
  EXPECT_NE(
      HashAt("http://a.test/", "<a href=/x>x</a><a href=''>home</a><a href=/index.html>index"),
      hash);
}

TEST(ContentHashTest, PlacesInThePageAreNoLinks) {
  const std::string html = "<a href='#top'>top</a><a href=''>this</a><a href=/1>one</a>";
  EXPECT_EQ(HashAt("http://a.test/x", html), HashAt("http://a.test/y", html));
}

TEST(ContentHashTest, SessionsMakeNoDifference) {
  const auto page = [](const std::string& session) {
    return "<a href='/a?sid=" + session + "&n=1'>a</a><a href='/b;jsessionid=" + session +
           "'>b</a><a href='/x?sid=" + session + "'>x</a>";
  };
  EXPECT_EQ(HashAt("http://a.test/x?sid=1", page("1")), HashAt("http://a.test/x?sid=2", page("2")));
  EXPECT_NE(HashAt("http://a.test/x", "<a href='/a?n=1'>a</a>"),
            HashAt("http://a.test/x", "<a href='/a?n=2'>a</a>"));
}

TEST(ContentHashTest, TheNameOfTheSiteMakesNoDifference) {
  const auto page = [](const std::string& origin) {
    return "<a href='" + origin + "/1'>one</a><a href=http://b.test/>b</a>";
  };
  EXPECT_EQ(HashAt("http://a.test/", page("")), HashAt("https://www.a.test/", page("")));
  EXPECT_EQ(HashAt("http://a.test/", page("")), HashAt("http://a.test/", page("http://a.test")));
  EXPECT_NE(HashAt("http://a.test/", page("")), HashAt("http://a.test/", page("http://c.test")));
}

TEST(ContentKeyTest, AKeyIsOfOneSite) {
  const std::string html = kLongText + "<a href=/1>one</a>";
  const uint64_t key = KeyAt("http://a.test/x", html);
  EXPECT_NE(key, 0u);
  EXPECT_EQ(KeyAt("https://www.a.test/y", html), key);
  EXPECT_NE(KeyAt("http://b.test/x", html), key);
}

TEST(ContentKeyTest, LittleTextAndNoLinksMakeNoDuplicates) {
  EXPECT_EQ(KeyAt("http://a.test/", "<a href=/1>one</a>"), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", std::string(kDuplicateTextMin - 2, 'x')), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", kLongText), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", kLongText + "<a rel=nofollow href=/1>one</a>"), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", "<frameset><frame src=/1><frame src=/2></frameset>"), 0u);
}

TEST(ContentKeyTest, WhatWasNotReadWholeIsNoDuplicate) {
  const std::string html = kLongText + "<a href=/1>one</a>";
  EXPECT_EQ(KeyAt("http://a.test/", html, {.body = true}), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", html, {.links = true}), 0u);
  EXPECT_EQ(KeyAt("http://a.test/", html, {.canonical = true}), 0u);
  EXPECT_NE(KeyAt("http://a.test/", html, {.long_links = true}), 0u);
}

TEST(ContentKeyTest, ARowHasTheKeyOfTheFirstPageOfItsContent) {
  const url::Url page = *url::Parse("http://a.test/x");
  const std::string html = kLongText + "<a href=/1>one</a>";
  ledger::HistoryRow row;
  row.http_status = 200;
  row.content_hash = HashAt(page.text(), html);
  EXPECT_EQ(ContentKeyOf(page, row), KeyAt(page.text(), html));
  for (const LeftOut left_out :
       {LeftOut{.body = true}, LeftOut{.canonical = true}, LeftOut{.duplicate = true}}) {
    row.http_status = RowStatusOf(200, left_out);
    EXPECT_EQ(ContentKeyOf(page, row), 0u);
  }
  row.http_status = 200;
  row.doubted = true;
  EXPECT_EQ(ContentKeyOf(page, row), 0u);
  row.doubted = false;
  row.kind = VisitKind::kGone;
  EXPECT_EQ(ContentKeyOf(page, row), 0u);
  row.kind = VisitKind::kFetched;
  row.content_hash = refresh::HashOfBytes(row.content_hash);
  EXPECT_EQ(ContentKeyOf(page, row), 0u);
}

class DuplicateDeskTest : public OrderDeskTest {
 protected:
  DuplicateDeskTest() { options_.links.text_digest = true; }
  ledger::Visit VisitOfPage(const std::string& html) {
    return VisitAnswered(Answer("200 OK", "Content-Type: text/html\r\n", html));
  }
  void KnowHistory(const ledger::HistoryRow& row) {
    store::Batch batch;
    batch.Put(store::Table::kHistory, ledger::KeyOf(Id(kPage)), ledger::Encode(row, window_));
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
  static std::string Page() { return kLongText + "<a href=/1>one</a>"; }
};

TEST_F(DuplicateDeskTest, AVisitTellsTheKeyOfItsContentAndOfTheOneBefore) {
  ledger::HistoryRow before;
  before.http_status = 200;
  before.content_hash = refresh::HashOfText(77);
  KnowHistory(before);
  const ledger::Visit visit = VisitOfPage(Page());
  EXPECT_EQ(visit.content_key, KeyAt(kPage, Page()));
  EXPECT_EQ(visit.content_key_before, ContentKeyOf(*url::Parse(kPage), refresh::HashOfText(77)));
  EXPECT_EQ(visit.content_hash, HashAt(kPage, Page()));
}

TEST_F(DuplicateDeskTest, APageThatNamesACanonicalIsTheDuplicateOfNone) {
  EXPECT_EQ(VisitOfPage("<link rel=canonical href=/whole>" + Page()).content_key, 0u);
}

TEST_F(DuplicateDeskTest, SwitchedOffNothingIsLookedFor) {
  options_.duplicates = DuplicateUse::kOff;
  EXPECT_EQ(VisitOfPage(Page()).content_key, 0u);
}

// An answer of 304 would not have its links, should it have to pay them again.
TEST_F(DuplicateDeskTest, ADuplicateIsAskedForWhole) {
  ledger::HistoryRow before;
  before.etag = "\"v1\"";
  before.http_status = RowStatusOf(200, {.duplicate = true});
  before.content_hash = HashAt(kPage, Page());
  KnowHistory(before);
  const ledger::Visit visit = VisitOfPage(Page());
  EXPECT_EQ(server_.requests().back().Header("If-None-Match"), "");
  EXPECT_EQ(visit.content_key_before, 0u) << "it was not the first one";
}

}  // namespace
}  // namespace opic::desk
