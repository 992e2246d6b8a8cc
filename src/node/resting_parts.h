// The pages of folders at rest: one of a crawl, or some or all of a cluster's.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "node/data_folder.h"
#include "node/page_record.h"

namespace opic::node {

// A part for each folder. Every ledger is recovered in memory, and hears from the others how they
// stand, so that it ranks its pages by all of them; nothing is written. FailedPrecondition: the
// folders are of different crawls, or two are of the same node; NotFound: no crawl; DataLoss:
// damaged. The folders must outlive the parts.
absl::StatusOr<std::vector<std::unique_ptr<CrawlPart>>> OpenRestingParts(
    absl::Span<const std::unique_ptr<DataFolder>> folders);

}  // namespace opic::node
