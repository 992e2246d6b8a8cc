// A page's digest changes with what its reader sees.
#include "links/reader_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

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
    ASSERT_EQ(text.sketch, SketchOf(words)) << html;
  }
}

}  // namespace
}  // namespace opic::links
