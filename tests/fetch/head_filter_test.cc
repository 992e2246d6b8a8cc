#include "fetch/head_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace opic::fetch {
namespace {

const std::string kStatusLine = "HTTP/1.1 200 OK\r\n";

// Given in pieces of so many bytes. Nothing: above the limit.
std::optional<std::string> InPieces(std::string_view bytes, size_t piece, size_t bytes_max) {
  HeadFilter filter(bytes_max);
  std::string passed;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (!filter.Pass(bytes.substr(0, piece), passed)) return std::nullopt;
  }
  filter.End(passed);
  return passed;
}

// Whatever the pieces, the same passes.
std::optional<std::string> Filter(std::string_view bytes, size_t bytes_max = 1000) {
  const std::optional<std::string> whole = InPieces(bytes, bytes.size() + 1, bytes_max);
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(InPieces(bytes, piece, bytes_max), whole) << bytes << " in pieces of " << piece;
  }
  return whole;
}

TEST(HeadFilterTest, ALineWithoutAColonIsDroppedWhereverItIs) {
  EXPECT_EQ(Filter(kStatusLine + "no field\r\nA: b\r\n\r\nbody"), kStatusLine + "A: b\r\n\r\nbody");
  EXPECT_EQ(Filter(kStatusLine + "A: b\r\nno field\r\nC: d\r\n\r\n"),
            kStatusLine + "A: b\r\nC: d\r\n\r\n");
  EXPECT_EQ(Filter(kStatusLine + "A: b\r\nno field\r\n\r\n"), kStatusLine + "A: b\r\n\r\n");
  EXPECT_EQ(Filter(kStatusLine + "only\r\nsuch\r\nlines\r\n\r\nx"), kStatusLine + "\r\nx");
}

TEST(HeadFilterTest, LinesMayEndInABareLineFeed) {
  EXPECT_EQ(Filter("HTTP/1.0 200 OK\nno field\nA: b\n\nno field\n"),
            "HTTP/1.0 200 OK\nA: b\n\nno field\n");
}

TEST(HeadFilterTest, AContinuationSharesTheFateOfItsLine) {
  EXPECT_EQ(Filter(kStatusLine + "A: b\r\n c\r\n\td\r\nno field\r\n\r\n"),
            kStatusLine + "A: b\r\n c\r\n\td\r\n\r\n");
  EXPECT_EQ(Filter(kStatusLine + "no field\r\n of: any name\r\nA: b\r\n\r\n"),
            kStatusLine + "A: b\r\n\r\n");
  EXPECT_EQ(Filter(kStatusLine + " of nothing\r\n of nothing\r\n\r\n"), kStatusLine + "\r\n");
}

TEST(HeadFilterTest, InterimAnswersHaveHeadsOfTheirOwn) {
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
  EXPECT_EQ(Filter(hints + kStatusLine + "no field\r\n\r\nno field\r\n"),
            hints + kStatusLine + "\r\nno field\r\n");
  const std::string other = "HTTP/1.1 101 x\r\n\r\n";
  EXPECT_EQ(Filter(other + kStatusLine + "no field\r\n\r\n"),
            other + kStatusLine + "no field\r\n\r\n");
}

TEST(HeadFilterTest, WhatIsNoHttpPasses) {
  for (const char* bytes :
       {"", "\n", "HTTP", "SSH-2.0-x\r\nno field\r\n", "HTTP/1.1 200 OK", "HTTP/\nA: b\n: \n\n"}) {
    EXPECT_EQ(Filter(bytes), bytes);
  }
}

TEST(HeadFilterTest, AnAnswerThatEndsInItsHeadEndsAsItDid) {
  EXPECT_EQ(Filter(kStatusLine + "A: b\r\nno fie"), kStatusLine + "A: b\r\nno fie");
}

TEST(HeadFilterTest, HeadsHaveALimitWithWhatIsDropped) {
  const std::string head = kStatusLine + "no field\r\n\r\n";
  EXPECT_EQ(Filter(head + std::string(100, 'x'), head.size()),
            kStatusLine + "\r\n" + std::string(100, 'x'));
  EXPECT_EQ(Filter(head, head.size() - 1), std::nullopt);
  EXPECT_EQ(Filter(kStatusLine + std::string(100, 'x'), 50), std::nullopt);
}

}  // namespace
}  // namespace opic::fetch
