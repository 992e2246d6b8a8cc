#include "sim/experiment_changing_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/power_law.h"

namespace opic::sim {
namespace {

TEST(ChangingGraph, IsTheGraphUntilItChanges) {
  const graph::Graph graph = graph::PowerLawGraph(500, base::Rng(2));
  EXPECT_EQ(ChangingGraph(graph, 1).Snapshot(), graph);
}

TEST(ChangingGraph, DoublesOrHalvesTheLinksToAPage) {
  const graph::Graph graph = graph::PowerLawGraph(500, base::Rng(2));
  const std::vector<uint32_t> before = graph.InDegrees();
  bool doubled = false, halved = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChangingGraph web(graph, seed);
    web.Change(1);
    const std::vector<uint32_t> after = web.Snapshot().InDegrees();
    size_t changed = 0;
    for (size_t page = 0; page < before.size(); ++page) {
      if (before[page] == after[page]) continue;
      ++changed;
      const bool twice = after[page] == std::min(2 * before[page], 250u);
      const bool half = after[page] == before[page] - before[page] / 2;
      EXPECT_TRUE(twice || half) << before[page] << " became " << after[page];
      doubled |= twice, halved |= half;
    }
    EXPECT_EQ(changed, 1u);
  }
  EXPECT_TRUE(doubled && halved);
}

// Halving a single link, as two of three pages have it, would change nothing.
TEST(ChangingGraph, DoublesAsOftenAsItHalves) {
  const graph::Graph graph = graph::PowerLawGraph(500, base::Rng(2));
  const std::vector<uint32_t> before = graph.InDegrees();
  int doubled = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    ChangingGraph web(graph, seed);
    web.Change(1);
    const graph::Graph now = web.Snapshot();
    doubled += now.links() > graph.links();
    EXPECT_NE(now.links(), graph.links());
  }
  EXPECT_NEAR(doubled, 200, 40);
}

TEST(ChangingGraph, WithoutAPageThatCanChangeStaysAsItIs) {
  const graph::Graph empty = graph::Graph::FromEdges(100, {});
  ChangingGraph web(empty, 1);
  web.Change(3);
  EXPECT_EQ(web.Snapshot(), empty);
}

TEST(ChangingGraph, NeverTakesAPageItsLastLink) {
  ChangingGraph web(graph::PowerLawGraph(200, base::Rng(3)), 4);
  web.Change(20'000);
  const std::vector<uint32_t> degrees = web.Snapshot().InDegrees();
  EXPECT_GE(*std::ranges::min_element(degrees), 1u);
}

}  // namespace
}  // namespace opic::sim
