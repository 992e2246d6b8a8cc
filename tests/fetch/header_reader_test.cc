#include "fetch/header_reader.h"

#include <gtest/gtest.h>

namespace opic::fetch {
namespace {

class HeaderReaderTest : public testing::Test {
 protected:
  void Lines(std::initializer_list<const char*> lines) {
    for (const char* line : lines) EXPECT_TRUE(reader_.Line(std::string(line) + "\r\n"));
  }
  Response response_;
  HeaderReader reader_{response_, 200};
};

TEST_F(HeaderReaderTest, KeepsValuesUnderNamesOfAnyCaseWithoutOuterSpace) {
  Lines({"HTTP/1.1 200 OK", "CONTENT-type:  text/html; charset=x \t", "eTag:W/\"a b\"", ""});
  EXPECT_EQ(response_.content_type, "text/html; charset=x");
  EXPECT_EQ(response_.etag, "W/\"a b\"");
}

TEST_F(HeaderReaderTest, NamesAreWholeNames) {
  Lines({"HTTP/1.1 200 OK", "last-MODIFIED: a", "retry-AFTER: b", "LINK: c", "Link: d",
         "reFresh: e", "retry-afteR2: x", "linx: x", "refres: x", "etah: x", ""});
  EXPECT_EQ(response_.last_modified, "a");
  EXPECT_EQ(response_.retry_after, "b");
  EXPECT_EQ(response_.link, "c, d");
  EXPECT_EQ(response_.refresh, "e");
  EXPECT_EQ(response_.etag, "");
}

TEST_F(HeaderReaderTest, LastLineOfAFieldWins) {
  Lines({"HTTP/1.1 301 x", "Location: /a", "Location: /b"});
  EXPECT_EQ(response_.location, "/b");
}

TEST_F(HeaderReaderTest, LinesOfRobotsTagsStayLines) {
  Lines({"HTTP/1.1 200 OK", "X-Robots-Tag: noindex", "x-robots-tag: other: nofollow"});
  EXPECT_EQ(response_.x_robots_tag, "noindex\nother: nofollow");
}

TEST_F(HeaderReaderTest, InterimResponsesLeaveNoValues) {
  Lines({"HTTP/1.1 103 Early Hints", "ETag: \"1\"", "", "HTTP/1.1 200 OK", "Location: /x", ""});
  EXPECT_EQ(response_.etag, "");
  EXPECT_EQ(response_.location, "/x");
}

TEST_F(HeaderReaderTest, TrailersLeaveNoValues) {
  Lines({"HTTP/1.1 200 OK", "ETag: \"1\"", "", "ETag: \"2\""});
  EXPECT_EQ(response_.etag, "\"1\"");
}

TEST_F(HeaderReaderTest, LinesWithoutAColonAreSkipped) {
  Lines({"HTTP/1.1 200 OK", "etag", ": x", "ETag: \"1\""});
  EXPECT_EQ(response_.etag, "\"1\"");
}

// RFC 9112 section 5.2. The values of such fields were lost.
TEST_F(HeaderReaderTest, ALineThatBeginsWithSpaceGoesOnWithTheOneBefore) {
  Lines({"HTTP/1.1 200 OK", "Location:", " http://a.test/next", "Content-Type: text/html;",
         "\tcharset=euc-jp", "Content-Length: ", " 1", "\t", "Content-Encoding:", " \t gzip", ""});
  EXPECT_EQ(response_.location, "http://a.test/next");
  EXPECT_EQ(response_.content_type, "text/html; charset=euc-jp");
  EXPECT_EQ(response_.content_length, 1u);
  EXPECT_EQ(reader_.content_encoding(), "gzip");
}

TEST_F(HeaderReaderTest, ListsGoOnByLinesOfBothKinds) {
  Lines({"HTTP/1.1 200 OK", "X-Robots-Tag: noindex,", " nofollow", "X-Robots-Tag:", " a: none",
         "Transfer-Encoding: gzip,", " chunked", "Transfer-Encoding:", " x", ""});
  EXPECT_EQ(response_.x_robots_tag, "noindex, nofollow\na: none");
  EXPECT_EQ(reader_.transfer_encoding(), "gzip, chunked, x");
}

TEST_F(HeaderReaderTest, WhatGoesOnIsNoFieldWhateverItLooksLike) {
  Lines({"HTTP/1.1 200 OK", " ETag: a", "X-Other: b", " ETag: c", "no field", " ETag: d"});
  EXPECT_EQ(response_.etag, "");
  Lines({"ETag: e", "", " ETag: f"});
  EXPECT_EQ(response_.etag, "e");
}

TEST_F(HeaderReaderTest, NothingGoesOnFromOneHeadToTheNext) {
  Lines({"HTTP/1.1 103 x", "ETag: a", "", "HTTP/1.1 200 OK", " b", ""});
  EXPECT_EQ(response_.etag, "");
}

TEST_F(HeaderReaderTest, ALineOfSpaceEndsNoHead) {
  Lines({"HTTP/1.1 200 OK", "ETag: a", " "});
  EXPECT_FALSE(reader_.at_end_of_head());
  Lines({"ETag: b", ""});
  EXPECT_TRUE(reader_.at_end_of_head());
  EXPECT_EQ(response_.etag, "b");
}

TEST_F(HeaderReaderTest, ALengthThatGoesOnIsReadAsAWhole) {
  Lines({"HTTP/1.1 200 OK", "Content-Length: 12", " 3", ""});
  EXPECT_FALSE(response_.content_length.has_value());
}

TEST_F(HeaderReaderTest, AllLinesOfAllHeadsCountTogether) {
  const std::string line = "HTTP/1.1 103 x\r\n";  // 16 bytes
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(reader_.Line(line));
  EXPECT_FALSE(reader_.Line(line));
}

TEST_F(HeaderReaderTest, TheLengthIsThatOfTheLastHeadAndANumberOrNothing) {
  Lines({"HTTP/1.1 103 x", "Content-Length: 7", "", "HTTP/1.1 200 OK"});
  EXPECT_FALSE(response_.content_length.has_value());
  Lines({"content-length: 12 "});
  EXPECT_EQ(response_.content_length, 12u);
  Lines({"", "HTTP/1.1 200 OK", "Content-Length: -5", "Content-Length: 99999999999999999999999"});
  EXPECT_FALSE(response_.content_length.has_value());
}

TEST_F(HeaderReaderTest, TheEndOfAHeadIsItsBlankLineAlone) {
  Lines({"HTTP/1.1 200 OK", "ETag: x"});
  EXPECT_FALSE(reader_.at_end_of_head());
  Lines({""});
  EXPECT_TRUE(reader_.at_end_of_head());
  Lines({"Trailer: x"});
  EXPECT_FALSE(reader_.at_end_of_head());
}

TEST_F(HeaderReaderTest, ExactlyTheLimitIsAllowed) {
  EXPECT_TRUE(reader_.Line(std::string(200, 'x')));
  EXPECT_FALSE(reader_.Line("x"));
}

}  // namespace
}  // namespace opic::fetch
