// Reads the hosts file again for a running node, on a thread of its own: to put it in force may
// take minutes (node/hosts_file_change.h), in which whoever asked has other things to look after.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <future>
#include <string>

namespace opic::node {
class Node;
struct CrawlOptions;
}  // namespace opic::node

namespace opic::cli {

class HostsFileReader {
 public:
  // `node` must outlive the reader, which waits for what is under way when it ends: stop the node
  // before.
  HostsFileReader(node::Node& node, const node::CrawlOptions& options);

  // The file, if the node has one, is to be read again.
  void Ask() { asked_ = !path_.empty(); }
  // To be called now and then: begins what was asked for once nothing is under way.
  void Turn();

 private:
  node::Node& node_;
  const std::string path_;  // empty: it has none
  bool asked_ = false;
  std::future<void> reading_;  // joins when it ends
};

}  // namespace opic::cli
