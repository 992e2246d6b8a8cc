// Numbers, lines and words for people.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/attention.h"
#include "cli/cluster_listing.h"
#include "cli/control_output.h"
#include "cli/control_show.h"
#include "cli/crawl_summary.h"
#include "cli/declare_lost.h"
#include "cli/human.h"
#include "cli/status_line.h"
#include "cli/suggestion.h"
#include "cli/terminal.h"
#include "tests/cli/crawled_stats.h"

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(HumanTest, TimesAndSizes) {
  EXPECT_EQ(HumanTime(absl::Seconds(59)), "59 s");
  EXPECT_EQ(HumanTime(absl::Seconds(65)), "1 min 05 s");
  EXPECT_EQ(HumanTime(absl::Hours(3) + absl::Minutes(4)), "3 h 04 min");
  EXPECT_EQ(HumanTime(absl::Hours(24)), "1 day 0 h");
  EXPECT_EQ(HumanTime(absl::Hours(75)), "3 days 3 h");
  EXPECT_EQ(HumanBytes(999), "999 B");
  EXPECT_EQ(HumanBytes(1'234'567), "1.2 MB");
}

// The bound of a crawl that has just begun is 1, and was told as 1e+02 %.
TEST(HumanTest, SharesInPercent) {
  EXPECT_EQ(ErrorAtMost(1), "error at most 100 %");
  EXPECT_EQ(ErrorAtMost(1.987), "error at most 199 %");
  EXPECT_EQ(HumanPercent(123'456), "12345600 %");
  EXPECT_EQ(HumanPercent(0.0996), "10 %");
  EXPECT_EQ(HumanPercent(0.0994), "9.9 %");
  EXPECT_EQ(HumanPercent(0.0053), "0.53 %");
  EXPECT_EQ(HumanPercent(3e-9), "0.0001 %");
  EXPECT_EQ(HumanPercent(0), "0 %");

  node::LoopStats loop;
  loop.method = importance::Method::kPush;
  loop.error_bound = 1;
  EXPECT_EQ(RankingError(loop), "error at most 100 %");
  loop.error_bound = 0.0003;
  loop.rounding_error = 0.0002;
  EXPECT_EQ(RankingError(loop), "error at most 0.03 %");
  loop.rounding_error = 0.0031;
  EXPECT_EQ(
      RankingError(loop),
      "error at most 0.03 %, and up to 0.31 % more from rounding (`opic restate` removes that "
      "part)");
}

// One of three was paused, and nothing said so.
TEST(ReleaseWordsTest, ToldWhileAnUpgradeIsUnderWay) {
  node::NodeStats cluster;
  cluster.release = "0.1, commit 1";
  cluster.nodes.resize(2);
  for (node::NodeStats& node : cluster.nodes) node.release = cluster.release;
  EXPECT_EQ(ReleaseWords(cluster, cluster.nodes[0]), "");
  cluster.release.clear();
  cluster.nodes[1].release.clear();
  EXPECT_EQ(ReleaseWords(cluster, cluster.nodes[0]), "; 0.1, commit 1");
  EXPECT_EQ(ReleaseWords(cluster, cluster.nodes[1]), "; of an earlier release");
}

TEST(PausedWordsTest, NamesTheNodesThatAre) {
  node::NodeStats cluster;
  for (const char* name : {"a", "b", "c"}) {
    cluster.nodes.emplace_back();
    cluster.nodes.back().name = name;
  }
  EXPECT_EQ(PausedWords(cluster), "");
  cluster.nodes[1].paused = true;
  EXPECT_EQ(PausedWords(cluster), ", paused on b");
  cluster.nodes[2].paused = true;
  EXPECT_EQ(PausedWords(cluster), ", paused on b, c");
  cluster.paused = true;
  EXPECT_EQ(PausedWords(cluster), ", paused");
}

// `declare-lost` spoke of "the -101644356 units that the lost folder held".
TEST(HeldWordsTest, LessThanNothingIsADebt) {
  EXPECT_EQ(HeldWords(12, 1), "with the 12 units that the lost folder held");
  EXPECT_EQ(HeldWords(0, 2), "with the 0 units that the lost folders held");
  EXPECT_THAT(HeldWords(-101'644'356, 1), testing::StartsWith("with a debt of 101644356 units: "));
}

// `cluster recover` said nothing into a pipe for minutes.
TEST(StatusLineTest, ALineNowAndThenWhereThereIsNoTerminal) {
  testing::internal::CaptureStderr();
  base::ManualClock clock;
  {
    StatusLine line(clock);
    line.Show("3 are left");
    clock.Advance(StatusLine::kPeriod);
    line.Show("2 are left");
    line.Show("1 is left");
    clock.Advance(StatusLine::kPeriod);
    line.Show("none is left");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "2 are left\nnone is left\n");
}

// `pause` and `resume` said nothing.
TEST(ActionWordsTest, NodesThatSayTheSameAreOneLine) {
  const auto paused = [](const std::string& node, const std::string& address) {
    Shown shown;
    shown.node.paused_since = absl::FromUnixSeconds(1'700'000'000);
    shown.node.acts = {{"Pause", absl::FromUnixSeconds(1'700'000'000), "anna@desk, " + address}};
    return NodeAnswer{node, absl::OkStatus(), shown};
  };
  const std::vector<NodeAnswer> answers = {paused("a", "ipv4:10.0.0.1:4711"),
                                           {"b", absl::UnavailableError("refused"), std::nullopt},
                                           paused("c", "ipv4:10.0.0.1:4712"),
                                           {"d", absl::OkStatus(), std::nullopt}};
  EXPECT_EQ(ActionWords("pause", answers),
            "a, c: paused since 2023-11-14 22:13:20 UTC, by anna@desk\nd: done\n");
  EXPECT_EQ(ActionWords("pause", {paused("", "ipv4:10.0.0.1:4711")}),
            "paused since 2023-11-14 22:13:20 UTC, by anna@desk, ipv4:10.0.0.1:4711\n");
  EXPECT_EQ(ActionWords("block", {{"a", absl::OkStatus(), std::nullopt}}), "");  // the rules say it
}

// Every node has seen another port of the one who told them all.
TEST(TextOfClusterTest, NodesThatHoldTheSameAreToldTogether) {
  const auto blocked = [](const std::string& host, const std::string& address) {
    Shown shown;
    node::KeptRule kept;
    kept.rule.name = host, kept.rule.blocked = true;
    kept.since = absl::FromUnixSeconds(1'700'000'000);
    kept.by = "anna@desk, operator by token, " + address;
    shown.node.hosts = {kept};
    return shown;
  };
  const std::string text = TextOfCluster({{"a", blocked("x.test", "ipv4:127.0.0.1:4711")},
                                          {"b", blocked("y.test", "ipv4:127.0.0.1:4712")},
                                          {"c", blocked("x.test", "ipv6:[::1]:4713")}});
  EXPECT_THAT(text, HasSubstr("a, c:\n"));
  EXPECT_THAT(text, HasSubstr("b:\n"));
  EXPECT_THAT(text, HasSubstr("by anna@desk, operator by token)\n")) << "of several addresses none";
  EXPECT_THAT(text, HasSubstr("by anna@desk, operator by token, ipv4:127.0.0.1:4712)\n"));
  const std::string others = TextOfCluster(
      {{"a", blocked("x.test", "ipv4:127.0.0.1:1")}, {"b", blocked("x.test", "at rest")}});
  EXPECT_THAT(others, HasSubstr("b:\n")) << "by somebody else";
}

TEST(TextOfClusterTest, WhatTheHostsFileSaysIsToldBesideWhatOperatorsHaveGiven) {
  Shown shown;
  node::KeptRule kept;
  kept.rule.name = "a.test", kept.rule.delay = absl::Seconds(9);
  kept.since = absl::FromUnixSeconds(1'700'000'000);
  kept.by = "anna";
  shown.node.hosts = {kept};
  shown.node.hosts_file = node::HostsFile{.path = "/etc/hosts.opic"};
  shown.node.hosts_file->rules = {
      {.name = "a.test", .blocked = true, .delay = absl::Seconds(1), .pages = 5},
      {.name = "b.test", .bytes = 7}};
  shown.node.hosts_file->groups = {{"all", {0, std::nullopt}}, {"shops", {9, 7}}};
  shown.node.hosts_file->members = {{{false, "a.test"}, "shops"}, {{true, "c.test"}, "shops"}};
  const std::string text = TextOfCluster({{"n", shown}});
  EXPECT_THAT(text, HasSubstr("hosts file /etc/hosts.opic, 2 rules\n"));
  EXPECT_THAT(text, HasSubstr("group      all: no limit, of no host together\n"));
  EXPECT_THAT(text, HasSubstr("group      shops: at most 9 pages and 7 bytes, of the domain "
                              "c.test, a.test together\n"));
  EXPECT_THAT(text, HasSubstr("host       a.test is blocked, with a delay of 9s, at most 5 pages "
                              "(since 2023-11-14 22:13:20 UTC, by anna; block, pages by the hosts "
                              "file)\n"));
  EXPECT_THAT(text,
              HasSubstr("b.test is not blocked, at most 7 bytes (bytes by the hosts file)\n"));
}

TEST(FitTest, WholePartsFromTheFirstOn) {
  EXPECT_EQ(Fit({"one", "two", "three"}, 80), "one, two, three");
  EXPECT_EQ(Fit({"one", "two", "three"}, 15), "one, two, three");
  EXPECT_EQ(Fit({"one", "two", "three"}, 14), "one, two");
  EXPECT_EQ(Fit({"", "one", "", "two"}, 80), "one, two");
  EXPECT_EQ(Fit({"longer"}, 4), "long");
  EXPECT_EQ(Fit({"\xc3\xa4\xc3\xb6\xc3\xbc"}, 2), "\xc3\xa4\xc3\xb6") << "whole characters";
  EXPECT_EQ(Fit({"one"}, 0), "");
  EXPECT_EQ(Fit({"one"}, -1), "");
  EXPECT_EQ(Fit({}, 10), "");
}

TEST(SuggestionTest, WhatIsNear) {
  const std::vector<std::string> words = {"crawl", "control", "cluster", "top", "status", "sim"};
  EXPECT_EQ(Nearest("crwal", words), "crawl");
  EXPECT_EQ(Nearest("crawl", words), "crawl");
  EXPECT_EQ(Nearest("statsu", words), "status");
  EXPECT_EQ(Nearest("contrl", words), "control");
  EXPECT_EQ(Nearest("tpo", words), "top");
  EXPECT_EQ(Nearest("elephant", words), "");
  EXPECT_EQ(Nearest("", words), "");
  EXPECT_EQ(Nearest(std::string(100'000, 'x'), words), "");
}

TEST(SuggestionTest, IsTheEndOfAMessage) {
  EXPECT_EQ(DidYouMean("crawl"), "; did you mean \"crawl\"?");
  EXPECT_EQ(DidYouMean(""), "");
  EXPECT_EQ(WhyNoAction("pause", {"pause", "stop"}), "");
  EXPECT_EQ(WhyNoAction("pasue", {"pause", "stop"}),
            "\"pasue\" is not an action; it must be one of pause, stop; did you mean \"pause\"?");
}

// They were counted twice, without a word.
TEST(SummaryTest, PagesToBeReadOnceMoreAreNamed) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), HasSubstr(", 1 unread; 5 known\n"));
  stats.loop.unread = 3;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr(", 3 unread (2 of them once more); 5 known\n"));
}

TEST(SummaryTest, FailuresAreReportedByCause) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), HasSubstr("failures   none;"));
  stats.counters[desk::Counter::kFailedDns] = 2;
  stats.counters[desk::Counter::kFailedTls] = 1;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("failures   2 no address (DNS), 1 TLS;"));
}

// A crawl gone on with without its --auth-file lost every page, and nothing said why.
TEST(SummaryTest, PagesThatWantCredentialsSaySo) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("401")));
  stats.counters[desk::Counter::kUnauthorized] = 1;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\n           1 page was refused with 401: the host wants credentials "
                        "(--auth-file); with --again it is asked for again\n"));
  stats.counters[desk::Counter::kUnauthorized] = 2;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), HasSubstr("2 pages were refused with 401"));
}

TEST(SummaryTest, WhatWasLeftOutIsReported) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("left out")));
  stats.counters[desk::Counter::kUnwantedStopped] = 2;
  stats.counters[desk::Counter::kUnwantedBytes] = 3'000'000;
  stats.counters[desk::Counter::kManyLinks] = 1;
  stats.counters[desk::Counter::kLinksTooLong] = 1;
  stats.counters[desk::Counter::kLinksMalformed] = 4;
  stats.counters[desk::Counter::kSitemapsWait] = 5;
  stats.counters[desk::Counter::kRobotsFailed] = 6;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("left out   2 bodies not downloaded for their type (3.0 MB), links beyond "
                        "--links-max of 1 page, 1 link too long, 4 links malformed, 5 sitemaps "
                        "until later\n"));
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), HasSubstr("6 robots.txt without an answer\n"));
}

TEST(SummaryTest, PagesWithACanonicalAreCounted) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("canonical")));
  stats.counters[desk::Counter::kCanonical] = 1;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\ncanonical  1 page paid the page that it names as canonical, alone\n"));
  stats.counters[desk::Counter::kCanonical] = 12;
  EXPECT_THAT(
      Summary(stats, absl::ZeroDuration()),
      HasSubstr("\ncanonical  12 pages paid the pages that they name as canonical, alone\n"));
}

TEST(SummaryTest, DuplicatesAreCounted) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("duplicates")));
  stats.counters[desk::Counter::kDuplicates] = 1;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\nduplicates 1 page has the content of another page of its site "));
  stats.counters[desk::Counter::kDuplicates] = 12;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\nduplicates 12 pages have the content of another page of their site "));
}

TEST(SummaryTest, NearDuplicatesAreCounted) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("\nnear ")));
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("\nsimilar ")));
  stats.counters[desk::Counter::kNearDuplicates] = 1;
  EXPECT_THAT(
      Summary(stats, absl::ZeroDuration()),
      HasSubstr("\nnear       1 page is a near duplicate of a page of its site that was read "));
  stats.counters[desk::Counter::kNearDuplicates] = 12;
  EXPECT_THAT(
      Summary(stats, absl::ZeroDuration()),
      HasSubstr(
          "\nnear       12 pages are near duplicates of a page of their site that was read "));
  stats.counters[desk::Counter::kSimilar] = 12;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\nsimilar    12 pages of a site differ by a few words from one read "));
}

TEST(SummaryTest, PagesOfTrapsAreCountedByRule) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("traps")));
  stats.counters[desk::Counter::kTrapFuture] = 12;
  stats.counters[desk::Counter::kTrapLongQuery] = 3;
  stats.counters[desk::Counter::kTrapsSkipped] = 12;
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()),
              HasSubstr("\ntraps      15 pages have URLs as those of traps, 12 not fetched: 12 "
                        "future_date, 3 long_query (--traps)\n"));
}

TEST(SummaryTest, WhatWasNotAskedHasNoFigures) {
  node::NodeStats stats = Crawled();
  stats.counters = {};
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("CPU")));
  EXPECT_THAT(Summary(stats, absl::ZeroDuration()), Not(HasSubstr("requests")));
}

TEST(NothingFetchedTest, OnlyWhenNothingWasRead) {
  node::NodeStats stats = Crawled();
  EXPECT_THAT(WhyNothingWasFetched(stats, {}), IsEmpty());
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kFetched)] = 0;
  EXPECT_THAT(WhyNothingWasFetched(stats, {}), HasSubstr("1 page answered with an HTTP error"));
  EXPECT_THAT(WhyNothingWasFetched(node::NodeStats(), {}), IsEmpty()) << "no page is known";
}

// Also when an earlier process has asked.
TEST(NothingFetchedTest, PagesThatWantCredentialsSaySo) {
  node::NodeStats stats = Crawled();
  stats.loop.by_kind[static_cast<size_t>(ledger::VisitKind::kFetched)] = 0;
  EXPECT_THAT(WhyNothingWasFetched(stats, {}), Not(HasSubstr("--auth-file")));
  node::PageImportance page;
  page.known = true;
  page.http_status = 401;
  EXPECT_THAT(WhyNothingWasFetched(stats, {page}), HasSubstr("\n  pages were refused with 401"));
  stats.counters[desk::Counter::kUnauthorized] = 3;
  EXPECT_THAT(WhyNothingWasFetched(stats, {page}),
              HasSubstr("\n  3 pages were refused with 401: the host wants credentials "
                        "(--auth-file); with --again they are asked for again"));
}

TEST(AttentionTest, NamesTheNode) {
  node::NodeStats cluster, a, b;
  a.name = "a";
  b.name = "b";
  EXPECT_THAT(NeedsAttention(cluster), IsEmpty());
  cluster.nodes = {a, b};
  EXPECT_THAT(NeedsAttention(cluster), IsEmpty());
  b.scheduler_away = true;
  a.loop.channels.emplace_back();
  a.loop.channels.back().name = "b";
  a.loop.channels.back().alarm = "it is older";
  cluster.nodes = {a, b};
  EXPECT_THAT(NeedsAttention(cluster),
              ElementsAre(HasSubstr("node a: ALARM: the channel to b is stopped: it is older"),
                          HasSubstr("node b: its Page Scheduler does not answer")));
}

// A peer that is away for a moment is nobody's business, nor one that nothing waits for.
TEST(AttentionTest, APeerThatLags) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  node::NodeStats a;
  a.name = "a";
  a.uptime = absl::Hours(1);
  cluster::ChannelStatus& channel = a.loop.channels.emplace_back();
  channel.name = "b";
  channel.heard = now - absl::Seconds(65);
  EXPECT_THAT(NeedsAttention(a, now), IsEmpty());
  channel.unacknowledged = 3;
  EXPECT_THAT(NeedsAttention(a, now),
              ElementsAre("node a: node b has said nothing for 1 min 05 s, and 3 batches for it "
                          "wait on disk; see whether it runs and can be reached"));
  EXPECT_EQ(Obstacles(a, now)[0].code, "peer_silent");
  channel.heard = now - absl::Seconds(60);
  EXPECT_THAT(NeedsAttention(a, now), IsEmpty());
  channel.heard = absl::UnixEpoch();  // never, by this process
  EXPECT_THAT(NeedsAttention(a, now), ElementsAre(HasSubstr("for 1 h 00 min")));
  a.uptime = absl::Seconds(5);
  EXPECT_THAT(NeedsAttention(a, now), IsEmpty());
}

TEST(AttentionTest, ANodeWithoutNetwork) {
  node::NodeStats a;
  a.name = "a";
  a.without_network_since = absl::FromUnixSeconds(1'800'000'000);
  EXPECT_THAT(NeedsAttention(a),
              ElementsAre(HasSubstr("node a: this node has had no network since 2027-01-15 "
                                    "08:00:00 UTC: nothing answers")));
  EXPECT_EQ(Obstacles(a, absl::UnixEpoch())[0].code, "without_network");
}

TEST(AttentionTest, ADiskThatIsNearlyFull) {
  node::NodeStats a;
  a.name = "a";
  a.loop.disk = {true, 1'900'000'000, 2'000'000'000, 2'500'000'000};
  EXPECT_THAT(NeedsAttention(a), ElementsAre(HasSubstr("node a: nothing new is fetched, because "
                                                       "only 1.9 GB are free on the disk")));
  EXPECT_EQ(Obstacles(a, absl::UnixEpoch())[0].code, "disk_low");
}

// What an operator has asked for is no alarm, but /readyz tells it.
TEST(AttentionTest, APauseIsMeant) {
  node::NodeStats a;
  a.paused = true;
  a.loop.outbox_full = true;
  EXPECT_THAT(NeedsAttention(a), IsEmpty());
  const std::vector<Obstacle> obstacles = Obstacles(a, absl::UnixEpoch());
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles[0].code, "outbox_full");
  EXPECT_THAT(obstacles[0].sentence, HasSubstr("nothing new is fetched, because what waits on"));
  EXPECT_EQ(obstacles[1].code, "paused");
}

}  // namespace
}  // namespace opic::cli
