// The control of the node of this process.
//
// Thread safety: as node::Control; what touches the ledger runs on its thread.
#pragma once

#include <memory>

#include "node/control.h"
#include "node/crawl_changes.h"
#include "node/node_parts.h"

namespace opic::node {

// `parts` and `crawl` must outlive it. Nothing may be asked before Node::Open has come back.
std::unique_ptr<Control> ControlOn(NodeParts& parts, CrawlChanges& crawl);

}  // namespace opic::node
