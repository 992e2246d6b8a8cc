#include "desk/accept_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "links/content_type.h"

namespace opic::desk {
namespace {

using testing::HasSubstr;

AcceptList List(std::string_view list) {
  absl::StatusOr<AcceptList> parsed = AcceptList::Parse(list);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? *parsed : AcceptList();
}

TEST(AcceptListTest, ByDefaultWhatLinksAreReadFromAndPlainTextAreWanted) {
  const AcceptList list;
  for (const char* type :
       {"text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml", "text/xml",
        "application/xml", "application/rss+xml", "application/atom+xml; type=feed",
        "application/x-unheard-of+xml", "image/svg+xml", "text/plain"})
    EXPECT_TRUE(list.Wants(type)) << type;
  for (const char* type : {"image/png", "application/pdf", "application/octet-stream", "video/mp4",
                           "application/json", "text/css", "application/gzip"})
    EXPECT_FALSE(list.Wants(type)) << type;
}

// It is held against what the links are read from, type by type.
TEST(AcceptListTest, ByDefaultNothingIsLeftOutThatLinksWouldBeReadFrom) {
  for (const char* type : {"text/html", "application/xhtml+xml", "text/xml", "application/xml",
                           "a/b+xml", "text/xsl", "application/xml-dtd", "text/plain"}) {
    EXPECT_NE(links::DocumentKind(links::ParseContentType(type), ""), links::Kind::kOther) << type;
    EXPECT_TRUE(AcceptList().Wants(type)) << type;
  }
}

TEST(AcceptListTest, WhatSaysNoTypeIsWanted) {
  for (const char* type : {"", " ", "html", "; charset=utf-8", "unknown/unknown", "*/*"}) {
    EXPECT_TRUE(AcceptList().Wants(type)) << type;
    EXPECT_TRUE(List("pdf").Wants(type)) << type;
  }
}

TEST(AcceptListTest, WordsTypesAndRangesMayBeMixed) {
  const AcceptList list = List(" HTML , application/PDF,image/*");
  EXPECT_TRUE(list.Wants("text/html"));
  EXPECT_TRUE(list.Wants("application/pdf"));
  EXPECT_TRUE(list.Wants("image/webp"));
  EXPECT_FALSE(list.Wants("imagery/webp"));
  EXPECT_FALSE(list.Wants("text/xml"));
  EXPECT_FALSE(list.Wants("application/pdfx"));
  EXPECT_TRUE(List("any").Wants("application/octet-stream"));
  EXPECT_TRUE(List("text/*").Wants("text/css"));
}

TEST(AcceptListTest, WhatIsNeitherIsNamed) {
  for (const char* list : {"", "html,", "htm", "a/b/c", "*/html", "te*t/html", "text/h*",
                           "text/html;q=1", "text /html", "\"a\"/b"}) {
    const absl::Status status = AcceptList::Parse(list).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << list;
    EXPECT_THAT(std::string(status.message()), HasSubstr("application/pdf")) << list;
  }
}

TEST(AcceptListTest, TheHeaderPrefersWhatIsListedAndRefusesNothing) {
  EXPECT_EQ(AcceptList().Header(),
            "text/html,application/xhtml+xml,application/xml;q=0.8,text/xml;q=0.8,text/xsl;q=0.8,"
            "application/xml-dtd;q=0.8,application/rss+xml;q=0.8,application/atom+xml;q=0.8,"
            "application/rdf+xml;q=0.8,application/feed+json;q=0.8,text/plain;q=0.8,*/*;q=0.1");
  EXPECT_EQ(List("any").Header(), "*/*");
  EXPECT_EQ(List("html,any").Header(), "text/html,application/xhtml+xml,*/*;q=0.8");
  EXPECT_EQ(List("pdf").Header(), "application/pdf,*/*;q=0.1");
}

}  // namespace
}  // namespace opic::desk
