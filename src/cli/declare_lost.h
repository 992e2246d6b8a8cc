// opic cluster declare-lost: the data folder of a node is gone for good, and a new one takes its
// place (DESIGN section 5; docs/decisions/2026-11-21-births-and-generations.md).
//
// Every other node is told, and journals it; what they say of their channels to the lost folder
// adds up to what it held. The new map gives that to the node's next folder as its genesis.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "cli/target.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct DeclareLostFlags : TargetFlags {
  std::string lost;  // name or number
  std::string out;   // the new map
  bool force = false;

  void AddTo(CLI::App& app);
};

// All other nodes must answer and the lost one must not. The same again, with the same map, tells
// the same and writes the same. FailedPrecondition: the node answers, or the new map is there
// already.
absl::Status DeclareLost(const DeclareLostFlags& flags);

}  // namespace opic::cli
