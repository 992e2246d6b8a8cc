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
