#include "cli/hosts_file_reader.h"

#include <chrono>

#include "base/log_part.h"
#include "cli/hosts_file.h"
#include "node/node.h"

namespace opic::cli {

HostsFileReader::HostsFileReader(node::Node& node, const node::CrawlOptions& options)
    : node_(node), path_(options.hosts_file ? options.hosts_file->path : "") {}

void HostsFileReader::Turn() {
  const bool idle =
      !reading_.valid() || reading_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (!asked_ || !idle) return;
  asked_ = false;
  reading_ = std::async(std::launch::async,
                        base::OfThisPart([this] { node_.TakeHostsFile(ReadHostsFile(path_)); }));
}

}  // namespace opic::cli
