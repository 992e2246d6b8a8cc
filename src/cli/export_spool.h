// A running node's pages, read over RPC into a file without a name, so that they can be read again
// and again.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/patiently.h"
#include "node/export_desk.h"
#include "node/page_record.h"

namespace opic::cli {

// Asks for the pages that follow: rpc::NodeClient::ReadExport.
using ReadExport =
    std::function<absl::StatusOr<node::ExportedRows>(const node::ExportPosition& position)>;

struct SpoolOptions {
  std::string folder = "/tmp";  // where the file lies
  Patience patience;            // for each answer
};

struct Spooled {
  std::unique_ptr<node::CrawlPart> part;
  // 1 when all pages are as they were at one moment. More: the node lost its cut, because it was
  // restarted or reading took long, and went on from another one.
  uint32_t cuts = 0;
};

// Reads all pages. A node that does not answer is asked again at the same place; asking is safe to
// repeat. Memory: an answer. Unavailable: it did not answer within the patience; Cancelled: the
// pages are not needed any more.
absl::StatusOr<Spooled> Spool(const ReadExport& read, const SpoolOptions& options);

}  // namespace opic::cli
