// Pages and their importance, as a table for people and as JSON for programs.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "node/ranking.h"

namespace opic::cli {

void PrintPages(const std::vector<node::PageImportance>& pages, std::FILE* out);
nlohmann::ordered_json PageJson(const node::PageImportance& page);

}  // namespace opic::cli
