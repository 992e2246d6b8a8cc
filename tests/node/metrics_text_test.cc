#include "node/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_split.h"

namespace opic::node {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

NodeStats ANode(const std::string& name) {
  NodeStats node;
  node.name = name;
  node.loop.pages = 7;
  node.counters[desk::Counter::kRequests] = 5;
  return node;
}

std::vector<std::string> LinesOf(const NodeStats& stats) {
  return absl::StrSplit(MetricsText(stats), '\n', absl::SkipEmpty());
}

TEST(MetricsTextTest, ANodeAlone) {
  const std::vector<std::string> lines = LinesOf(ANode(""));
  EXPECT_THAT(lines, Contains("# TYPE opic_requests_total counter"));
  EXPECT_THAT(lines, Contains("# HELP opic_requests_total Requests for pages."));
  EXPECT_THAT(lines, Contains("opic_requests_total 5"));
  EXPECT_THAT(lines, Contains("opic_pages 7"));
  EXPECT_THAT(lines, Contains("opic_up 1"));
  EXPECT_THAT(lines, Contains("opic_paused 0"));
  EXPECT_THAT(lines, Contains("opic_scheduler_away 0"));
  EXPECT_THAT(lines, Contains("opic_without_network 0"));
  EXPECT_THAT(lines, Contains("opic_disk_low 0"));
  EXPECT_THAT(lines, Contains("opic_phase{phase=\"crawling\"} 1"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("opic_channel"))));
}

// It was up, and who watched the folder of a crawler did not see that it had died.
TEST(MetricsTextTest, AFolderAtRestIsNotUp) {
  const std::string text = MetricsText(ANode(""), /*at_rest=*/true);
  EXPECT_THAT(text, HasSubstr("\nopic_up 0\n"));
  EXPECT_THAT(text, HasSubstr("\nopic_pages 7\n"));
}

TEST(MetricsTextTest, NodesOfAClusterHaveLabelsOfTheirOwn) {
  NodeStats all = ANode("");
  all.nodes = {ANode("a"), ANode("b")};
  all.missing = {"c"};
  all.nodes[0].loop.channels.resize(1);
  all.nodes[0].loop.channels[0].name = "b";
  all.nodes[0].loop.channels[0].alarm = "brings more than there can be";
  const std::vector<std::string> lines = LinesOf(all);
  EXPECT_THAT(lines, Contains("opic_up{node=\"b\"} 1"));
  EXPECT_THAT(lines, Contains("opic_up{node=\"c\"} 0"));
  EXPECT_THAT(lines, Contains("opic_requests_total{node=\"b\"} 5"));
  EXPECT_THAT(lines, Contains("opic_channel_stopped{node=\"a\",peer=\"b\"} 1"));
  EXPECT_THAT(lines, Not(Contains("opic_pages 7")));  // sums are the reader's
}

TEST(MetricsTextTest, LabelsAreEscaped) {
  EXPECT_THAT(LinesOf(ANode("a\"b\\c\nd")), Contains("opic_pages{node=\"a\\\"b\\\\c\\nd\"} 7"));
}

// Every counter has a metric, and each metric is declared once, before its samples.
TEST(MetricsTextTest, EachMetricIsDeclaredOnce) {
  NodeStats all = ANode("");
  all.nodes = {ANode("a"), ANode("b")};
  all.nodes[1].loop.channels.resize(2);
  std::set<std::string> declared;
  std::string last;
  for (const std::string& line : LinesOf(all)) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::ByAnyChar(" {"));
    if (words[1] == "TYPE") {
      EXPECT_TRUE(declared.insert(last = words[2]).second) << line;
      EXPECT_EQ(words[3] == "counter", last.ends_with("_total")) << line;
    } else if (words[1] != "HELP") {
      EXPECT_EQ(words[0], last);
    }
  }
  EXPECT_GE(declared.size(), desk::kCounters + 10);
}

}  // namespace
}  // namespace opic::node
