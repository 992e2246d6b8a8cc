#include "cli/crawl_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/support/own_path.h"

namespace opic::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ParseDurationTest, SecondsUnlessItSaysOtherwise) {
  const std::vector<std::pair<std::string, absl::Duration>> cases = {
      {"0", absl::ZeroDuration()},        {"90", absl::Seconds(90)},
      {"1.5", absl::Seconds(1.5)},        {"90s", absl::Seconds(90)},
      {"1.5m", absl::Seconds(90)},        {"2h", absl::Hours(2)},
      {"500ms", absl::Milliseconds(500)}, {"1h30m", absl::Minutes(90)},
      {"0s", absl::ZeroDuration()},       {"1d", absl::Hours(24)},
      {"1.5w", absl::Hours(252)},
  };
  for (const auto& [text, duration] : cases) {
    EXPECT_EQ(ParseDuration(text, "delay").value_or(-absl::Seconds(1)), duration) << text;
  }
}

// It ended the crawl at once, though no other limit of 0 is one.
TEST(CrawlFlagsTest, ATimeOfNothingIsNoLimit) {
  for (const char* time : {"", "0", "0s"}) {
    CrawlFlags flags;
    flags.time = time;
    EXPECT_EQ(flags.NodeOptions()->time_max, absl::InfiniteDuration()) << time;
  }
  CrawlFlags flags;
  flags.time = "5s";
  EXPECT_EQ(flags.NodeOptions()->time_max, absl::Seconds(5));
}

TEST(ParseDurationTest, WhatIsNoTimeNamesTheFlag) {
  for (const std::string text : {"", "soon", "-1", "-1s", "5 apples", "s", "d", "-1d", "nand",
                                 "nan", "inf", "-inf", "1e400"}) {
    const absl::Status status = ParseDuration(text, "delay").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--delay")) << text;
  }
}

TEST(ParseBytesTest, UnitsArePowersOf1024) {
  const std::vector<std::pair<std::string, uint64_t>> cases = {
      {"0", 0},
      {"1000", 1000},
      {"64K", 64 << 10},
      {"64k", 64 << 10},
      {"10M", 10 << 20},
      {"2G", uint64_t{2} << 30},
      {"1T", uint64_t{1} << 40},
      {"4611686018427387904", uint64_t{1} << 62},
  };
  for (const auto& [text, bytes] : cases) {
    EXPECT_EQ(ParseBytes(text, "bytes").value_or(~uint64_t{0}), bytes) << text;
  }
}

TEST(ParseBytesTest, WhatIsNoSizeNamesTheFlag) {
  for (const std::string text :
       {"", "K", "-1", "1.5M", "10X", "10MB", "8388608T", "18446744073709551616"}) {
    const absl::Status status = ParseBytes(text, "bytes").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr("--bytes")) << text;
  }
}

TEST(CrawlFlagsTest, TheDefaultsAreGood) {
  EXPECT_TRUE(CrawlFlags().NodeOptions().ok());
  EXPECT_TRUE(CrawlFlags().SchedulerOptions().ok());
}

TEST(CrawlFlagsTest, ASeedFileHasOneUrlALine) {
  const std::string path = support::OwnPath("seeds");
  std::ofstream(path) << "# seeds\nhttp://b.test/\n\n  http://c.test/  \r\n";
  CrawlFlags flags;
  flags.seeds = {"http://a.test/"};
  flags.seed_file = path;
  const auto seeds = flags.AllSeeds();
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  EXPECT_THAT(*seeds, ElementsAre("http://a.test/", "http://b.test/", "http://c.test/"));
}

TEST(CrawlFlagsTest, AcceptIsAListOfWordsAndTypes) {
  EXPECT_FALSE(CrawlFlags().NodeOptions()->accept.Wants("application/pdf"));
  CrawlFlags flags;
  flags.fetch.accept = "html,pdf";
  EXPECT_TRUE(flags.NodeOptions()->accept.Wants("application/pdf"));
  flags.fetch.accept = "html,nonsense";
  const absl::Status wrong = flags.NodeOptions().status();
  EXPECT_TRUE(absl::IsInvalidArgument(wrong));
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("--accept"));
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("nonsense"));
}

TEST(CrawlFlagsTest, CanonicalsCountUnlessTheyAreSwitchedOff) {
  CrawlFlags flags;
  EXPECT_TRUE(flags.NodeOptions()->canonical);
  flags.canonical = "off";
  EXPECT_FALSE(flags.NodeOptions()->canonical);
}

// They are found by sketches of text and links, which are of the words that the digest is of.
TEST(CrawlFlagsTest, NearDuplicatesAreTreatedAsDuplicatesUnlessToldOtherwise) {
  CrawlFlags flags;
  EXPECT_EQ(flags.NodeOptions()->near_duplicates, desk::DuplicateUse::kMerge);
  flags.duplicates = "off";
  EXPECT_EQ(flags.NodeOptions()->near_duplicates, desk::DuplicateUse::kOff);
  flags.near_duplicates = "merge";
  EXPECT_EQ(flags.NodeOptions()->near_duplicates, desk::DuplicateUse::kMerge);
  EXPECT_TRUE(flags.NodeOptions()->links.text_sketch);
  EXPECT_TRUE(flags.NodeOptions()->links.text_digest);
  flags.near_duplicates = "show";
  EXPECT_EQ(flags.NodeOptions()->near_duplicates, desk::DuplicateUse::kShow);
  flags.near_duplicates = "off";
  EXPECT_EQ(flags.NodeOptions()->near_duplicates, desk::DuplicateUse::kOff);
  EXPECT_FALSE(flags.NodeOptions()->links.text_sketch);
  EXPECT_FALSE(flags.NodeOptions()->links.text_digest);
}

// They are found by digests of text and links.
TEST(CrawlFlagsTest, DuplicatesAreMergedUnlessToldOtherwise) {
  CrawlFlags flags;
  EXPECT_EQ(flags.NodeOptions()->duplicates, desk::DuplicateUse::kMerge);
  EXPECT_TRUE(flags.NodeOptions()->links.text_digest);
  flags.duplicates = "show";
  EXPECT_EQ(flags.NodeOptions()->duplicates, desk::DuplicateUse::kShow);
  EXPECT_TRUE(flags.NodeOptions()->links.text_digest);
  flags.duplicates = "off";
  flags.near_duplicates = "off";
  EXPECT_EQ(flags.NodeOptions()->duplicates, desk::DuplicateUse::kOff);
  EXPECT_FALSE(flags.NodeOptions()->links.text_digest);
  flags.refresh.continuous = true;
  flags.rate = 10;
  EXPECT_TRUE(flags.NodeOptions()->links.text_digest);
  flags.refresh.change_digest = "bytes";
  EXPECT_FALSE(flags.NodeOptions()->links.text_digest);
}

// A resumed crawl keeps its scope unless one is asked for.
TEST(CrawlFlagsTest, AScopeIsGivenByAnyOfItsFlags) {
  EXPECT_FALSE(CrawlFlags().NodeOptions()->scope.given());
  CrawlFlags scope, include, exclude, depth, traps;
  scope.scope = "host";
  include.include = {"*"};
  exclude.exclude = {"*"};
  depth.depth = 3;
  traps.traps = "show";
  for (const CrawlFlags& flags : {scope, include, exclude, depth, traps}) {
    EXPECT_TRUE(flags.NodeOptions()->scope.given());
  }
}

// A flag changes its own field and no other.
TEST(CrawlFlagsTest, AFlagOfTheScopeSaysNothingOfTheOthers) {
  CrawlFlags flags;
  flags.depth = 0;
  const node::ScopeChange change = flags.NodeOptions()->scope;
  EXPECT_EQ(change.depth_max, 0u) << "0 takes a limit back";
  EXPECT_FALSE(change.kind || change.include || change.exclude || change.traps);
  flags.exclude = {""};
  EXPECT_EQ(flags.NodeOptions()->scope.exclude, std::vector<std::string>());
  url::ScopeOptions scope{url::ScopeKind::kAny, {"*a*"}, {"*b*"}};
  uint32_t depth = 5;
  url::TrapUse traps = url::TrapUse::kShow;
  flags.NodeOptions()->scope.ApplyTo(scope, depth, traps);
  EXPECT_EQ(scope.kind, url::ScopeKind::kAny);
  EXPECT_EQ(scope.include.size(), 1u);
  EXPECT_TRUE(scope.exclude.empty());
  EXPECT_EQ(depth, 0u);
  EXPECT_EQ(traps, url::TrapUse::kShow);
  flags.traps = "off";
  flags.NodeOptions()->scope.ApplyTo(scope, depth, traps);
  EXPECT_EQ(traps, url::TrapUse::kOff);
}

TEST(CrawlFlagsTest, TheContactIsSentToServers) {
  CrawlFlags flags;
  flags.contact = "mailto:me@a.test";
  EXPECT_THAT(flags.NodeOptions()->fetch.user_agent, HasSubstr("mailto:me@a.test"));
}

TEST(CrawlFlagsTest, TheMemoryHoldsWhatIsInHandOfOnePage) {
  const auto whole = [](const std::string& memory, const std::string& body_max) {
    CrawlFlags flags;
    flags.memory = memory;
    flags.fetch.body_max = body_max;
    const absl::StatusOr<node::CrawlOptions> options = flags.NodeOptions();
    EXPECT_TRUE(options.ok()) << options.status();
    return options.ok() ? options->memory.whole >> 20 : 0;
  };
  EXPECT_EQ(whole("", "10M"), 512u);
  EXPECT_EQ(whole("", "100M"), 2400u);
  EXPECT_EQ(whole("1G", "10M"), 1024u);
  EXPECT_EQ(whole("240M", "10M"), 240u);
  EXPECT_EQ(whole("128M", "1M"), 128u);
}

// With small bodies the least does not come from --body-max, and lowering that would not help.
TEST(CrawlFlagsTest, TooLittleMemoryIsRefusedWithWhatHelps) {
  CrawlFlags flags;
  flags.memory = "100M";
  flags.fetch.body_max = "10M";
  EXPECT_THAT(std::string(flags.NodeOptions().status().message()),
              AllOf(HasSubstr("at least 240M"), HasSubstr("lower --body-max")));
  flags.fetch.body_max = "1M";
  EXPECT_THAT(std::string(flags.NodeOptions().status().message()),
              AllOf(HasSubstr("at least 128M"), Not(HasSubstr("--body-max"))));
}

TEST(CrawlFlagsTest, CookiesAreOffUntilTheyAreAskedFor) {
  CrawlFlags flags;
  EXPECT_FALSE(flags.NodeOptions()->cookies);
  flags.fetch.cookies = true;
  EXPECT_TRUE(flags.NodeOptions()->cookies);
}

// Each names its flag, or what to do.
TEST(CrawlFlagsTest, WrongValuesAreRefused) {
  const std::vector<std::pair<std::string, std::function<void(CrawlFlags&)>>> cases = {
      {"--scope", [](CrawlFlags& flags) { flags.scope = "galaxy"; }},
      {"--traps", [](CrawlFlags& flags) { flags.traps = "refuse"; }},
      {"--shards", [](CrawlFlags& flags) { flags.shards = 1000; }},
      {"--shards", [](CrawlFlags& flags) { flags.shards = 0; }},
      {"--h-url", [](CrawlFlags& flags) { flags.h_url = "path"; }},
      {"--epsilon", [](CrawlFlags& flags) { flags.epsilon = 1; }},
      {"--window", [](CrawlFlags& flags) { flags.window = "round"; }},
      {"--bytes", [](CrawlFlags& flags) { flags.bytes = "many"; }},
      {"--time", [](CrawlFlags& flags) { flags.time = "long"; }},
      {"--timeout", [](CrawlFlags& flags) { flags.fetch.timeout = "x"; }},
      {"--body-max", [](CrawlFlags& flags) { flags.fetch.body_max = "x"; }},
      {"--memory", [](CrawlFlags& flags) { flags.memory = "much"; }},
      {"--memory", [](CrawlFlags& flags) { flags.memory = "239M"; }},
      {"--workers", [](CrawlFlags& flags) { flags.workers = 0; }},
      {"--canonical", [](CrawlFlags& flags) { flags.canonical = "any"; }},
      {"--duplicates", [](CrawlFlags& flags) { flags.duplicates = "on"; }},
      {"--duplicates", [](CrawlFlags& flags) { flags.duplicates = "similar"; }},
      {"--near-duplicates", [](CrawlFlags& flags) { flags.near_duplicates = "on"; }},
      {"--in-flight", [](CrawlFlags& flags) { flags.in_flight = 0; }},
      {"--unread-share", [](CrawlFlags& flags) { flags.settle.unread_share = 1.5; }},
      {"--unread-share", [](CrawlFlags& flags) { flags.settle.unread_share = std::nan(""); }},
      {"--settle-rate", [](CrawlFlags& flags) { flags.settle.rate = -1; }},
      {"--settle-rate", [](CrawlFlags& flags) { flags.settle.rate = std::nan(""); }},
      {"--settle-rate", [](CrawlFlags& flags) { flags.settle.rate = 1'000'001; }},
      {"--settle-per-fetch", [](CrawlFlags& flags) { flags.settle.per_fetch = -1; }},
      {"--settle-per-fetch", [](CrawlFlags& flags) { flags.settle.per_fetch = std::nan(""); }},
      {"--connect-to", [](CrawlFlags& flags) { flags.fetch.connect_to = {"a:b"}; }},
      {"--proxy", [](CrawlFlags& flags) { flags.fetch.proxy = "sock5://u:secret@127.0.0.1:1080"; }},
      {"put it in again",
       [](CrawlFlags& flags) { flags.fetch.proxy = "http://u:...@127.0.0.1:1080"; }},
      {"--header 2",
       [](CrawlFlags& flags) {
         flags.fetch.headers = {"DNT: 1", "cookie: secret"};
       }},
      {"--strategy", [](CrawlFlags& flags) { flags.strategy = "luck"; }},
      {"--delay", [](CrawlFlags& flags) { flags.delay = "x"; }},
      {"--per-address", [](CrawlFlags& flags) { flags.per_address = 0; }},
      {"--per-host", [](CrawlFlags& flags) { flags.per_host = 0; }},
      {"--per-host", [](CrawlFlags& flags) { flags.per_host = 101; }},
      {"--rate", [](CrawlFlags& flags) { flags.rate = -1; }},
      // The same as `opic control budget` refuses.
      {"--rate: \"nan\"", [](CrawlFlags& flags) { flags.rate = std::nan(""); }},
      {"--rate: \"inf\"", [](CrawlFlags& flags) { flags.rate = HUGE_VAL; }},
      {"--rate: \"1e+300\"", [](CrawlFlags& flags) { flags.rate = 1e300; }},
      {"--attempts", [](CrawlFlags& flags) { flags.attempts = 0; }},
  };
  for (const auto& [name, spoil] : cases) {
    CrawlFlags flags;
    spoil(flags);
    const absl::Status node = flags.NodeOptions().status();
    const absl::Status refusal = node.ok() ? flags.SchedulerOptions().status() : node;
    EXPECT_TRUE(absl::IsInvalidArgument(refusal)) << name;
    EXPECT_THAT(std::string(refusal.message()), HasSubstr(name));
    EXPECT_THAT(std::string(refusal.message()), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace opic::cli
