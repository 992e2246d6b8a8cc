// The category of a page, by what its answer says and by its URL.
#include "desk/page_category.h"

#include <gtest/gtest.h>

namespace opic::desk {
namespace {

using links::Kind;
using refresh::Category;

Category Of(Kind kind, std::string_view type, const std::string& path = "/page") {
  return CategoryOf(*url::Parse("http://a.test" + path), kind, type);
}

TEST(PageCategoryTest, WhatWasReadDecides) {
  EXPECT_EQ(Of(Kind::kHtml, "text/html; charset=utf-8"), Category::kHtml);
  EXPECT_EQ(Of(Kind::kXhtml, "application/xhtml+xml"), Category::kHtml);
  EXPECT_EQ(Of(Kind::kFeed, "application/xml", "/page.html"), Category::kFeed);
  EXPECT_EQ(Of(Kind::kSitemap, "text/xml"), Category::kXml);
  EXPECT_EQ(Of(Kind::kXml, "image/svg+xml"), Category::kXml);
}

TEST(PageCategoryTest, ASchemaIsXmlOfItsOwnKind) {
  EXPECT_EQ(Of(Kind::kXml, "application/xml-dtd"), Category::kSchema);
  EXPECT_EQ(Of(Kind::kXml, "text/xml", "/a/b.XSD"), Category::kSchema);
  EXPECT_EQ(Of(Kind::kOther, "", "/a.dtd"), Category::kSchema);
}

TEST(PageCategoryTest, ATypeThatTellsNothingLeavesItToTheUrl) {
  EXPECT_EQ(Of(Kind::kOther, "application/octet-stream", "/paper.pdf"), Category::kPdf);
  EXPECT_EQ(Of(Kind::kText, "text/plain", "/news.rss?page=1"), Category::kFeed);
  EXPECT_EQ(Of(Kind::kText, "text/plain", "/readme"), Category::kOther);
  EXPECT_EQ(Of(Kind::kOther, "", "/dir.d/"), Category::kOther);
  EXPECT_EQ(Of(Kind::kOther, "image/png", "/picture.pdf"), Category::kOther)
      << "it says what it is";
  EXPECT_EQ(Of(Kind::kOther, "Application/PDF; x=y", "/download"), Category::kPdf);
}

}  // namespace
}  // namespace opic::desk
