// A page's digest changes with what its reader sees.
#include "links/reader_text.h"

#include <gtest/gtest.h>
#include <gumbo.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/encoding.h"
#include "base/rng.h"

namespace opic::links {
namespace {

constexpr char kPage[] =
    "<!doctype html><title>A page</title><script>var t = 1;</script><!-- built at 12:00 -->"
    "<body class=a><p>Some <b>text</b> &amp; more.<a href=/x>Link</a><input value=token1>";

TEST(ReaderTextTest, WhatNobodySeesIsNoChange) {
  const uint64_t digest = ReaderTextOf(kPage).digest;
  for (const auto& [from, to] : {std::pair{"var t = 1;", "var t = 2; '<p>'"},
                                 {"12:00", "12:01 <p>seen?</p>"},
                                 {"class=a", "class=b id='c>d'"},
                                 {"token1", "token2"},
                                 {"Some <b>", "Some\n\t <i></i><b>"},
                                 {"<!doctype html>", ""},
                                 {"/x", "/y"}}) {
    std::string page = kPage;
    page.replace(page.find(from), std::string(from).size(), to);
    EXPECT_EQ(ReaderTextOf(page).digest, digest) << page;
  }
}

TEST(ReaderTextTest, WhatIsSeenIs) {
  const uint64_t digest = ReaderTextOf(kPage).digest;
  for (const auto& [from, to] : {std::pair{"A page", "B page"},
                                 {"Some ", "None "},
                                 {"more.", "more. <"},
                                 {"Link", ""},
                                 {"Link</a>", "Li nk</a>"}}) {
    std::string page = kPage;
    page.replace(page.find(from), std::string(from).size(), to);
    EXPECT_NE(ReaderTextOf(page).digest, digest) << page;
  }
}

TEST(ReaderTextTest, AnyBytesHaveOne) {
  for (const std::string page : {"", "<", "<!", "<!--", "</", "<a", "<script>", "<title>x", "a<b"})
    EXPECT_NE(ReaderTextOf(page).digest, 0u);
  EXPECT_NE(ReaderTextOf("1 < 2").digest, ReaderTextOf("1 < 3").digest);
}

// The words of the text nodes of Gumbo's tree.
void AppendWords(const GumboNode& node, std::string& words) {
  if (node.type == GUMBO_NODE_TEXT) {
    for (absl::string_view word : absl::StrSplit(node.v.text.text, ' ', absl::SkipEmpty()))
      absl::StrAppend(&words, word, " ");
  }
  if (node.type != GUMBO_NODE_ELEMENT) return;
  const GumboVector& children = node.v.element.children;
  for (unsigned i = 0; i < children.length; ++i)
    AppendWords(*static_cast<const GumboNode*>(children.data[i]), words);
}

std::string WordsByGumbo(const std::string& html) {
  GumboOutput* const tree = gumbo_parse(html.c_str());
  std::string words;
  AppendWords(*tree->root, words);
  gumbo_destroy_output(&kGumboDefaultOptions, tree);
  return words;
}

// What followed a comment that ended in "--!>" was not part of it (HTML Standard, 13.2.5.52).
TEST(ReaderTextTest, ACommentEndsWhereItEndsForTheTree) {
  for (const std::string comment :
       {"<!-- x -->", "<!-- x --!>", "<!-->", "<!--->", "<!--!>", "<!---!>", "<!----!>",
        "<!-- x --!->", "<!-- x --!-->", "<!-- x -!>", "<!-- x --!!>", "<!-- x > --!>", "<!--"}) {
    for (const char* after : {" after ", " after --> more ", " after <!-- y --> more --!> end "}) {
      const std::string html = "<p>before " + comment + after + "<b>next</b>";
      const std::string words = WordsByGumbo(html);
      const ReaderText text = ReaderTextOf(html);
      EXPECT_EQ(text.bytes, words.size()) << html << "\n" << words;
      EXPECT_EQ(text.digest, std::max<uint64_t>(1, base::Hash64(words))) << html << "\n" << words;
    }
  }
  EXPECT_EQ(WordsByGumbo("<p>a <!-- x --!> b"), "a b ");
}

TEST(ReaderTextTest, ItsLengthIsOfTheWords) {
  EXPECT_EQ(ReaderTextOf("<title> A </title><p>b\n\n c<script>long text</script>").bytes, 6u);
  EXPECT_EQ(ReaderTextOf("<script>long text</script><!-- more -->").bytes, 0u);
}

// White space of all kinds, in runs that begin and end anywhere in a block of sixteen bytes.
TEST(ReaderTextTest, WordsAreThoseBetweenWhiteSpace) {
  base::Rng rng(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string html, words;
    for (uint64_t piece = rng.Below(6); piece > 0; --piece) {
      bool in_word = false;
      for (uint64_t i = rng.Below(50); i > 0; --i) {
        const bool space = rng.Below(3) == 0;
        html += space ? " \t\n\f\r"[rng.Below(5)] : "ab\v&\xE9"[rng.Below(5)];
        if (in_word && space) words += ' ';
        if (!space) words += html.back();
        in_word = !space;
      }
      if (in_word) words += ' ';
      html += "<b>";
    }
    const ReaderText text = ReaderTextOf(html, true);
    ASSERT_EQ(text.bytes, words.size()) << html;
    ASSERT_EQ(text.digest, std::max<uint64_t>(1, base::Hash64(words))) << html;
    TextSketch sketch = SketchOf(words);
    sketch.lasting = 0;  // without a title
    ASSERT_EQ(text.sketch, sketch) << html;
  }
}

}  // namespace
}  // namespace opic::links
