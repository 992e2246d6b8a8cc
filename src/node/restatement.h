// Restating (ledger push): what every page's cash should be, worked out anew from all rows of a
// crawl at rest, and corrected where it is off (ledger/equation.h). What `opic restate` does.
//
// Rounding of cells makes cash drift a little; a lost folder, and damage that nobody noticed, by
// what was lost. A correction is a credit like any other: one write of the journal, and no unit is
// made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "node/data_folder.h"

namespace opic::node {

struct Restatement {
  uint64_t pages = 0, links = 0;
  uint64_t off = 0;    // pages whose cash is not what it should be
  double largest = 0;  // by how much at most, in bases of a page
  double error = 0;    // what all of that can do to the ranking, at most (L1)
  bool corrected = false;
};

// Takes all folders of a crawl: one, or those of every node of a cluster. Corrects the cash with
// `correct`, of each page in the folder of its node, else writes nothing. Of a cluster, what is off
// in a shard without a page stays: no folder tells whose it is. FailedPrecondition: by windows
// there is nothing to restate; a node's folder is missing; a shard is on its way. DataLoss:
// damaged.
absl::StatusOr<Restatement> Restate(const std::vector<std::unique_ptr<DataFolder>>& folders,
                                    bool correct);

}  // namespace opic::node
