// What commands print for programs (--json).
//
// Thread safety: pure, but for the output.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>

namespace opic::cli {

// One object over several lines. Bytes that are not UTF-8 are replaced.
void PrintJson(const nlohmann::ordered_json& json);
// An object a line, for lists of any length.
void PrintJsonLine(const nlohmann::ordered_json& json, std::FILE* out = stdout);

}  // namespace opic::cli
