// What is wrong with something that runs and answers: for `opic status` and `opic health`.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

#include "node/answers.h"

namespace opic::cli {

// One sentence each, of every node of a cluster; empty: nothing needs anybody's attention.
std::vector<std::string> NeedsAttention(const node::NodeStats& stats);

}  // namespace opic::cli
