// What is asked of a running node about its publications: Control says what these do.
//
// Thread safety: REQUIRES the ledger's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/control.h"
#include "node/node_parts.h"
#include "node/refresh_plan.h"
#include "refresh/publication.h"

namespace opic::node {

absl::StatusOr<Published> PublishOn(NodeParts& parts, RefreshPlan& plan,
                                    const refresh::Publication& publication);
std::vector<refresh::Publication> PublicationsOf(const NodeParts& parts, const RefreshPlan& plan);
absl::Status WithdrawFrom(NodeParts& parts, RefreshPlan& plan, uint64_t id);

// All that this node has, and takes up of what others have (AdoptInto): for its plan, or, as at rest,
// for the next one when no page is read again. `plan` may be null.
absl::StatusOr<std::vector<refresh::Publication>> KnownPublications(NodeParts& parts,
                                                                    const RefreshPlan* plan);
absl::Status AdoptPublications(NodeParts& parts, RefreshPlan* plan,
                               const std::vector<refresh::Publication>& told);

// Those that govern a page, in words: its treatment, then its errand.
absl::StatusOr<std::vector<std::string>> DescribePublications(const RefreshPlan& plan, PageId page);

}  // namespace opic::node
