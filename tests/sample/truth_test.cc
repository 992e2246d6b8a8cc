#include "sample/truth.h"

#include "absl/strings/str_split.h"
#include "graph/pagerank.h"
#include "gtest/gtest.h"

namespace opic::sample {
namespace {

constexpr absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);
constexpr absl::Time kLater = absl::FromUnixSeconds(1'800'432'000);  // five days on

ChangingWeb Built(Changes changes) {
  changes.start = kStart;
  return *ChangingWeb::Build({.pages = 600, .hosts = 6, .changes = changes});
}

constexpr Changes kAll = {
    .change_rate = 0.5, .link_change = 0.5, .appear_rate = 0.05, .vanish_rate = 0.05};

TEST(Truth, OfAStillWebIsTheRankingOfItsLinks) {
  const ChangingWeb web = Built({});
  const std::vector<double> exact = graph::PageRank(web.web().links);
  const std::vector<PageTruth> truth = TruthAt(web, kLater);
  ASSERT_EQ(truth.size(), 600u);
  for (uint32_t page = 0; page < 600; ++page) EXPECT_EQ(truth[page].importance, exact[page]);
}

TEST(Truth, SumsToOneOverWhatIsThereOrLinkedTo) {
  const ChangingWeb web = Built(kAll);
  const std::vector<PageTruth> truth = TruthAt(web, kStart + absl::Hours(24 * 25));
  std::vector<bool> linked(truth.size());
  for (const PageTruth& page : truth) {
    for (const uint32_t to : page.state.links) linked[to] = true;
  }
  double sum = 0;
  int gone_linked = 0, forgotten = 0;
  for (const PageTruth& page : truth) {
    sum += page.importance;
    const bool gone = page.state.presence == Presence::kGone;
    EXPECT_EQ(page.importance > 0, !gone || linked[page.page]);
    gone_linked += gone && linked[page.page];
    forgotten += gone && !linked[page.page];
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_GT(truth.size(), 650u);
  EXPECT_GT(gone_linked, 10);
  EXPECT_GT(forgotten, 0);
}

// The ranking of a web made by hand of what the pages say.
TEST(Truth, IsTheRankingOfTheLinkTable) {
  const ChangingWeb web = Built({.change_rate = 2, .link_change = 1});
  std::vector<graph::Edge> edges;
  for (const auto line : absl::StrSplit(LinkTable(web, kLater), '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> urls = absl::StrSplit(line, '\t');
    const auto number = [&](const std::string& url) {
      return web.web().by_address.at(url.substr(7));
    };
    edges.push_back({number(urls.first), number(urls.second)});
  }
  const std::vector<double> exact = graph::PageRank(graph::Graph::FromEdges(600, edges));
  EXPECT_NE(edges, web.web().links.Edges());
  for (const PageTruth& page : TruthAt(web, kLater)) {
    EXPECT_NEAR(page.importance, exact[page.page], 1e-12);
  }
}

TEST(Truth, IsATableWithARowAPage) {
  const ChangingWeb web = Built(kAll);
  const std::vector<std::string> lines = absl::StrSplit(TruthTable(web, kLater), '\n');
  ASSERT_EQ(lines.size(), TruthAt(web, kLater).size() + 2);  // the names, and what ends the last
  EXPECT_EQ(lines[0], "# importance\turl\tstate\tchanges\trate\tchanged");
  const std::vector<std::string> first = absl::StrSplit(lines[1], '\t');
  ASSERT_EQ(first.size(), 6u);
  EXPECT_EQ(first[1], "http://site00.sample.test/");
  EXPECT_EQ(first[2], "there");
}

}  // namespace
}  // namespace opic::sample
