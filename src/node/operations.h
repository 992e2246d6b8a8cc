// The node of this process as a RunningNode: what others ask of it and have it do.
#pragma once

#include <memory>

#include "node/crawl_changes.h"
#include "node/node_parts.h"
#include "node/running_node.h"

namespace opic::node {

// `parts` and `crawl` must outlive it. Nothing may be asked before Node::Open has come back.
std::unique_ptr<RunningNode> OperationsOn(NodeParts& parts, CrawlChanges& crawl);

}  // namespace opic::node
