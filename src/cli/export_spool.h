// A running node's pages, read over RPC into a file without a name, so that they can be read again
// and again.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "node/export_desk.h"
#include "node/page_record.h"

namespace opic::cli {

// Asks for the pages that follow: rpc::NodeClient::ReadExport.
using ReadExport =
    std::function<absl::StatusOr<node::ExportedRows>(const node::ExportPosition& position)>;

struct SpoolOptions {
  std::string folder = "/tmp";                     // where the file lies
  absl::Duration patience = absl::Seconds(60);     // with a node that does not answer
  absl::Duration pause = absl::Milliseconds(300);  // before it is asked again
  // Told once of each time that the node does not answer for longer than `told_after`, with what it
  // says, or what the call came to. May be empty.
  std::function<void(const absl::Status& why)> waiting;
  absl::Duration told_after = absl::Seconds(2);
  // Set by whoever needs the pages no more: those of another node cannot be had. May be null.
  const std::atomic<bool>* given_up = nullptr;
};

struct Spooled {
  std::unique_ptr<node::CrawlPart> part;
  // 1 when all pages are as they were at one moment. More: the node lost its cut, because it was
  // restarted or reading took long, and went on from another one.
  uint32_t cuts = 0;
};

// Reads all pages. A node that does not answer is asked again at the same place; asking is safe to
// repeat. Memory: an answer. Unavailable: it did not answer for `patience`; Cancelled: `given_up`.
absl::StatusOr<Spooled> Spool(const ReadExport& read, const SpoolOptions& options);

}  // namespace opic::cli
