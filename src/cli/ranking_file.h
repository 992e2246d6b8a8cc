// A ranking in a file, to hold a crawl against: importances by URL.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace opic::cli {

using RankingByUrl = absl::flat_hash_map<std::string, double>;

// Lines "importance URL", apart by tabs; what follows another tab is left out, and so are lines
// that begin with '#' and pages of importance 0. InvalidArgument names file and line: no such line,
// a page twice, an importance that is negative or no number; no page at all. NotFound: there is no
// such file.
absl::StatusOr<RankingByUrl> ReadRanking(const std::string& path);

}  // namespace opic::cli
