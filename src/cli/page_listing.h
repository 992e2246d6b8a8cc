// Pages and their importance, as a table for people and as JSON for programs.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "node/ranking.h"

namespace opic::cli {

void PrintPages(const std::vector<node::PageImportance>& pages, std::FILE* out);
// One JSON object, without a line end.
std::string PageJson(const node::PageImportance& page);

}  // namespace opic::cli
