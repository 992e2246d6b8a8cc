// The hosts file of a running node is read again.
#pragma once

#include "absl/status/statusor.h"
#include "node/hosts_file.h"

namespace opic::node {

class CrawlChanges;
struct NodeParts;

// `read` takes the place of the node's hosts file, for queued pages, too; or the old one stays in
// force when it could not be read or would be too many rules. The log says which; a change and a
// refusal stand in the audit trail. A node without a hosts file gets none. With other depths all
// of the history is read, in turns of the ledger: minutes for some hundred million pages.
//
// Thread safety: synchronised inside; not on the ledger's thread, for which it waits.
void TakeHostsFile(NodeParts& parts, CrawlChanges& crawl, absl::StatusOr<HostsFile> read);

}  // namespace opic::node
