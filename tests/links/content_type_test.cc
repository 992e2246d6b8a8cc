#include "links/content_type.h"

#include <gtest/gtest.h>

namespace opic::links {
namespace {

Kind KindOf(std::string_view header, std::string_view body = "") {
  return DocumentKind(ParseContentType(header), body);
}

TEST(ContentType, EssenceAndCharsetAreFound) {
  const ContentType type = ParseContentType(" Text/HTML ; a=b; Charset = \"u\\tf-8\" ;charset=x");
  EXPECT_EQ(type.essence, "text/html");
  EXPECT_EQ(type.charset, "utf-8");
}

TEST(ContentType, GarbageIsNoType) {
  EXPECT_EQ(ParseContentType(";;=;charset").charset, "");
  EXPECT_EQ(ParseContentType(";charset=\"").charset, "");
  EXPECT_EQ(ParseContentType("text/html, text/html; charset=a").essence, "text/html");
}

TEST(ContentType, DeclaredTypeDecides) {
  EXPECT_EQ(KindOf("text/html", "<?xml"), Kind::kHtml);
  EXPECT_EQ(KindOf("application/xhtml+xml"), Kind::kXhtml);
  EXPECT_EQ(KindOf("application/rss+xml; charset=utf-8"), Kind::kXml);
  EXPECT_EQ(KindOf("text/plain", "<html>"), Kind::kText);
  EXPECT_EQ(KindOf("image/png", "<html>"), Kind::kOther);
}

// MIME Sniffing, section 7.1
TEST(ContentType, MissingTypeIsSniffed) {
  EXPECT_EQ(KindOf("", "\xEF\xBB\xBF \n<!DocType HTML>"), Kind::kHtml);
  EXPECT_EQ(KindOf("", "<!-- x"), Kind::kHtml);
  EXPECT_EQ(KindOf("", "<a href=x>"), Kind::kHtml);
  EXPECT_EQ(KindOf("", "<abbr>"), Kind::kOther);
  EXPECT_EQ(KindOf("", "<?xml version='1.0'?>"), Kind::kXml);
  EXPECT_EQ(KindOf("", "%PDF-1.7 <html>"), Kind::kOther);
  EXPECT_EQ(KindOf("", ""), Kind::kOther);
}

TEST(ContentType, WhatIsNoMediaTypeIsUnknown) {
  for (const char* header : {"", "html", " ; charset=utf-8", "*/*", "unknown/unknown"}) {
    EXPECT_TRUE(IsUnknown(ParseContentType(header))) << header;
    EXPECT_EQ(KindOf(header, "<!doctype html>"), Kind::kHtml) << header;
  }
  for (const char* header : {"text/html", "image/png", "x/y"})
    EXPECT_FALSE(IsUnknown(ParseContentType(header))) << header;
}

}  // namespace
}  // namespace opic::links
