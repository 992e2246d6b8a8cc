#include "links/html_guard.h"

#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "html_page.h"
#include "tag_soup.h"

namespace opic::links {
namespace {

std::string Repeat(std::string_view unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

GuardVerdict Judge(std::string_view text) { return CheckForGumbo(text, GuardLimits()); }

TEST(HtmlGuard, OrdinaryPagesAreSafeHoweverLong) {
  EXPECT_EQ(Judge(Repeat("<div><p>a<p>b <b>c</b><ul><li>d<li>e</ul><br></div>", 5000)),
            GuardVerdict::kSafe);
  EXPECT_EQ(Judge("<table>" + Repeat("<tr><td>a<td><a href=x>b</a>", 5000) + "</table>"),
            GuardVerdict::kSafe);
  EXPECT_EQ(Judge(Repeat("<tr><td>cells without a table", 5000)), GuardVerdict::kSafe);
  EXPECT_EQ(Judge("<dl>" + Repeat("<dt>a<dd><p>b<p>c", 5000) + "</dl>"), GuardVerdict::kSafe);
  EXPECT_EQ(Judge("<svg>" + Repeat("<g><path d=x /></g>", 5000) + "</svg>"), GuardVerdict::kSafe);
  EXPECT_EQ(Judge(Repeat("<script>if (a<b) '<div>'</script>", 5000)), GuardVerdict::kSafe);
}

TEST(HtmlGuard, DeepNestingIsRefused) {
  EXPECT_EQ(Judge(Repeat("<div>", 390)), GuardVerdict::kSafe);
  EXPECT_EQ(Judge(Repeat("<div>", 410)), GuardVerdict::kTooDeep);
  EXPECT_EQ(Judge(Repeat("<x-y>", 410)), GuardVerdict::kTooDeep);
  EXPECT_EQ(Judge(Repeat("<svg><g>", 210)), GuardVerdict::kTooDeep);
}

// The tree builder ignores these end tags; a guard that counts tags is taken in.
TEST(HtmlGuard, EndTagsThatCloseNothingDoNotHideDepth) {
  for (const char* unit :
       {"<div></x>", "<span><div></span></div>", "<span><p></span>", "<div><!--</div>-->",
        "<div><i title='</div>'></i>", "<div><select></div></select>", "<svg><p></svg><x/></p>",
        "<select><input><div></select>", "<li q><dt><tr>"}) {
    EXPECT_EQ(Judge(Repeat(unit, 1000)), GuardVerdict::kTooDeep) << unit;
  }
}

// The tree builder has left a table, a drawing or the body by then, and the guard's stack has not.
TEST(HtmlGuard, WhatOnlyTheTreeHasLeftDoesNotHideDepth) {
  struct Text {
    const char *before, *unit;
  };
  for (const auto& [before, unit] :
       {Text{"<select><table><input>", "<td><li><dt>"},
        Text{"<table><tr><td><span></table>", "<td><li><dt>"}, Text{"<svg><g></svg>", "<x-y/>"},
        Text{"<svg><p>", "<x-y/>"}, Text{"<svg><desc>", "<x-y/>"},
        Text{"<frameset><title>", "<frameset>"}}) {
    const std::string text = before + Repeat(unit, 1000);
    EXPECT_NE(Judge(text), GuardVerdict::kSafe) << text.substr(0, 60);
    EXPECT_GT(MeasureTree(text).depth, 900u) << text.substr(0, 60);
  }
}

TEST(HtmlGuard, FormattingLeftOpenIsRefusedWhenParagraphsRepeatIt) {
  std::string fonts = "<p>";
  for (int i = 0; i < 200; ++i) fonts += "<font size=" + std::to_string(i) + ">";
  EXPECT_EQ(Judge(fonts + Repeat("<p>x", 10'000)), GuardVerdict::kTooCostly);
}

TEST(HtmlGuard, ContentFosteredOutOfTablesIsRefused) {
  EXPECT_EQ(Judge("<table>" + Repeat("<br>x", 20'000)), GuardVerdict::kTooCostly);
}

TEST(HtmlGuard, ManyAttributesAreRefused) {
  std::string tag = "<body";
  for (int i = 0; i < 20'000; ++i) tag += " a" + std::to_string(i);
  EXPECT_EQ(Judge(tag + ">"), GuardVerdict::kTooCostly);
  std::string bodies;
  for (int i = 0; i < 20'000; ++i) bodies += "<body a" + std::to_string(i) + ">";
  EXPECT_EQ(Judge(bodies), GuardVerdict::kTooCostly);
}

TEST(HtmlGuard, TextThatOnlyATreeCouldReadIsRefused) {
  EXPECT_EQ(Judge("<svg><title><b></title></svg>"), GuardVerdict::kAmbiguous);
  EXPECT_EQ(Judge("<select><style></select><a href=x></style>"), GuardVerdict::kAmbiguous);
  EXPECT_EQ(Judge("<svg><![CDATA[</svg>]]></svg>"), GuardVerdict::kAmbiguous);
  EXPECT_EQ(Judge("<svg><title>t</title><style>s</style></svg>"), GuardVerdict::kSafe);
}

// Gumbo took 45 s for the first at 1 MiB: a tag that the text ends in was not seen.
TEST(HtmlGuard, ATagThatNeverEndsIsChargedForItsAttributes) {
  std::string names, storm;
  for (int i = 0; i < 20'000; ++i) names += " a" + std::to_string(i), storm += "<a ";
  for (const std::string& text : {"<a" + names, "<p>x<a" + names + ">", "</a" + names, storm}) {
    EXPECT_EQ(Judge(text), GuardVerdict::kTooCostly) << text.substr(0, 20);
  }
  EXPECT_EQ(Judge("<p a b c>text<a href=x"), GuardVerdict::kSafe);
}

TEST(HtmlGuard, SizeIsBounded) {
  GuardLimits limits;
  limits.bytes_max = 10;
  EXPECT_EQ(CheckForGumbo("0123456789", limits), GuardVerdict::kSafe);
  EXPECT_EQ(CheckForGumbo("0123456789a", limits), GuardVerdict::kTooLarge);
}

// The promise itself, on texts made to break it. In "<table><td>" the tree has twice the depth of
// the tags, and twice the allowed depth is thus the bound.
TEST(HtmlGuard, WhatPassesTakesABoundedTree) {
  int passed = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    base::Rng rng(seed);
    const std::string soup = TagSoup(rng, 8000);
    if (Judge(soup) != GuardVerdict::kSafe) continue;
    ++passed;
    const TreeSize tree = MeasureTree(soup);
    EXPECT_LE(tree.depth, 2 * GuardLimits().depth_max + 8) << "seed " << seed << "\n" << soup;
    EXPECT_LE(tree.bytes, soup.size() * 256 + 200'000) << "seed " << seed << "\n" << soup;
  }
  EXPECT_GT(passed, 100);
}

}  // namespace
}  // namespace opic::links
