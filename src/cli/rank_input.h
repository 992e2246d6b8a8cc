// What the off-line commands rank: an edge list, or the kept links of a crawl.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "graph/graph.h"
#include "node/export.h"
#include "rank/equation.h"
#include "rank/links.h"

namespace opic::cli {

// Adds all links of a text file, packed with gzip or not, "-" being standard input. InvalidArgument
// names file and line.
absl::Status AddEdgeList(const std::string& path, rank::RankLinks& links);
// All links of a crawl's pages; those to pages known elsewhere, too.
absl::Status AddCrawl(node::Export& crawl, rank::RankLinks& links);
// The same as a graph in memory. InvalidArgument also: numbers above `pages_max`.
absl::StatusOr<graph::Graph> ReadGraph(const std::string& path, uint32_t pages_max);

// Pages and weights out of a file of lines "page [weight]" (1 if absent), comments as in edge
// lists. ResourceExhausted: more than `memory_bytes`.
using PageWeights = std::vector<std::pair<uint32_t, double>>;
absl::StatusOr<PageWeights> ReadPageWeights(const std::string& path, size_t memory_bytes);
// Weight 1 for each page whose URL matches the glob.
absl::StatusOr<PageWeights> PagesMatching(node::Export& crawl, const std::string& glob);

// `text` is a size as --memory takes it, or empty: half of the machine's memory. What the process
// uses already is taken off, so that the bound is that of the whole process.
absl::StatusOr<size_t> MemoryFor(const std::string& text);

}  // namespace opic::cli
