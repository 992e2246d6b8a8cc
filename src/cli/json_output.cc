#include "cli/json_output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace opic::cli {
namespace {
using Json = nlohmann::ordered_json;
}  // namespace

void PrintJson(const Json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void PrintJsonLine(const Json& json, std::FILE* out) {
  fmt::print(out, "{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace opic::cli
