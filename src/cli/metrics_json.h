// Metrics as `opic metrics --json` prints them.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace opic::cli {

// Of a text of base::Metric: an array of {name, type, help, samples}, each sample {labels, value}.
nlohmann::ordered_json MetricsJson(std::string_view text);

}  // namespace opic::cli
