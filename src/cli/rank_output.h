// Rankings as a table or as JSON lines.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "node/export.h"
#include "rank/iteration.h"

namespace opic::cli {

// A ranking under the name of its column.
struct RankColumn {
  std::string name;  // "importance", "interest"
  rank::RankReader values;
};

// A row a page by number, or the `top` best by the first column (0: all). With `crawl` rows have
// URLs too, but for pages known elsewhere. Memory: a few kilobytes, and some 100 bytes a row of
// `top`. REQUIRES: at least one column; every ranking has `pages` pages.
absl::Status PrintRanks(const std::vector<RankColumn>& columns, uint32_t pages, uint32_t top,
                        bool json, node::Export* crawl, std::FILE* out);

}  // namespace opic::cli
