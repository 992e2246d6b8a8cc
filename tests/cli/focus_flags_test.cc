#include "cli/focus_flags.h"

#include <gtest/gtest.h>

namespace opic::cli {
namespace {

using refresh::Publication;
using refresh::Target;

constexpr absl::Time kNow = absl::FromUnixSeconds(1'790'000'000);

Publication Parsed(const std::string& word) {
  const auto parsed = ParseFocus({word}, kNow);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? parsed->front() : Publication();
}

TEST(FocusFlagsTest, AHostHasItsSubdomainsAndAUrlAllThatBeginWithIt) {
  const Publication host = Parsed("News.Example.org");
  EXPECT_EQ(host.target, Target::kDomain);
  EXPECT_EQ(host.of, "news.example.org");
  EXPECT_EQ(host.treatment, refresh::Treatment::kBoost);
  EXPECT_EQ(host.amount, kFocusFactor);
  EXPECT_EQ(host.given, 1'790'000'000);
  EXPECT_EQ(host.by, "--focus");
  const Publication prefix = Parsed("http://a.test/news/=2.5");
  EXPECT_EQ(prefix.target, Target::kPrefix);
  EXPECT_EQ(prefix.of, "http://a.test/news/");
  EXPECT_EQ(prefix.amount, 2.5);
}

TEST(FocusFlagsTest, AUrlMayHaveAnEqualSignOfItsOwn) {
  EXPECT_EQ(Parsed("http://a.test/?id=x").of, "http://a.test/?id=x");
  EXPECT_EQ(Parsed("http://a.test/?id=7=30").of, "http://a.test/?id=7");
  EXPECT_EQ(Parsed("http://a.test/?id=7=30").amount, 30);
}

// It was taken for a part of the URLs, and nothing was in focus.
TEST(FocusFlagsTest, AUrlMayEndWithAStar) {
  EXPECT_EQ(Parsed("http://a.test/news/*=3").of, "http://a.test/news/");
  EXPECT_EQ(Parsed("http://a.test/news/*").id, Parsed("http://a.test/news/").id);
}

TEST(FocusFlagsTest, AnInterestBelowOneIsRefused) {
  FocusFlags flags;
  node::CrawlOptions options;
  flags.interest = {"feed=3", "xml=1"};
  ASSERT_TRUE(flags.ApplyTo(options).ok());
  EXPECT_EQ(options.interest[static_cast<size_t>(refresh::Category::kFeed)], 3);
  for (const std::string wrong : {"xml=0.5", "xml=0"}) {
    flags.interest = {"feed=3", wrong};
    const absl::Status refused = flags.ApplyTo(options);
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_NE(refused.message().find("--interest \"" + wrong + "\""), std::string::npos) << refused;
  }
}

// Given again at each start, it is one publication; with another factor it takes the place.
TEST(FocusFlagsTest, APatternHasOneId) {
  EXPECT_EQ(Parsed("a.test").id, Parsed("a.test=50").id);
  EXPECT_NE(Parsed("a.test").id, Parsed("b.test").id);
  EXPECT_NE(Parsed("a.test").id, Parsed("http://a.test/").id);
}

TEST(FocusFlagsTest, WhatCannotBeIsRefusedByItsWord) {
  for (const std::string wrong :
       {"", "a b", "*", "*.a.test", "http://a.test/*/x=3", "http://*", "a.test=0.5", "a.test=1e9",
        "a.test=much", "a.test=nan", "a.test/x"}) {
    const auto parsed = ParseFocus({wrong}, kNow);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << wrong << ": " << parsed.status();
    EXPECT_NE(parsed.status().message().find("--focus \"" + wrong + "\""), std::string::npos)
        << parsed.status();
  }
}

}  // namespace
}  // namespace opic::cli
