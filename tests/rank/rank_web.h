// Graphs and rankings for the tests of off-line ranking.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "graph/errors.h"
#include "graph/graph.h"
#include "graph/power_law.h"
#include "rank/iteration.h"
#include "rank/links.h"

namespace opic::rank {

// Some links of each kind: hubs, pages without links, pages nobody links to.
inline graph::Graph SmallWeb(uint64_t seed, uint32_t pages = 3'000) {
  base::Rng rng(seed);
  std::vector<graph::Edge> edges = graph::PowerLawGraph(pages, rng).Edges();
  std::erase_if(edges, [](graph::Edge edge) { return edge.from % 7 == 0 || edge.to % 11 == 0; });
  return graph::Graph::FromEdges(pages, std::move(edges));
}

inline constexpr TileShape kSmallTiles = {.from_bits = 6, .to_bits = 8};

// On disk: the least memory, so that there are many slices.
inline SlicePlan PlanFor(bool on_disk, uint32_t workers = 1, int rankings = 1) {
  SlicePlan plan;
  plan.resources.memory_bytes = on_disk ? workers * kRankMemoryMin : size_t{64} << 20;
  plan.resources.folder = testing::TempDir();
  plan.resources.single_precision = false;
  plan.resources.always_on_disk = on_disk;
  plan.workers = workers;
  plan.rankings = rankings;
  return plan;
}

inline std::unique_ptr<LinkStore> Store(const graph::Graph& graph, const SlicePlan& plan) {
  absl::StatusOr<RankLinks> links = RankLinks::Begin(plan, kSmallTiles);
  EXPECT_TRUE(links.ok()) << links.status();
  links->AddPages(graph.pages());
  for (const graph::Edge edge : graph.Edges()) EXPECT_TRUE(links->Add(edge.from, edge.to).ok());
  absl::StatusOr<std::unique_ptr<LinkStore>> store = std::move(*links).Finish();
  EXPECT_TRUE(store.ok()) << store.status();
  return std::move(store).value_or(nullptr);
}

// Precise enough to be compared at 1e-9.
inline RankOptions Precisely(Order order = Order::kJacobi, uint32_t workers = 1) {
  RankOptions options;
  options.order = order;
  options.workers = workers;
  options.change_max = 1e-12;
  return options;
}

struct Ranked {
  std::array<std::vector<double>, 2> values;
  RankSummary summary;
};

inline Ranked Rank(LinkStore& store, const RankOptions& options, const Rankings& rankings) {
  Ranked ranked;
  absl::StatusOr<std::unique_ptr<RankEngine>> engine = store.Prepare(options, rankings);
  EXPECT_TRUE(engine.ok()) << engine.status();
  if (!engine.ok()) return ranked;
  absl::StatusOr<RankSummary> summary = Iterate(**engine, options);
  EXPECT_TRUE(summary.ok()) << summary.status();
  ranked.summary = summary.value_or(RankSummary());
  for (const Direction direction : kDirections) {
    if (rankings[IndexOf(direction)]) {
      ranked.values[IndexOf(direction)] = AllValues(**engine, direction).value();
    }
  }
  return ranked;
}

inline Rankings Importance() { return {Personalisation(), std::nullopt}; }
inline Rankings Interest() { return {std::nullopt, Personalisation()}; }

using graph::L1Distance;

}  // namespace opic::rank
