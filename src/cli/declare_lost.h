// opic cluster declare-lost: the data folder of a node is gone for good, and a new one takes its
// place (docs/design.md section 5; docs/decisions/2026-11-21-births-and-generations.md).
//
// Every other node is asked, then informed, and journals it. What they say of their channels to the
// lost folders adds up to what these held. The new map has it, for the books of the node's next
// folder.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "cli/cluster_nodes.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct DeclareLostFlags : CallFlags {
  std::vector<std::string> lost;  // names or numbers
  std::string out;                // the new map
  bool force = false;

  void AddTo(CLI::App& app);
};

// What lost folders held, as "with the 12 units that the lost folder held"; less than nothing is a
// debt. `folders`: of how many together.
std::string HeldWords(cash::Sum held, size_t folders);

// All other nodes must answer and the lost ones must not. The same again, with the same map, tells
// the same and writes the same. A patience of less than 15 s counts as that. FailedPrecondition: a
// lost node answers, nobody is left, or the new map is there already. DataLoss: the nodes' books
// cannot be; no node was informed.
absl::Status DeclareLost(const DeclareLostFlags& flags);

}  // namespace opic::cli
