// `opic status --json` of one node, or of a whole cluster without its nodes. Programs read it: keys
// are only ever added (tests/cli/status_json_test.cc holds them).
#pragma once

#include <nlohmann/json.hpp>

#include "node/answers.h"

namespace opic::cli {

nlohmann::ordered_json StatusJson(const node::NodeStats& stats);

}  // namespace opic::cli
